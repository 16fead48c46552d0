// Loads and stores with cache hints, atomics, address-space queries.
#pragma once

#define GPUOPT_LOAD(NAME) template <class T> __device__ T NAME(const T*);
GPUOPT_LOAD(__ldg)
GPUOPT_LOAD(__ldcg)
GPUOPT_LOAD(__ldca)
GPUOPT_LOAD(__ldcs)
GPUOPT_LOAD(__ldlu)
GPUOPT_LOAD(__ldcv)

template <class T> struct gpuopt_identity { typedef T type; };
#define GPUOPT_AS(T) typename gpuopt_identity<T>::type

#define GPUOPT_STORE(NAME) template <class T> __device__ void NAME(T*, GPUOPT_AS(T));
GPUOPT_STORE(__stwb)
GPUOPT_STORE(__stcg)
GPUOPT_STORE(__stcs)
GPUOPT_STORE(__stwt)

#define GPUOPT_ATOMIC(NAME) \
    template <class T> __device__ T NAME(T*, GPUOPT_AS(T)); \
    template <class T> __device__ T NAME(volatile T*, GPUOPT_AS(T)); \
    template <class T> __device__ T NAME##_block(T*, GPUOPT_AS(T)); \
    template <class T> __device__ T NAME##_system(T*, GPUOPT_AS(T));
GPUOPT_ATOMIC(atomicAdd)
GPUOPT_ATOMIC(atomicSub)
GPUOPT_ATOMIC(atomicExch)
GPUOPT_ATOMIC(atomicMin)
GPUOPT_ATOMIC(atomicMax)
GPUOPT_ATOMIC(atomicInc)
GPUOPT_ATOMIC(atomicDec)
GPUOPT_ATOMIC(atomicAnd)
GPUOPT_ATOMIC(atomicOr)
GPUOPT_ATOMIC(atomicXor)

#define GPUOPT_ATOMIC_CAS(NAME) \
    template <class T> __device__ T NAME(T*, GPUOPT_AS(T), GPUOPT_AS(T)); \
    template <class T> __device__ T NAME(volatile T*, GPUOPT_AS(T), GPUOPT_AS(T));
GPUOPT_ATOMIC_CAS(atomicCAS)
GPUOPT_ATOMIC_CAS(atomicCAS_block)
GPUOPT_ATOMIC_CAS(atomicCAS_system)

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_SYSTEM 0
#define __NV_THREAD_SCOPE_DEVICE 1
#define __NV_THREAD_SCOPE_BLOCK 2
template <class T, class... A> __device__ T __nv_atomic_load_n(T*, A...);
template <class T, class... A> __device__ void __nv_atomic_store_n(T*, A...);
template <class T, class... A> __device__ T __nv_atomic_fetch_add(T*, A...);

__device__ unsigned __isGlobal(const void*);
__device__ unsigned __isShared(const void*);
__device__ unsigned __isConstant(const void*);
__device__ unsigned __isLocal(const void*);
__device__ unsigned __isGridConstant(const void*);
__device__ unsigned __isClusterShared(const void*);
__device__ size_t __cvta_generic_to_shared(const void*);
__device__ size_t __cvta_generic_to_global(const void*);
__device__ size_t __cvta_generic_to_constant(const void*);
__device__ size_t __cvta_generic_to_local(const void*);
__device__ size_t __cvta_generic_to_grid_constant(const void*);
__device__ void* __cvta_constant_to_generic(size_t);
__device__ void* __cvta_local_to_generic(size_t);
__device__ void* __cvta_grid_constant_to_generic(size_t);
__device__ void* __nv_associate_access_property(const void*, unsigned long long);
__device__ void* __nv_aligned_device_malloc(size_t, size_t);
__device__ void* __cvta_shared_to_generic(size_t);
__device__ void* __cvta_global_to_generic(size_t);
