#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/adjacent_difference.h>
#include <gpuopt_thrust.h>
