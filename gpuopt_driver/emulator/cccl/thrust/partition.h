#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/partition.h>
#include <gpuopt_thrust.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#endif
