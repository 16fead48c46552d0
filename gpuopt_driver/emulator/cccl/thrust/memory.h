#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/memory.h>
#include <gpuopt_thrust.h>
