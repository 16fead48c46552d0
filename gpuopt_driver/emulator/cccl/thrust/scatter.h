#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/scatter.h>
#include <gpuopt_thrust.h>
