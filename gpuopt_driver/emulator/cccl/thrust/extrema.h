#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/extrema.h>
#include <gpuopt_thrust.h>
