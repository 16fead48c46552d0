// Stands in for cuda_runtime.h and what nvcc includes by itself: declarations only, enough for libclang to parse
// kernels with no CUDA toolkit. GPUOPT_NO_HOST: with no header of the host's C library either.
#ifndef GPUOPT_CUDA_H
#define GPUOPT_CUDA_H
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"

#include "gpuopt/attributes.h"

// Everything between begin and end may be called from the host and from kernels. It must not reach into the user's
// code, nor around <new>, which declares functions that clang knows by their exact attributes.
#ifndef GPUOPT_NO_HOST
#pragma clang force_cuda_host_device begin
#include <stdlib.h>
#pragma clang force_cuda_host_device end
#include <new>
#endif

#pragma clang force_cuda_host_device begin
#include "gpuopt/vectors.h"
#include "gpuopt/synchronization.h"
#include "gpuopt/memory.h"
#include "gpuopt/intrinsics.h"
#include "gpuopt/textures.h"
#include "gpuopt/runtime_api.h"
#ifdef GPUOPT_NO_HOST
#include "gpuopt/no_host.h"
#else
#include "gpuopt/host.h"
#endif
#include "gpuopt/math.h"
#pragma clang force_cuda_host_device end

__device__ inline void* operator new(size_t, void* place) noexcept { return place; }
__device__ inline void* operator new[](size_t, void* place) noexcept { return place; }

#pragma clang diagnostic pop
#endif
