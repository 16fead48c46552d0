#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/transform_reduce.h>
#include <gpuopt_thrust.h>
