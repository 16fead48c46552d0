// 16-bit floating-point numbers as bits: conversions to and from single precision, rounding to nearest even.
#ifndef GPUOPT_EMU_HALF_H
#define GPUOPT_EMU_HALF_H

#include <math.h>
#include <string.h>

namespace gpuopt_emu {

static inline unsigned short half_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return (unsigned short)0x7fff;                 // not a number
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);       // rounds to infinity
  if (magnitude < 0x33000001) return (unsigned short)sign;                   // rounds to zero
  const int exponent = (int)(magnitude >> 23) - 127;
  const unsigned mantissa = (magnitude & 0x7fffff) | 0x800000;
  const int shift = exponent < -14 ? -exponent - 1 : 13;                     // subnormal numbers lose more bits
  const unsigned kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), tie = 1u << (shift - 1);
  unsigned result = exponent < -14 ? kept : (unsigned)(exponent + 15) << 10 | (kept & 0x3ff);
  result += rest > tie || (rest == tie && (kept & 1));
  return (unsigned short)(sign | result);
}

static inline float half_value(unsigned short half) {
  const unsigned sign = (unsigned)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * ((float)mantissa * 5.9604644775390625e-08f);
  const unsigned bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
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

// a + b, inexact sums with an odd last bit, for the same reason.
static inline double add_to_odd(double a, double b) {
  double sum = a + b;
  const double of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
  if (error == 0 || error != error || sum - sum != 0) return sum;
  unsigned long long bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if (!(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1;
  __builtin_memcpy(&sum, &bits, sizeof sum);
  return sum;
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
