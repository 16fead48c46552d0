#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/uninitialized_fill.h>
#include <gpuopt_thrust.h>
