// As device_maths.h, in double precision.
#ifndef GPUOPT_EMU_DEVICE_MATHS_DOUBLE_H
#define GPUOPT_EMU_DEVICE_MATHS_DOUBLE_H

#include "device_maths.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK double twice(double x) { return x + x; }

// e^x for what fits; `whole` is how often ln 2 goes into it.
static GPUOPT_EMU_QUICK double power_series(double x, int32_t &whole) {
  static const double a[] = {0x1.ade1569ce2bdfp-26, 0x1.28af3fca213eap-22, 0x1.71dee62401315p-19, 0x1.a01997c89eb71p-16,
                             0x1.a01a014761f65p-13, 0x1.6c16c1852b7afp-10, 0x1.1111111122322p-7, 0x1.55555555502a1p-5,
                             0x1.5555555555511p-3, 0x1.000000000000bp-1, 1.0, 1.0};
  const double shifted = fused(x, 0x1.71547652b82fep+0, 0x1.8p+52), turns = shifted - 0x1.8p+52;
  whole = (int32_t)unit::bits(shifted);
  const double rest = fused(turns, -0x1.abc9e3b39803fp-56, fused(turns, -0x1.62e42fefa39efp-1, x));
  return polynomial(a, rest);
}
static GPUOPT_EMU_QUICK double scaled(double x, int32_t exponent) {
  return unit::number(unit::bits(x) + ((uint64_t)(uint32_t)exponent << 52));
}
static GPUOPT_EMU_QUICK double exp(double x) {
  int32_t whole;
  const double series = power_series(x, whole);
  const float size = fabsf(unit::number((uint32_t)(unit::bits(x) >> 32)));
  if (size < 0x1.0c4656p+2f) return scaled(series, whole);
  if (!(size < 0x1.0e9p+2f)) return x < 0.0 ? 0.0 : x + INFINITY;
  const int32_t half = (whole + (int32_t)((uint32_t)whole >> 31)) >> 1;
  return scaled(series, half) * scaled(1.0, whole - half);
}

// A positive number as 2^exponent times one in [2/3, 4/3).
struct DoubleParts {
  double rest, exponent;
};
static GPUOPT_EMU_QUICK DoubleParts parts(double x) {
  int32_t exponent = -1023;
  if (x < 0x1p-1022) x *= 0x1p+54, exponent = -1077;
  const uint64_t word = unit::bits(x);
  uint32_t high = (uint32_t)(word >> 32);
  exponent += (int32_t)(high >> 20);
  high = (high & 0x800fffffu) | 0x3ff00000u;
  if (high >= 0x3ff6a09fu) high -= 0x100000u, ++exponent;
  return {unit::number((uint64_t)high << 32 | (uint32_t)word), (double)exponent};
}
// 2 * (rest - 1) / (rest + 1) and what is missing in it.
struct Ratio {
  double value, error;
};
static GPUOPT_EMU_QUICK Ratio ratio_of(double rest) {
  const double f = rest - 1.0, sum = rest + 1.0, rough = unit::rcp(sum);
  const double lack = fused(-sum, rough, 1.0), inverse = fused(fused(lack, lack, lack), rough, rough);
  const double product = f * inverse, value = fused(f, inverse, product);
  return {value, inverse * fused(-value, f, twice(f - value))};
}
static GPUOPT_EMU_QUICK double log(double x) {
  static const double a[] = {0x1.1380b3ae80f1ep-20, 0x1.0ee258b7a8b04p-18, 0x1.3b2669f02676fp-16, 0x1.745cba9ab0956p-14,
                             0x1.c71c72d1b5154p-12, 0x1.24924923be72dp-9, 0x1.999999999a3c4p-7, 0x1.5555555555554p-4};
  const double ln_2 = 0x1.62e42fefa39efp-1;
  if (x == 0.0) return -INFINITY;
  if (!(x > 0.0 && x < INFINITY)) return x == INFINITY ? x : unit::number(~(uint64_t)0 >> 1);
  const DoubleParts p = parts(x);
  const Ratio r = ratio_of(p.rest);
  const double square = r.value * r.value;
  const double tail = fused(square * polynomial(a, square), r.value, r.error);
  const double sum = fused(p.exponent, ln_2, r.value);
  const double rest = tail - (fused(-p.exponent, ln_2, sum) - r.value);
  return sum + fused(p.exponent, 0x1.abc9e3b39803fp-56, rest);
}

