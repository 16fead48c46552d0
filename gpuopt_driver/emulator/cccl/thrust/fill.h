#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/fill.h>
#include <gpuopt_thrust.h>
