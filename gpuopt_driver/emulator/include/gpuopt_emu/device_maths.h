// The mathematical functions of device code in the steps that NVIDIA's device library takes, so that results are a GPU's
// bit for bit; emulator/device_maths.py gives calls in device code these names. Fused and single roundings are as written
// here: a product that other than sums use is never fused, by host compilers and nvcc alike.
#ifndef GPUOPT_EMU_DEVICE_MATHS_H
#define GPUOPT_EMU_DEVICE_MATHS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "early.h"
#include "maths.h"
#include "special_function_unit.h"
#include "target.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static GPUOPT_EMU_QUICK double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

static GPUOPT_EMU_QUICK float size_of(float x) { return __builtin_fabsf(x); }
static GPUOPT_EMU_QUICK double size_of(double x) { return __builtin_fabs(x); }
static GPUOPT_EMU_QUICK float rounded(float x) { return __builtin_rintf(x); }
// x * y, exactly, without its fraction.
static GPUOPT_EMU_QUICK int32_t whole_product(float x, float y) { return (int32_t)((double)x * (double)y); }

// a[0] * x^(n-1) + ... + a[n-1]. Templates here are for one number and for packs of them (packs.h).
template <int Nn, class Cc, class T> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(T) polynomial(const Cc (&a)[Nn], T x) {
  T sum = a[0];
  for (int i = 1; i < Nn; ++i) sum = fused(sum, x, a[i]);
  return sum;
}

// 2^(x * (high + low)): x * rough is x / 252 times the logarithm, so that its whole part comes out of a clamped product.
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) power_of(Ff x, float rough, float high, float low) {
  using unit::choose;
  typedef typename unit::Kinds<Ff>::Word Word;
  typedef typename unit::Kinds<Ff>::Whole Whole;
  Ff part = fused(x, rough, 0.5f);
  part = choose(part > 0.0f, choose(part < 1.0f, part, Ff(1.0f)), Ff(0.0f));
  const Whole whole = whole_product(part, 252.0f);
  const Ff turns = unit::real(whole - 126);
  const Ff rest = fused(x, low, fused(x, high, -turns));
  return unit::ex2(rest, true) * unit::number(Word(whole + 1) << 23);
}
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) exp_of(Ff x) { return power_of(x, 0.00572498f, 1.442695f, 1.925963e-08f); }
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) exp10_of(Ff x) { return power_of(x, 0.0131822545f, 3.321928f, 7.059537e-08f); }
static GPUOPT_EMU_QUICK float exp(float x) { return exp_of(x); }
static GPUOPT_EMU_QUICK float exp10(float x) { return exp10_of(x); }
static GPUOPT_EMU_QUICK float rsqrt(float x) { return unit::rsqrt_approx(x); }
static GPUOPT_EMU_QUICK float exp2(float x) { return unit::ex2_approx(x); }

// A positive number as 2^e times one near 1; `middle` is what its bits are compared with.
template <class Ff> struct Parts {
  Ff number, exponent, rest;
};
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Parts<Ff>) parts(Ff x, uint32_t middle, float scale, float correction) {
  using unit::choose;
  typedef typename unit::Kinds<Ff>::Word Word;
  typedef typename unit::Kinds<Ff>::Whole Whole;
  const auto tiny = x < 1.1754944e-38f;
  const Ff number = choose(tiny, x * scale, x);
  const Word bits = unit::bits(number), exponent = (bits - middle) & 0xff800000u;
  return Parts<Ff>{number, fused(unit::real(Whole(exponent)), 1.1920929e-07f, choose(tiny, Ff(correction), Ff(0.0f))), unit::number(bits - exponent)};
}
static GPUOPT_EMU_QUICK float logarithm_of(const Parts<float> &p, float result) {
  if (unit::bits(p.number) >= 0x7f800000u) result = fused(p.number, INFINITY, INFINITY);
  return p.number == 0.0f ? -INFINITY : result;
}
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) natural(const Parts<Ff> &p) {
  static const float a[] = {-0.13018857f, 0.1408461f, -0.12148628f, 0.1398061f, -0.16684236f,
                            0.200123f, -0.24999669f, 0.33333182f, -0.5f};
  const Ff f = p.rest - 1.0f, product = f * polynomial(a, f);
  return fused(p.exponent, 0.6931472f, fused(product, f, f));
}
static GPUOPT_EMU_QUICK float log(float x) {
  const Parts<float> p = parts(x, 0x3f2aaaabu, 8388608.0f, -23.0f);
  return logarithm_of(p, natural(p));
}
static GPUOPT_EMU_QUICK float log10(float x) {
  const Parts<float> p = parts(x, 0x3f2aaaabu, 8388608.0f, -23.0f);
  float result = natural(p);
  if (unit::bits(p.number) >= 0x7f800000u) result = fused(p.number, INFINITY, INFINITY);
  return p.number == 0.0f ? -INFINITY : result * 0.4342945f;
}
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) binary(const Parts<Ff> &p) {
  static const float a[] = {0.09702014f, -0.16845393f, 0.1716887f, -0.17900948f, 0.20512372f,
                            -0.24046533f, 0.28857115f, -0.36067417f, 0.4808982f, -0.7213475f};
  const Ff f = p.rest - 1.0f, square = f * (f * polynomial(a, f));
  return p.exponent + fused(f, 1.442695f, square);
}
static GPUOPT_EMU_QUICK float log2(float x) {
  const Parts<float> p = parts(x, 0x3f3504f3u, 8388608.0f, -23.0f);
  return logarithm_of(p, binary(p));
}

