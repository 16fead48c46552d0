#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/generate.h>
#include <gpuopt_thrust.h>
