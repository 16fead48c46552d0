#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/logical.h>
#include <gpuopt_thrust.h>
