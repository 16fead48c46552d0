#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/reduce.h>
#include <gpuopt_thrust.h>
