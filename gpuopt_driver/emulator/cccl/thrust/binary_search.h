#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/binary_search.h>
#include <gpuopt_thrust.h>
