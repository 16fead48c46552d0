#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/scan.h>
#include <gpuopt_thrust.h>
