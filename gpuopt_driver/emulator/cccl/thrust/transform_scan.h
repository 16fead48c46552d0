#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/transform_scan.h>
#include <gpuopt_thrust.h>
