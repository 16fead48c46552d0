#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/execution_policy.h>
#include <gpuopt_thrust.h>