// |x|^y, the logarithm in two numbers.
static inline __attribute__((noinline)) GPUOPT_EMU_DEVICE double power(double x, double y) {
  static const double a[] = {0x1.0f5ff7d2cafe2p-20, 0x1.0f5d241ad3b5ap-18, 0x1.3b20a75488a3fp-16, 0x1.745cde4faecd5p-14,
                             0x1.c71c7258a578bp-12, 0x1.249249242b910p-9, 0x1.9999999999dfbp-7};
  const double twelfth = 0x1.5555555555555p-4, ln_2 = 0x1.62e42fefa39efp-1;
  const DoubleParts p = parts(x);
  const Ratio r = ratio_of(p.rest);
  const double v = r.value, square = v * v, series = polynomial(a, square);
  const double c = fused(square, series, twelfth);
  const double c_low = (fused(square, series, twelfth - c) + 0.0) + -0x1.6a4cb00b9e7b0p-59;
  const double c_sum = c + c_low, c_rest = c_low + (c - c_sum);
  const double square_low = fused(v, twice(r.error), fused(v, v, -square));
  const double cube = square * v;
  const double cube_low = fused(square_low, v, fused(square, r.error, fused(square, v, -cube)));
  const double part = c_sum * cube;
  const double part_low = fused(c_rest, cube, fused(c_sum, cube_low, fused(c_sum, cube, -part)));
  const double tail = part + part_low, tail_low = part_low + (part - tail);
  const double first = v + tail, first_low = r.error + (tail_low + (tail + (v - first)));
  const double log_1 = first + first_low, log_1_low = first_low + (first - log_1);
  const double sum = fused(p.exponent, ln_2, log_1);
  const double sum_low = fused(p.exponent, 0x1.abc9e3b39803fp-56, log_1_low - (fused(-p.exponent, ln_2, sum) - log_1));
  const double high = sum + sum_low, low = sum_low + (sum - high);
  const uint64_t word = unit::bits(y);
  if (word >> 32 << 33 > 0xfdffffff00000000ull) y = unit::number(word & (uint64_t)0xff0fffffffffffff);
  const double product = high * y, product_low = fused(low, y, fused(high, y, -product));
  const double exponent = product + product_low, rest = product_low + (product - exponent);
  const double result = exp(exponent);
  return fabs(result) == INFINITY ? result : fused(result, rest, result);
}
static GPUOPT_EMU_QUICK double pow(double x, double y) {
  const double size = fabs(x), half = y * 0.5;
  const bool whole = trunc(y) == y, odd = whole && fabs(y) < 0x1p+53 && trunc(half) != half;
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return x + y;
  if (x == 0.0 || size == INFINITY) {
    const double result = (x == 0.0) == (y < 0.0) ? INFINITY : 0.0;
    return odd ? copysign(result, x) : result;
  }
  if (fabs(y) == INFINITY) return x == -1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  const double result = power(size, y);
  if (x > 0.0) return result;
  return !whole ? unit::number((uint64_t)0xfff8000000000000) : odd ? -result : result;
}

