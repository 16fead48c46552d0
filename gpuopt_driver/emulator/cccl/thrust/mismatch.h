#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/mismatch.h>
#include <gpuopt_thrust.h>
