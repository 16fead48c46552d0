// Numbers of eight bits: four exponent bits and three of the fraction (448 is the largest, no infinity), or five and two.
// Stored only: they are converted to compute with them. The scales of CUDA 12.8, __nv_fp8_e8m0, are not there.
#ifndef GPUOPT_CUDA_FP8_H
#define GPUOPT_CUDA_FP8_H
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include <math.h>
#include <string.h>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace gpuopt_emu {

// Bits is the whole number of a floating-point number's size, kept the bits of its fraction and zero_exponent that of 1. Adding
// shift, whose last bit is that of the smallest eight-bit numbers, rounds these. No branches: loops of this become vectors.
template <class Bits, int kept, int zero_exponent, class T>
static inline unsigned char fp8_rounded(T value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const int fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15, largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  const int sign_at = sizeof(Bits) * 8 - 8, lost = kept - fraction;
  Bits bits, sum_bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const Bits size = bits & ~((Bits)0x80 << sign_at), infinite = (Bits)(2 * zero_exponent + 1) << kept;
  const Bits shift_bits = (Bits)(zero_exponent + lost + 1 - bias) << kept;
  T sum, shift;
  __builtin_memcpy(&sum, &size, sizeof sum);
  __builtin_memcpy(&shift, &shift_bits, sizeof shift);
  sum += shift;
  __builtin_memcpy(&sum_bits, &sum, sizeof sum_bits);
  const int small = (int)(sum_bits - shift_bits);
  const int normal = (int)((size + (((Bits)1 << (lost - 1)) - 1) + (size >> lost & 1)) >> lost) - ((zero_exponent - bias) << fraction);
  const int code = size < (Bits)(zero_exponent + 1 - bias) << kept ? small : normal;  // carries go into the exponent
  const int beyond = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
  return (unsigned char)(size > infinite ? 0x7f : (int)(bits >> sign_at & 0x80) | (code > largest ? beyond : code));
}
static inline unsigned char fp8_bits(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return fp8_rounded<unsigned, 23, 127>(value, saturate, kind);
}
// From double precision, what is not a number keeps its sign and, where there is room, the fraction's first bits.
static inline unsigned char fp8_bits_of_double(double value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  if (value == value) return fp8_rounded<unsigned long long, 52, 1023>(value, saturate, kind);
  unsigned long long bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return (unsigned char)((bits >> 63) << 7 | (kind == __NV_E4M3 ? 0x7f : 0x7c | (bits >> 50 & 3)));
}
static inline float fp8_value(unsigned char bits, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return half_value((unsigned short)((bits & 0x7f) > 0x7c ? 0x7fff : bits << 8));
  const unsigned sign = (unsigned)(bits & 0x80) << 24, magnitude = bits & 0x7f;
  const float fraction = (float)(int)magnitude * 0.001953125f;  // of a subnormal one
  unsigned small;
  __builtin_memcpy(&small, &fraction, sizeof small);
  const unsigned number = sign | (magnitude < 8 ? small : (magnitude << 20) + 0x3c000000);
  const unsigned value_bits = magnitude == 0x7f ? 0x7fffe000 : number;
  float value;
  __builtin_memcpy(&value, &value_bits, sizeof value);
  return value;
}
static inline unsigned short fp8_half(unsigned char bits, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return (unsigned short)((bits & 0x7f) > 0x7c ? 0x7fff : bits << 8);
  return half_bits(fp8_value(bits, kind));
}
// A whole number of type T: towards zero, the nearest there is, none for what is not a number.
template <class T> static inline T fp8_whole(float value) {
  const bool is_signed = (T)-1 < (T)0;
  const T low = is_signed ? (T)((unsigned long long)1 << (sizeof(T) * 8 - 1)) : (T)0, high = (T)~low;
  if (value != value) return 0;
  return value <= (float)low ? low : value >= (float)high ? high : (T)value;
}
static inline unsigned short two_bytes(unsigned char low, unsigned char high) { return (unsigned short)(low | high << 8); }

}  // namespace gpuopt_emu

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::fp8_bits_of_double(x, s, k);
}
static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::fp8_bits(x, s, k);
}
static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::fp8_bits(gpuopt_emu::half_value(x.x), s, k);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::fp8_bits(gpuopt_emu::bfloat_value(x.x), s, k);
}
static inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::two_bytes(gpuopt_emu::fp8_bits_of_double(x.x, s, k), gpuopt_emu::fp8_bits_of_double(x.y, s, k));
}
static inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return gpuopt_emu::two_bytes(gpuopt_emu::fp8_bits(x.x, s, k), gpuopt_emu::fp8_bits(x.y, s, k));
}
static inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_float2_to_fp8x2(float2{gpuopt_emu::half_value(x.x), gpuopt_emu::half_value(x.y)}, s, k);
}
static inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t s,
                                                                  __nv_fp8_interpretation_t k) {
  return __nv_cvt_float2_to_fp8x2(float2{gpuopt_emu::bfloat_value(x.x), gpuopt_emu::bfloat_value(x.y)}, s, k);
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k) {
  __half_raw result;
  result.x = gpuopt_emu::fp8_half(x, k);
  return result;
}
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
  __half2_raw result;
  result.x = gpuopt_emu::fp8_half((unsigned char)x, k);
  result.y = gpuopt_emu::fp8_half((unsigned char)(x >> 8), k);
  return result;
}

