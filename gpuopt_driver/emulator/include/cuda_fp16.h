// Half precision: stored in 16 bits, computed in wider precision and rounded.
#ifndef GPUOPT_CUDA_FP16_H
#define GPUOPT_CUDA_FP16_H
#define __CUDA_FP16_TYPES_EXIST__

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"
#include "gpuopt_emu/half.h"

#define GPUOPT_RAW __half_raw
#define GPUOPT_RAW2 __half2_raw
#define GPUOPT_H __half
#define GPUOPT_H2 __half2
#define GPUOPT_BITS gpuopt_emu::half_bits
#define GPUOPT_VALUE gpuopt_emu::half_value
#define GPUOPT_FUSED_SUM gpuopt_emu::half_fused
#define GPUOPT_BFLOAT 0
#include "gpuopt_emu/sixteen_types.h"
typedef __half half;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half_raw __nv_half_raw;
typedef __half2 half2;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;
typedef __half2_raw __nv_half2_raw;

#define GPUOPT_NAME(before, after) before##half##after
#define GPUOPT_PAIR_OF_ONE __half2half2
#define GPUOPT_PAIR_OF_TWO __halves2half2
#include "gpuopt_emu/sixteen.h"
#undef GPUOPT_RAW
#undef GPUOPT_RAW2
#undef GPUOPT_H
#undef GPUOPT_H2
#undef GPUOPT_BITS
#undef GPUOPT_VALUE
#undef GPUOPT_FUSED_SUM
#undef GPUOPT_BFLOAT
#undef GPUOPT_NAME
#undef GPUOPT_PAIR_OF_ONE
#undef GPUOPT_PAIR_OF_TWO

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)

#endif
