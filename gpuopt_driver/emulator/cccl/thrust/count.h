#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/count.h>
#include <gpuopt_thrust.h>
