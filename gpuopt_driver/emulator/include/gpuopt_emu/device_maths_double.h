// As device_maths.h, in double precision.
#ifndef GPUOPT_EMU_DEVICE_MATHS_DOUBLE_H
#define GPUOPT_EMU_DEVICE_MATHS_DOUBLE_H

#include "device_maths.h"
#include "early.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Dd) twice(Dd x) { return x + x; }

// e^x for what fits; `whole` is how often ln 2 goes into it, in its lower bits.
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Dd) power_series(Dd x, typename unit::Kinds<Dd>::Word &whole) {
  static const double a[] = {2.502232253650299e-08, 2.763090348817311e-07, 2.755751454588244e-06, 2.4801491039099165e-05,
                             0.00019841269589115497, 0.001388888894591638, 0.008333333333455043, 0.041666666666519754,
                             0.16666666666666477, 0.5000000000000012, 1.0, 1.0};
  const Dd shifted = fused(x, 1.4426950408889634, 6755399441055744.0), turns = shifted - 6755399441055744.0;
  whole = unit::bits(shifted);
  const Dd rest = fused(turns, -2.3190468138462996e-17, fused(turns, -0.6931471805599453, x));
  return polynomial(a, rest);
}
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Dd) scaled(Dd x, typename unit::Kinds<Dd>::Word exponent) {
  return unit::number(unit::bits(x) + (exponent << 52));
}
template <class Dd> static GPUOPT_EMU_TEMPLATE Dd exp_of_middle(Dd x) {  // between -708 and 709
  typename unit::Kinds<Dd>::Word whole = (uint64_t)0;
  const Dd series = power_series(x, whole);
  return scaled(series, whole);
}
static GPUOPT_EMU_QUICK double power_series(double x, int32_t &whole) {
  uint64_t bits;
  const double series = power_series(x, bits);
  whole = (int32_t)bits;
  return series;
}
static GPUOPT_EMU_QUICK double exp(double x) {
  int32_t whole;
  const double series = power_series(x, whole);
  const float size = fabsf(unit::number((uint32_t)(unit::bits(x) >> 32)));
  if (size < 4.191793f) return scaled(series, whole);
  if (!(size < 4.227539f)) return x < 0.0 ? 0.0 : x + INFINITY;
  const int32_t half = (whole + (int32_t)((uint32_t)whole >> 31)) >> 1;
  return scaled(series, half) * scaled(1.0, whole - half);
}

// A positive number as 2^exponent times one in [2/3, 4/3).
template <class Dd> struct DoubleParts {
  Dd rest, exponent;
};
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(DoubleParts<Dd>) parts_of_normal(Dd x, double less) {
  typedef typename unit::Kinds<Dd>::Word Word;
  const Word word = unit::bits(x), high = (word >> 32 & (uint64_t)0x000fffff) | (uint64_t)0x3ff00000;
  const Word upper = (Word((uint64_t)0x3ff6a09e) - high) >> 63;  // without a branch: numbers come as they may
  return DoubleParts<Dd>{unit::number((high - (upper << 20)) << 32 | (word & (uint64_t)0xffffffff)), unit::real((word >> 52) + upper) - less};
}
static GPUOPT_EMU_QUICK DoubleParts<double> parts(double x) {
  if (x < 2.2250738585072014e-308) return parts_of_normal(x * 1.8014398509481984e+16, 1077.0);
  return parts_of_normal(x, 1023.0);
}
// 2 * (rest - 1) / (rest + 1) and what is missing in it.
template <class Dd> struct Ratio {
  Dd value, error;
};
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ratio<Dd>) ratio_of(Dd rest) {
  const Dd f = rest - 1.0, sum = rest + 1.0, rough = unit::rcp_of_positive(sum);
  const Dd lack = fused(-sum, rough, 1.0), inverse = fused(fused(lack, lack, lack), rough, rough);
  const Dd product = f * inverse, value = fused(f, inverse, product);
  return Ratio<Dd>{value, inverse * fused(-value, f, twice(f - value))};
}
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Dd) logarithm_of(const DoubleParts<Dd> &p) {
  static const double a[] = {1.0263276909458365e-06, 4.036488625710656e-06, 1.8784407018835667e-05, 8.877807196497797e-05,
                             0.00043402779293201976, 0.0022321428567665586, 0.012500000000004514, 0.08333333333333331};
  const double ln_2 = 0.6931471805599453;
  const Ratio<Dd> r = ratio_of(p.rest);
  const Dd square = r.value * r.value;
  const Dd tail = fused(square * polynomial(a, square), r.value, r.error);
  const Dd sum = fused(p.exponent, ln_2, r.value);
  const Dd rest = tail - (fused(-p.exponent, ln_2, sum) - r.value);
  return sum + fused(p.exponent, 2.3190468138462996e-17, rest);
}
static GPUOPT_EMU_QUICK double log(double x) {
  if (x == 0.0) return -INFINITY;
  if (!(x > 0.0 && x < INFINITY)) return x == INFINITY ? x : unit::number(~(uint64_t)0 >> 1);
  return logarithm_of(parts(x));
}

