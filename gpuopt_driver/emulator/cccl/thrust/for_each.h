#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/for_each.h>
#include <gpuopt_thrust.h>
