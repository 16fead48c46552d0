// thrust::host and thrust::device are one type where both are the backend for CPUs. Here thrust::host is one of its own, so that
// what is done with thrust::device can be kernels.
#ifndef GPUOPT_EMU_THRUST_HOST
#define GPUOPT_EMU_THRUST_HOST
#include <thrust/system/gpuopt_host/execution_policy.h>
#pragma push_macro("__THRUST_HOST_SYSTEM_NAMESPACE")
#undef __THRUST_HOST_SYSTEM_NAMESPACE
#define __THRUST_HOST_SYSTEM_NAMESPACE gpuopt_host
#include_next <thrust/execution_policy.h>
#pragma pop_macro("__THRUST_HOST_SYSTEM_NAMESPACE")
#include <thrust/system/cuda/execution_policy.h>
#endif
#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/execution_policy.h>
#include <gpuopt_thrust.h>