#define GPUOPT_FP8(name, kind)                                                                                            \
  struct name {                                                                                                           \
    __nv_fp8_storage_t __x;                                                                                               \
    name() = default;                                                                                                     \
    explicit name(__half f) : __x(gpuopt_emu::fp8_bits((float)f, __NV_SATFINITE, kind)) {}                                \
    explicit name(__nv_bfloat16 f) : __x(gpuopt_emu::fp8_bits((float)f, __NV_SATFINITE, kind)) {}                         \
    explicit name(float f) : __x(gpuopt_emu::fp8_bits(f, __NV_SATFINITE, kind)) {}                                        \
    explicit name(double f) : __x(gpuopt_emu::fp8_bits_of_double(f, __NV_SATFINITE, kind)) {}                                       \
    explicit name(short v) : name((float)v) {}                                                                            \
    explicit name(unsigned short v) : name((float)v) {}                                                                   \
    explicit name(int v) : name((float)v) {}                                                                              \
    explicit name(unsigned v) : name((float)v) {}                                                                         \
    explicit name(long v) : name((float)v) {}                                                                             \
    explicit name(unsigned long v) : name((float)v) {}                                                                    \
    explicit name(long long v) : name((float)v) {}                                                                        \
    explicit name(unsigned long long v) : name((float)v) {}                                                               \
    explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }                               \
    explicit operator float() const { return gpuopt_emu::fp8_value(__x, kind); }                                          \
    explicit operator double() const { return gpuopt_emu::fp8_value(__x, kind); }                                         \
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(gpuopt_emu::fp8_value(__x, kind)); }                   \
    explicit operator unsigned char() const { return gpuopt_emu::fp8_whole<unsigned char>((float)*this); }                \
    explicit operator signed char() const { return gpuopt_emu::fp8_whole<signed char>((float)*this); }                    \
    explicit operator char() const { return gpuopt_emu::fp8_whole<char>((float)*this); }                                  \
    explicit operator unsigned short() const { return gpuopt_emu::fp8_whole<unsigned short>((float)*this); }              \
    explicit operator short() const { return gpuopt_emu::fp8_whole<short>((float)*this); }                                \
    explicit operator unsigned() const { return gpuopt_emu::fp8_whole<unsigned>((float)*this); }                          \
    explicit operator int() const { return gpuopt_emu::fp8_whole<int>((float)*this); }                                    \
    explicit operator unsigned long() const { return gpuopt_emu::fp8_whole<unsigned long>((float)*this); }                \
    explicit operator long() const { return gpuopt_emu::fp8_whole<long>((float)*this); }                                  \
    explicit operator unsigned long long() const { return gpuopt_emu::fp8_whole<unsigned long long>((float)*this); }      \
    explicit operator long long() const { return gpuopt_emu::fp8_whole<long long>((float)*this); }                        \
    explicit operator bool() const { return (__x & 0x7f) != 0; }                                                          \
  }
GPUOPT_FP8(__nv_fp8_e4m3, __NV_E4M3);
GPUOPT_FP8(__nv_fp8_e5m2, __NV_E5M2);
#undef GPUOPT_FP8

#define GPUOPT_FP8_PAIR(name, kind)                                                                                       \
  struct __attribute__((aligned(2))) name {                                                                               \
    __nv_fp8x2_storage_t __x;                                                                                             \
    name() = default;                                                                                                     \
    explicit name(__half2 f) : name(float2{(float)f.x, (float)f.y}) {}                                                    \
    explicit name(__nv_bfloat162 f) : name(float2{(float)f.x, (float)f.y}) {}                                             \
    explicit name(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {}                                   \
    explicit name(double2 f) : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, kind)) {}                                 \
    explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }                          \
    explicit operator float2() const {                                                                                    \
      return float2{gpuopt_emu::fp8_value((unsigned char)__x, kind), gpuopt_emu::fp8_value((unsigned char)(__x >> 8), kind)}; \
    }                                                                                                                     \
  }
GPUOPT_FP8_PAIR(__nv_fp8x2_e4m3, __NV_E4M3);
GPUOPT_FP8_PAIR(__nv_fp8x2_e5m2, __NV_E5M2);
#undef GPUOPT_FP8_PAIR

#define GPUOPT_FP8_FOUR(name, pair, kind)                                                                                 \
  struct __attribute__((aligned(4))) name {                                                                               \
    __nv_fp8x4_storage_t __x;                                                                                             \
    name() = default;                                                                                                     \
    explicit name(__half2 low, __half2 high) : __x(pair(low).__x | (unsigned)pair(high).__x << 16) {}                     \
    explicit name(__nv_bfloat162 low, __nv_bfloat162 high) : __x(pair(low).__x | (unsigned)pair(high).__x << 16) {}       \
    explicit name(float4 f) : __x(pair(float2{f.x, f.y}).__x | (unsigned)pair(float2{f.z, f.w}).__x << 16) {}             \
    explicit name(double4 f) : __x(pair(double2{f.x, f.y}).__x | (unsigned)pair(double2{f.z, f.w}).__x << 16) {}          \
    explicit operator float4() const {                                                                                    \
      pair low, high;                                                                                                     \
      low.__x = (unsigned short)__x;                                                                                      \
      high.__x = (unsigned short)(__x >> 16);                                                                             \
      const float2 a = (float2)low, b = (float2)high;                                                                     \
      return float4{a.x, a.y, b.x, b.y};                                                                                  \
    }                                                                                                                     \
  }
GPUOPT_FP8_FOUR(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3);
GPUOPT_FP8_FOUR(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2);
#undef GPUOPT_FP8_FOUR

#endif
