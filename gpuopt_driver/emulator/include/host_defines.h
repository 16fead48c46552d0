/* Qualifiers. In CUDA sources they stay in the preprocessed text, which is where they are read; elsewhere they vanish. */
#ifndef GPUOPT_HOST_DEFINES_H
#define GPUOPT_HOST_DEFINES_H

#ifdef __CUDACC__
#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __shared__ __shared__
#define __constant__ __constant__
#define __managed__ __managed__
#define __grid_constant__ __grid_constant__
#define __launch_bounds__ __launch_bounds__
#define __cluster_dims__ __cluster_dims__
#define __maxnreg__ __maxnreg__
#define __noinline__ __noinline__
#define __forceinline__ __forceinline__
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#ifdef __CUDACC_EXTENDED_LAMBDA__ /* every lambda is one of the host's here, too */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#endif
#define CUDARTAPI
#define CUDART_CB

#endif