// The logarithm of a positive number in two.
template <class Dd> struct Twofold {
  Dd high, low;
};
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Twofold<Dd>) twofold_logarithm_of(const DoubleParts<Dd> &p) {
  static const double a[] = {1.0109501899597673e-06, 4.043636205277137e-06, 1.8783065870784382e-05, 8.877820186630203e-05,
                             0.0004340277860504996, 0.002232142856960391, 0.012500000000001945};
  const double twelfth = 0.08333333333333333, ln_2 = 0.6931471805599453;
  const Ratio<Dd> r = ratio_of(p.rest);
  const Dd v = r.value, square = v * v, series = polynomial(a, square);
  const Dd c = fused(square, series, twelfth);
  const Dd c_low = (fused(square, series, twelfth - c) + 0.0) + -2.4550373211645616e-18;
  const Dd c_sum = c + c_low, c_rest = c_low + (c - c_sum);
  const Dd square_low = fused(v, twice(r.error), fused(v, v, -square));
  const Dd cube = square * v;
  const Dd cube_low = fused(square_low, v, fused(square, r.error, fused(square, v, -cube)));
  const Dd part = c_sum * cube;
  const Dd part_low = fused(c_rest, cube, fused(c_sum, cube_low, fused(c_sum, cube, -part)));
  const Dd tail = part + part_low, tail_low = part_low + (part - tail);
  const Dd first = v + tail, first_low = r.error + (tail_low + (tail + (v - first)));
  const Dd log_1 = first + first_low, log_1_low = first_low + (first - log_1);
  const Dd sum = fused(p.exponent, ln_2, log_1);
  const Dd sum_low = fused(p.exponent, 2.3190468138462996e-17, log_1_low - (fused(-p.exponent, ln_2, sum) - log_1));
  const Dd high = sum + sum_low;
  return Twofold<Dd>{high, sum_low + (sum - high)};
}
// What |x|^y is the exponential of.
template <class Dd> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Twofold<Dd>) exponent_of(const Twofold<Dd> &logarithm, Dd y) {
  const Dd product = logarithm.high * y, product_low = fused(logarithm.low, y, fused(logarithm.high, y, -product));
  const Dd exponent = product + product_low;
  return Twofold<Dd>{exponent, product_low + (product - exponent)};
}
static inline __attribute__((noinline)) GPUOPT_EMU_DEVICE double power(double x, double y) {
  const uint64_t word = unit::bits(y);
  if (word >> 32 << 33 > 0xfdffffff00000000ull) y = unit::number(word & (uint64_t)0xff0fffffffffffff);
  const Twofold<double> exponent = exponent_of(twofold_logarithm_of(parts(x)), y);
  const double result = exp(exponent.high);
  return fabs(result) == INFINITY ? result : fused(result, exponent.low, result);
}
static GPUOPT_EMU_QUICK double pow(double x, double y) {
  const double size = fabs(x), half = y * 0.5;
  const bool whole = trunc(y) == y, odd = whole && fabs(y) < 9007199254740992.0 && trunc(half) != half;
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
  if (!(fabs(x) < 2147483648.0)) return far_angle(x);
  const double turns = (double)(int)__builtin_rint(x * 0.6366197723675814);
  return {fused(-turns, 8.478427660368898e-32, fused(-turns, 6.123233995736757e-17, fused(-turns, 1.5707963267948966, x))), (int)turns};
}
static GPUOPT_EMU_QUICK double wave(double x, int quadrant) {
  static const double a[2][7] = {
      {1.5903078570611027e-10, -2.5050911383645487e-08, 2.755731498463003e-06, -0.0001984126983447703, 0.008333333333329349, -0.16666666666666663, 0.0},
      {-1.1367817304626284e-11, 2.08758833785978e-09, -2.7557315542999557e-07, 2.4801587293618683e-05, -0.0013888888888880667, 0.04166666666666664, -0.5}};
  const uint64_t odd = quadrant & 1, mask = 0 - odd;
  const double square = x * x, series = polynomial(a[odd], square);
  const uint64_t factor = (unit::bits(x) & ~mask) | (unit::bits(square) & mask), last = (unit::bits(x) & ~mask) | (unit::bits(1.0) & mask);
  const double result = fused(series, unit::number(factor), unit::number(last));
  return unit::number(unit::bits(result) ^ (uint64_t)(quadrant & 2) << 62);
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
