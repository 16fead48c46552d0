// 16-bit floating-point numbers as bits: conversions to and from single precision, rounding to nearest even.
#ifndef GPUOPT_EMU_HALF_H
#define GPUOPT_EMU_HALF_H

#include <math.h>
#include <string.h>

#include "conversions.h"
#include "early.h"

namespace gpuopt_emu {

// Written as choices between values, without branches and shifts by variable numbers, so that loops of conversions become vectors.
static inline unsigned short half_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // The last bit of 0.5f is a subnormal half's, so the sum is rounded where the half has to be.
  float sum;
  __builtin_memcpy(&sum, &magnitude, sizeof sum);
  sum += 0.5f;
  unsigned small;
  __builtin_memcpy(&small, &sum, sizeof small);
  small -= 0x3f000000;
  const unsigned normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  const unsigned finite = magnitude < 0x38800000 ? small : magnitude < 0x477ff000 ? normal : 0x7c00;
  return (unsigned short)(magnitude > 0x7f800000 ? 0x7fff : sign | finite);
}

static inline float half_value(unsigned short half) {
  const unsigned sign = (unsigned)(half & 0x8000) << 16, magnitude = half & 0x7fff;
  const float fraction = (float)(int)magnitude * 5.9604644775390625e-08f;  // of a subnormal one
  unsigned small;
  __builtin_memcpy(&small, &fraction, sizeof small);
  const unsigned large = (magnitude << 13) + (magnitude < 0x7c00 ? 0x38000000 : 0x70000000);
  const unsigned bits = sign | (magnitude < 0x400 ? small : large);
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static inline unsigned short bfloat_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return (unsigned short)0x7fff;  // not a number
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float bfloat_value(unsigned short bfloat) {
  const unsigned bits = (unsigned)bfloat << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// A whole number in double precision, so that rounding it once more to 16 bits gives what rounding it once would: what is beyond
// 52 digits becomes one.
template <class T> static inline double wholly(T v) {
  if (sizeof(T) < 8) return (double)v;
  const unsigned long long size = v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, cut_off = size & 4095;
  const double kept = (double)(size < 1ull << 53 ? size : (size - cut_off) | (cut_off ? 4096 : 0));
  return v < 0 ? -kept : kept;
}

// A double in single precision, so that rounding it once more to 16 bits gives what rounding it once would: where it is
// not exact, the last bit becomes odd.
static inline float to_odd(double value) {
  float result = (float)value;
  if ((double)result == value || value != value || result - result != 0) return result;
  unsigned bits;
  __builtin_memcpy(&bits, &result, sizeof bits);
  if (!(bits & 1)) bits += (fabs((double)result) < fabs(value)) ? 1 : -1;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

// What is lost in a sum of a and b, exactly.
template <class T> static inline GPUOPT_EMU_EARLY(T) lost_in(T sum, T a, T b) {
  const T of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// a * b + c, inexact sums with an odd last bit, to be rounded once to 16 bits. A product of two halves is exact in single
// precision, also what its sum with a third loses (all are whole multiples of 2^-48 below 2^33).
static inline float half_fused(float a, float b, float c) {
  const float product = a * b, sum = product + c;
  const float lost = lost_in(sum, product, c);  // not a number where the sum is none or infinite
  int bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  bits += (lost < 0 || lost > 0) && !(bits & 1) ? ((lost > 0) == (sum > 0) ? 1 : -1) : 0;
  float odd;
  __builtin_memcpy(&odd, &bits, sizeof odd);
  return odd;
}
// bfloat16 has a float's exponents: their products need those of double.
static inline double bfloat_fused(float a, float b, float c) {
  const double product = (double)a * (double)b;
  const double sum = product + (double)c;
  const double lost = lost_in(sum, product, (double)c);  // not a number where the sum is none or infinite
  long long bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  bits += (lost < 0 || lost > 0) && !(bits & 1) ? ((lost > 0) == (sum > 0) ? 1 : -1) : 0;
  double odd;
  __builtin_memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// From rounding to nearest to another direction: -1 down, 1 up, 2 to zero.
static inline unsigned short rounded_bits(double exact, unsigned short nearest, float (*value)(unsigned short), int direction) {
  const double got = (double)value(nearest);
  if (direction == 0 || exact != exact || got == exact || exact - exact != 0) return nearest;
  const bool negative = exact < 0, too_far = negative ? got < exact : got > exact;  // from zero
  const bool outwards = direction == 2 ? false : (direction > 0) != negative;
  if (outwards == too_far) return nearest;
  return (unsigned short)(outwards ? ((nearest & 0x7fff) ? nearest + 1 : (negative ? 0x8001 : 1)) : nearest - 1);
}

}  // namespace gpuopt_emu

#endif
