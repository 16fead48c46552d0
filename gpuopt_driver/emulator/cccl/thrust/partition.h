#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/partition.h>
#include <gpuopt_thrust.h>