// x - quadrant * pi/2, for large x with as many digits of 2/pi as it takes.
struct Angle {
  float rest;
  int quadrant;
};
static inline __attribute__((noinline)) Angle far_angle(float x) {
  static const uint32_t digits[] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u, 0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
  if (!(x - x == 0.0f)) return {x * 0.0f, 0};
  const uint32_t word = unit::bits(x), mantissa = word << 8 | 0x80000000u, exponent = (word >> 23 & 255) - 128;
  uint32_t product[7];
  uint64_t carry = 0;
  for (int i = 0; i < 6; ++i) product[i] = (uint32_t)(carry = (uint64_t)digits[i] * mantissa + (carry >> 32));
  product[6] = (uint32_t)(carry >> 32);
  const int at = 6 - (int)(exponent >> 5), shift = exponent & 31;
  uint32_t high = product[at], low = product[at - 1];
  if (shift) {
    high = high << shift | low >> (32 - shift);
    low = low << shift | product[at - 2] >> (32 - shift);
  }
  const bool negative = word >> 31, beyond = high >> 29 & 1;
  const int quadrant = (int)(high >> 30) + beyond;
  uint64_t fraction = ((uint64_t)high << 32 | low) << 2;
  if (beyond) fraction = ~fraction;
  const float rest = (float)((double)(int64_t)fraction * 8.515303950216387e-20);
  return {beyond != negative ? -rest : rest, negative ? -quadrant : quadrant};
}
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) near_angle(Ff x, Ff turns) {
  return fused(turns, -5.390303e-15f, fused(turns, -7.5497894e-08f, fused(turns, -1.5707963f, x)));
}
static GPUOPT_EMU_QUICK Angle angle(float x) {
  if (!(size_of(x) < 105615.0f)) return far_angle(x);
  const float turns = (float)(int)rounded(x * 0.63661975f);
  return {near_angle(x, turns), (int)turns};
}
// Without branches: quadrants come as they may.
static GPUOPT_EMU_QUICK float either(uint32_t odd, float a, float b) {
  const float both[] = {a, b};
  return both[odd];
}
template <class Ff, class Whole> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) wave(Ff x, Whole quadrant) {
  typedef typename unit::Kinds<Ff>::Word Word;
  const Word odd = Word(quadrant) & 1, mask = Word(0u) - odd;
  const Ff square = x * x, first = unit::number((unit::bits(x) & ~mask) | (mask & 0x3f800000u));
  Ff sum = fused(unit::number(mask & 0x37cbac00u), square, either(odd, -0.00019574659f, -0.001388786f));
  sum = fused(fused(sum, square, either(odd, 0.008332703f, 0.041666728f)), square, either(odd, -0.16666663f, -0.49999997f));
  const Ff result = fused(sum, fused(square, first, 0.0f), first);
  return unit::number(unit::bits(result) ^ (Word(quadrant) & 2) << 30);
}
static GPUOPT_EMU_QUICK float sin(float x) {
  const Angle a = angle(x);
  return wave(a.rest, a.quadrant);
}
static GPUOPT_EMU_QUICK float cos(float x) {
  const Angle a = angle(x);
  return wave(a.rest, a.quadrant + 1);
}
static GPUOPT_EMU_QUICK float tan(float x) {
  static const float c[] = {0.009338379f, 0.0032653809f, 0.024291992f, 0.053466797f, 0.13337791f, 0.3333323f};
  const Angle a = angle(x);
  const float square = a.rest * a.rest, cube = square * a.rest;
  const float near = fabsf(a.rest) == 0.00049096695f ? a.rest : fused(polynomial(c, square), cube, a.rest);
  return a.quadrant & 1 ? unit::rcp(-near) : near;
}
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) tanh_of(Ff x) {
  using unit::choose;
  static const float a[] = {0.015739683f, -0.052303962f, 0.13315298f, -0.33332768f, 0.0f};
  const Ff size = size_of(x);
  const Ff far = fused(unit::rcp(unit::ex2(size * 2.88539f, true) + 1.0f), -2.0f, 1.0f);
  const Ff near = fused(polynomial(a, x * x), x, x), bounded = choose(size >= 9.010914f, Ff(1.0f), far);
  return choose(size >= 0.6f, unit::number(unit::bits(bounded) | (unit::bits(x) & 0x80000000u)), near);
}
static GPUOPT_EMU_QUICK float tanh(float x) { return tanh_of(x); }

