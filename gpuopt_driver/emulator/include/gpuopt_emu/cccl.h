// NVIDIA's C++ libraries (CCCL: thrust, libcu++), where they are installed, see a host compiler: thrust's algorithms run
// on the CPU, which reads device memory as its own. What they decide here, they keep for the rest of the source.
#ifndef GPUOPT_EMU_CCCL_H
#define GPUOPT_EMU_CCCL_H

#ifndef CCCL_DISABLE_NVFP8_SUPPORT
#define CCCL_DISABLE_NVFP8_SUPPORT  // it wants __nv_fp8_e8m0, which our cuda_fp8.h lacks
#endif
#ifndef CCCL_DISABLE_NVTX
#define CCCL_DISABLE_NVTX  // marks for profilers, of which there are none
#endif
#if __cplusplus >= 201703L && defined(__has_include)
#if __has_include(<cuda/std/__cccl/compiler.h>)
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#include <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDA_ARCH__")
#if defined(__clang__) && __has_include(<cuda/std/__cccl/builtin.h>)
#include <cuda/std/__cccl/builtin.h>
#ifdef _CCCL_CHECK_BUILTIN
// Keywords of clang++ until libstdc++ gives classes these names; what preprocesses alone does not see that.
#define GPUOPT_EMU_WITHOUT_make_signed 1
#define GPUOPT_EMU_WITHOUT_make_unsigned 1
#undef _CCCL_CHECK_BUILTIN
#define _CCCL_CHECK_BUILTIN(name) (!GPUOPT_EMU_WITHOUT_##name && (_CCCL_HAS_BUILTIN(__##name) || _CCCL_HAS_FEATURE(name)))
#endif
#endif
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#endif
#endif

#endif
