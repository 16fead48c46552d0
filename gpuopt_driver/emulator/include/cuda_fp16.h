// Half precision: stored in 16 bits, computed in single precision and rounded to nearest even.
#ifndef GPUOPT_CUDA_FP16_H
#define GPUOPT_CUDA_FP16_H

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"
#include "gpuopt_emu/half.h"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

struct __half {
  unsigned short bits;
  __half() = default;
  __half(float v) : bits(gpuopt_emu::half_bits(v)) {}
  __half(double v) : bits(gpuopt_emu::half_bits((float)v)) {}
  __half(int v) : bits(gpuopt_emu::half_bits((float)v)) {}
  __half(unsigned v) : bits(gpuopt_emu::half_bits((float)v)) {}
  __half(long long v) : bits(gpuopt_emu::half_bits((float)v)) {}
  __half(unsigned long long v) : bits(gpuopt_emu::half_bits((float)v)) {}
  __half(const __half_raw &raw) : bits(raw.x) {}
  operator float() const { return gpuopt_emu::half_value(bits); }
  operator __half_raw() const { return __half_raw{bits}; }
  __half &operator+=(__half o) { return *this = __half((float)*this + (float)o); }
  __half &operator-=(__half o) { return *this = __half((float)*this - (float)o); }
  __half &operator*=(__half o) { return *this = __half((float)*this * (float)o); }
  __half &operator/=(__half o) { return *this = __half((float)*this / (float)o); }
};
typedef __half half;
typedef __half nv_half;
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 nv_half2;

static inline __half __float2half(float v) { return __half(v); }
static inline __half __float2half_rn(float v) { return __half(v); }
static inline __half __double2half(double v) { return __half(v); }
static inline float __half2float(__half v) { return v; }
static inline __half __int2half_rn(int v) { return __half(v); }
static inline int __half2int_rz(__half v) { return __float2int_rz(v); }
static inline int __half2int_rn(__half v) { return __float2int_rn(v); }
static inline unsigned short __half_as_ushort(__half v) { return v.bits; }
static inline short __half_as_short(__half v) { return (short)v.bits; }
static inline __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
static inline __half __short_as_half(short v) { return __half(__half_raw{(unsigned short)v}); }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static inline __half2 __half2half2(__half a) { return __half2(a, a); }
static inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return v.x; }
static inline float __high2float(__half2 v) { return v.y; }
static inline float2 __half22float2(__half2 v) { return make_float2(v.x, v.y); }
static inline __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }

#define GPUOPT_HALF(name, operation)                                                                       \
  static inline __half name(__half a, __half b) { return __half((float)a operation (float)b); }            \
  static inline __half operator operation(const __half &a, const __half &b) { return name(a, b); }         \
  static inline __half2 name##2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }  \
  static inline __half2 operator operation(const __half2 &a, const __half2 &b) { return name##2(a, b); }
GPUOPT_HALF(__hadd, +)
GPUOPT_HALF(__hsub, -)
GPUOPT_HALF(__hmul, *)
GPUOPT_HALF(__hdiv, /)
#undef GPUOPT_HALF
// The product of two halves is exact in single precision, so only the sum is rounded twice.
static inline __half __hfma(__half a, __half b, __half c) { return __half(fmaf(a, b, c)); }
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
static inline __half __hneg(__half a) { return __ushort_as_half((unsigned short)(a.bits ^ 0x8000)); }
static inline __half __habs(__half a) { return __ushort_as_half((unsigned short)(a.bits & 0x7fff)); }
static inline __half2 __h2div(__half2 a, __half2 b) { return __hdiv2(a, b); }
static inline __half operator-(const __half &a) { return __hneg(a); }

#define GPUOPT_HALF(name, operation)                                                                  \
  static inline bool name(__half a, __half b) { return (float)a operation (float)b; }                 \
  static inline bool operator operation(const __half &a, const __half &b) { return name(a, b); }
GPUOPT_HALF(__heq, ==)
GPUOPT_HALF(__hne, !=)
GPUOPT_HALF(__hlt, <)
GPUOPT_HALF(__hle, <=)
GPUOPT_HALF(__hgt, >)
GPUOPT_HALF(__hge, >=)
#undef GPUOPT_HALF
static inline bool __hisnan(__half a) { return (a.bits & 0x7fff) > 0x7c00; }
static inline __half __hmin(__half a, __half b) { return __half(fminf(a, b)); }
static inline __half __hmax(__half a, __half b) { return __half(fmaxf(a, b)); }

#define GPUOPT_HALF(name, function)                                     \
  static inline __half name(__half a) { return __half(function((float)a)); }
GPUOPT_HALF(hsqrt, sqrtf)
GPUOPT_HALF(hrsqrt, rsqrtf)
GPUOPT_HALF(hrcp, 1.0f /)
GPUOPT_HALF(hexp, expf)
GPUOPT_HALF(hexp2, exp2f)
GPUOPT_HALF(hlog, logf)
GPUOPT_HALF(hlog2, log2f)
GPUOPT_HALF(hsin, sinf)
GPUOPT_HALF(hcos, cosf)
GPUOPT_HALF(hceil, ceilf)
GPUOPT_HALF(hfloor, floorf)
GPUOPT_HALF(htrunc, truncf)
GPUOPT_HALF(hrint, rintf)
#undef GPUOPT_HALF

static inline __half atomicAdd(__half *address, __half value) {
  return gpuopt_emu::atomically(address, [value](__half old) { return old + value; });
}

#endif
