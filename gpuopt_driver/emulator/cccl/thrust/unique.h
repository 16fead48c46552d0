#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/unique.h>
#include <gpuopt_thrust.h>
