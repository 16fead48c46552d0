#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/remove.h>
#include <gpuopt_thrust.h>