struct DoubleAngle {
  double rest;
  int quadrant;
};
static inline __attribute__((noinline)) DoubleAngle far_angle(double x) {
  static const uint64_t digits[] = {
      0x6bfb5fb11f8d5d08u, 0x3d0739f78a5292eau, 0x7527bac7ebe5f17bu, 0x4f463f669e5fea2du, 0x6d367ecf27cb09b7u, 0xef2f118b5a0a6d1fu,
      0x1ff897ffde05980fu, 0x9c845f8bbdf9283bu, 0x3991d639835339f4u, 0xe99c7026b45f7e41u, 0xe88235f52ebb4484u, 0xfe1deb1cb129a73eu,
      0x06492eea09d1921cu, 0xb7246e3a424dd2e0u, 0xfe5163abdebbc561u, 0xdb6295993c439041u, 0xfc2757d1f534ddc0u, 0xa2f9836e4e441529u};
  const uint64_t word = unit::bits(x), mantissa = word << 11 | (uint64_t)1 << 63;
  const int exponent = (int)(word >> 52 & 2047) - 1024, from = 15 - (exponent >> 6), shift = exponent & 63;
  uint64_t product[5] = {0, 0, 0, 0, 0};
  unsigned __int128 carry = 0;
  const int to = from + 4 < 18 ? from + 4 : 18;
  for (int i = from; i < to; ++i) {
    carry = (unsigned __int128)digits[i] * mantissa + (uint64_t)(carry >> 64);
    product[i - from] = (uint64_t)carry;
  }
  product[to - from] = (uint64_t)(carry >> 64);
  uint64_t high = product[3], low = product[2];
  if (shift) {
    high = high << shift | low >> (64 - shift);
    low = low << shift | product[1] >> (64 - shift);
  }
  const bool negative = word >> 63, beyond = high >> 61 & 1;
  const int quadrant = (int)(high >> 62) + beyond;
  unsigned __int128 fraction = ((unsigned __int128)high << 64 | low) << 2;
  if (beyond) fraction = 0 - fraction;
  uint64_t top = (uint64_t)(fraction >> 64);
  uint64_t zeros = top ? (uint64_t)__builtin_clzll(top) : 64;
  if (zeros) top = (uint64_t)(fraction << zeros >> 64);
  unsigned __int128 scaled_up = (unsigned __int128)top * 0xc90fdaa22168c235u;
  if ((int64_t)(uint64_t)(scaled_up >> 64) > 0) scaled_up += scaled_up, ++zeros;
  top = (uint64_t)(scaled_up >> 64);
  const uint64_t result = (0x3fe0000000000000u - (zeros << 52)) + ((((top + 1) >> 10) + 1) >> 1);
  return {unit::number(result | (uint64_t)(beyond != negative) << 63), negative ? -quadrant : quadrant};
}
static GPUOPT_EMU_QUICK DoubleAngle angle(double x) {
  if (!(fabs(x) < INFINITY)) return {unit::number(~(uint64_t)0 >> 1), 0};
  if (!(fabs(x) < 0x1p+31)) return far_angle(x);
  const double turns = __builtin_rint(x * 0x1.45f306dc9c883p-1);
  return {fused(-turns, 0x1.b839a252049c0p-104, fused(-turns, 0x1.1a62633145c00p-54, fused(-turns, 0x1.921fb54442d18p+0, x))), (int)turns};
}
static GPUOPT_EMU_QUICK double wave(double x, int quadrant) {
  static const double a[2][7] = {
      {0x1.5db65f9785ebap-33, -0x1.ae5f12cb0d246p-26, 0x1.71de369ace392p-19, -0x1.a01a019db62a1p-13, 0x1.1111111110818p-7, -0x1.5555555555554p-3, 0.0},
      {-0x1.8ff8320fd8164p-37, 0x1.1eea7c1ef8528p-29, -0x1.27e4f8e06e6d9p-22, 0x1.a01a019ddbce9p-16, -0x1.6c16c16c15d47p-10, 0x1.5555555555551p-5, -0.5}};
  const bool odd = quadrant & 1;
  const double square = x * x, series = polynomial(a[odd], square);
  const double result = odd ? fused(series, square, 1.0) : fused(series, x, x);
  return quadrant & 2 ? fused(result, -1.0, 0.0) : result;
}
static GPUOPT_EMU_QUICK double sin(double x) {
  const DoubleAngle a = angle(x);
  return wave(a.rest, a.quadrant);
}
static GPUOPT_EMU_QUICK double cos(double x) {
  const DoubleAngle a = angle(x);
  return wave(a.rest, a.quadrant + 1);
}

static GPUOPT_EMU_QUICK double rsqrt(double x) { return 1.0 / sqrt(x); }

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
