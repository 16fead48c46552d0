// bfloat16: stored in 16 bits, computed in wider precision and rounded.
#ifndef GPUOPT_CUDA_BF16_H
#define GPUOPT_CUDA_BF16_H
#define __CUDA_BF16_TYPES_EXIST__

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"
#include "gpuopt_emu/half.h"

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;  // the name that NVIDIA's C++ libraries know
  __nv_bfloat16() = default;
  __nv_bfloat16(float v) : __x(gpuopt_emu::bfloat_bits(v)) {}
  __nv_bfloat16(double v) : __x(gpuopt_emu::bfloat_bits(gpuopt_emu::to_odd(v))) {}
  __nv_bfloat16(short v) : __nv_bfloat16((float)v) {}
  __nv_bfloat16(unsigned short v) : __nv_bfloat16((float)v) {}
  __nv_bfloat16(int v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(unsigned v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(long v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(unsigned long v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(long long v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(unsigned long long v) : __nv_bfloat16((double)v) {}
  __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  static __nv_bfloat16 from_bits(unsigned short bits) {
    __nv_bfloat16 h;
    h.__x = bits;
    return h;
  }
  operator float() const { return gpuopt_emu::bfloat_value(__x); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
  __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16::from_bits(raw.x)), y(__nv_bfloat16::from_bits(raw.y)) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define GPUOPT_H __nv_bfloat16
#define GPUOPT_H2 __nv_bfloat162
#define GPUOPT_BITS gpuopt_emu::bfloat_bits
#define GPUOPT_VALUE gpuopt_emu::bfloat_value
#define GPUOPT_NAME(before, after) before##bfloat16##after
#define GPUOPT_PAIR_OF_ONE __bfloat162bfloat162
#define GPUOPT_PAIR_OF_TWO __halves2bfloat162
#include "gpuopt_emu/sixteen.h"
#undef GPUOPT_H
#undef GPUOPT_H2
#undef GPUOPT_BITS
#undef GPUOPT_VALUE
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
