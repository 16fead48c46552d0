#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/find.h>
#include <gpuopt_thrust.h>
