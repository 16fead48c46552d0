#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/replace.h>
#include <gpuopt_thrust.h>