// |x|^y as 2^(y * log2 |x|), the logarithm in two numbers.
template <class Ff> static GPUOPT_EMU_TEMPLATE GPUOPT_EMU_EARLY(Ff) power(Ff x, Ff y) {
  using unit::choose;
  typedef typename unit::Kinds<Ff>::Word Word;
  typedef typename unit::Kinds<Ff>::Whole Whole;
  static const float a[] = {0.00065688626f, 0.0032181654f, 0.018033719f, 0.12022459f};
  static const float b[] = {0.00015239252f, 0.0013391353f, 0.009618839f, 0.05550359f, 0.24022645f, 0.6931472f, 1.0f};
  const float log2_e = 1.442695f;
  const Parts<Ff> p = parts(x, 0x3f3504f3u, 16777216.0f, -24.0f);
  const Ff f = p.rest - 1.0f, inverse = unit::rcp(p.rest + 1.0f), ratio = (f + f) * inverse, square = ratio * ratio;
  const Ff error = inverse * fused(-ratio, f, (f - ratio) * 2.0f);
  const Ff tail = polynomial(a, square) * square;
  const Ff high = fused(ratio, log2_e, p.exponent);
  Ff low = fused(error, log2_e, fused(ratio, log2_e, p.exponent - high));
  low = fused(tail, ratio, fused(tail * 3.0f, error, fused(ratio, 1.9251367e-08f, low)));
  const Ff sum = high + low, rest = low - (sum - high);
  const Ff product = sum * y, nearest = rounded(product);
  const Ff fraction = fused(rest, y, fused(sum, y, -product)) + (product - nearest);
  const Whole turns = unit::whole(choose(nearest > 152.0f, Ff(152.0f), choose(nearest < -152.0f, Ff(-152.0f), nearest)));
  const Word half = choose(turns > 0, Word(0u), Word(0x83000000u));
  const Ff result = polynomial(b, fraction) * unit::number(half + 0x7f000000u) * unit::number((Word(turns) << 23) - half);
  return choose(size_of(product) > 152.0f, choose(product < 0.0f, Ff(0.0f), Ff(INFINITY)), result);
}
static GPUOPT_EMU_QUICK float pow(float x, float y) {
  const float size = fabsf(x);
  const bool odd = fabsf(y - 2.0f * truncf(y * 0.5f)) == 1.0f;
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  if (x == 0.0f || size == INFINITY) {
    uint32_t word = unit::bits(x + x) ^ (y < 0.0f ? 0x7f800000u : 0u);
    return unit::number(odd ? word : word & 0x7fffffffu);
  }
  if (x == -1.0f && fabsf(y) == INFINITY) return 1.0f;
  const float result = power(size, y);
  if (x >= 0.0f) return result;
  return floorf(y) != y ? unit::number(0x7fffffffu) : odd ? -result : result;
}

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
