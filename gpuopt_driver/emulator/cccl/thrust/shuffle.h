#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/shuffle.h>
#include <gpuopt_thrust.h>
