#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/equal.h>
#include <gpuopt_thrust.h>
