// Sums of a tensor core, as an H200's mma instructions compute them, bit for bit.
//
// Floats: products are exact. The greatest exponent among a sum's terms (of a product: the factors' exponents added, whether or not
// its fraction is 2 or more; of c: its own) says what the last bit kept is worth, 2^-25 of that power; every term is cut there,
// toward zero, and the terms are added exactly. A float result is cut toward zero, a half is rounded to nearest even. Doubles are a
// chain of fused multiply-adds from c on, by rising k. Found with designed inputs (tests/conformance/exec_mma_sums.cu).
#ifndef GPUOPT_EMU_TENSOR_H
#define GPUOPT_EMU_TENSOR_H

#include "half.h"

namespace gpuopt_emu {
namespace tensor {

static inline unsigned long long bits_of(double v) {
  unsigned long long bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
}
static inline double of_bits(unsigned long long bits) {
  double v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
static inline float float_of_bits(unsigned bits) {
  float v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}

// A term's or factor's power of two; `least` is that of its type's subnormal numbers. Nothing for 0.
static inline double power(double v, double least) {
  const double p = of_bits(bits_of(v) & 0x7ff0000000000000ull);
  return v == 0 ? 0 : p < least ? least : p;
}
const double HALF_LEAST = 6.103515625e-05, FLOAT_LEAST = 1.1754943508222875e-38;

// c[n] += the sum over k of a[k] * b[k][n], with the powers of all of them; everything is finite.
template <int Kk, int Nn>
static inline __attribute__((always_inline)) void add_products(const double *a, const double *a_power, const double *b,
                                                               const double *b_power, double *c, double least) {
  double greatest[Nn], scale[Nn];
  for (int n = 0; n < Nn; ++n) greatest[n] = power(c[n], least);
  for (int k = 0; k < Kk; ++k)
    for (int n = 0; n < Nn; ++n) {
      const double p = a_power[k] * b_power[k * Nn + n];
      greatest[n] = greatest[n] > p ? greatest[n] : p;
    }
  for (int n = 0; n < Nn; ++n) scale[n] = greatest[n] > 0 ? 33554432.0 / greatest[n] : 0;  // 2^25
  for (int n = 0; n < Nn; ++n) c[n] = (double)(int)(c[n] * scale[n]);
  for (int k = 0; k < Kk; ++k)
    for (int n = 0; n < Nn; ++n) c[n] += (double)(int)(a[k] * b[k * Nn + n] * scale[n]);
  for (int n = 0; n < Nn; ++n) c[n] = c[n] * (1 / 33554432.0) * greatest[n];
}

static inline bool finite(double v) { return (bits_of(v) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull; }
template <int Count> static inline bool all_finite(const double *v) {
  double zero = 0;
  for (int i = 0; i < Count; ++i) zero += v[i] * 0.0;  // not a number, where one is not finite
  return zero == 0;
}
// The powers of factors; whether all are finite.
template <int Count> static inline bool powers(const double *v, double *power_of, double least) {
  for (int i = 0; i < Count; ++i) power_of[i] = power(v[i], least);
  return all_finite<Count>(v);
}

// What is not a sum of a tensor core's floats: doubles, and whole numbers.
static inline double add_product(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
template <class Sum> static inline Sum add_product(int a, int b, Sum sum) { return sum + a * b; }

// The same, where some of the numbers may not be finite.
template <int Kk, int Nn>
static inline __attribute__((noinline)) void add_any_products(const double *a, const double *a_power, const double *b,
                                                              const double *b_power, double *c, double least) {
  for (int n = 0; n < Nn; ++n) {
    double column[Kk], column_power[Kk], plain = c[n];
    for (int k = 0; k < Kk; ++k) {
      column[k] = b[k * Nn + n];
      column_power[k] = b_power[k * Nn + n];
      plain += a[k] * column[k];
    }
    if (finite(plain))
      add_products<Kk, 1>(a, a_power, column, column_power, &c[n], least);
    else
      c[n] = plain;
  }
}

// Cut toward zero, subnormal results too; what is too large becomes infinite.
static inline float cut(double v) {
  const unsigned long long bits = bits_of(v), magnitude = bits & ~(1ull << 63);
  const unsigned sign = (unsigned)(bits >> 32) & 0x80000000u;
  unsigned result;
  if (magnitude > 0x7ff0000000000000ull)
    return float_of_bits(0x7fffffff);
  else if (magnitude >= 0x47f0000000000000ull)
    result = 0x7f800000;
  else if (magnitude >= 0x3810000000000000ull)
    result = (unsigned)((magnitude - 0x3800000000000000ull) >> 29);
  else {
    const int shift = 926 - (int)(magnitude >> 52);  // to units of 2^-149
    result = shift > 53 ? 0 : (unsigned)(((magnitude & 0xfffffffffffffull) | 1ull << 52) >> shift);
  }
  return float_of_bits(sign | result);
}
// To the nearest half, by way of a float whose last bit tells of what lies below it.
static inline unsigned short nearest_half(double v) {
  if (v != v) return 0x7fff;
  float near = (float)v;
  const unsigned long long exact = bits_of(v) & ~(1ull << 63);
  if (exact >= 0x3810000000000000ull && exact < 0x47f0000000000000ull) {
    const unsigned odd = (unsigned)((exact & 0x1fffffffull) != 0);
    near = float_of_bits(((unsigned)(bits_of(v) >> 32) & 0x80000000u) | (unsigned)((exact - 0x3800000000000000ull) >> 29) | odd);
  }
  return half_bits(near);
}

}  // namespace tensor
}  // namespace gpuopt_emu

#endif
