#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/sequence.h>
#include <gpuopt_thrust.h>
