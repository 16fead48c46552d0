#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/gather.h>
#include <gpuopt_thrust.h>
