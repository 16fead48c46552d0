// bfloat16: stored in 16 bits, computed in wider precision and rounded.
#ifndef GPUOPT_CUDA_BF16_H
#define GPUOPT_CUDA_BF16_H
#define __CUDA_BF16_TYPES_EXIST__

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"
#include "gpuopt_emu/half.h"

#define GPUOPT_RAW __nv_bfloat16_raw
#define GPUOPT_RAW2 __nv_bfloat162_raw
#define GPUOPT_H __nv_bfloat16
#define GPUOPT_H2 __nv_bfloat162
#define GPUOPT_BITS gpuopt_emu::bfloat_bits
#define GPUOPT_VALUE gpuopt_emu::bfloat_value
#define GPUOPT_FUSED_SUM gpuopt_emu::bfloat_fused
#define GPUOPT_BFLOAT 1
#include "gpuopt_emu/sixteen_types.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define GPUOPT_NAME(before, after) before##bfloat16##after
#define GPUOPT_PAIR_OF_ONE __bfloat162bfloat162
#define GPUOPT_PAIR_OF_TWO __halves2bfloat162
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

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#endif
