#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/reverse.h>
#include <gpuopt_thrust.h>
