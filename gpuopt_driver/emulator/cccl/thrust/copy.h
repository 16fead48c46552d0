#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/copy.h>
#include <gpuopt_thrust.h>
