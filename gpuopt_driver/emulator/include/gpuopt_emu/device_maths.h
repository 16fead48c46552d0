// The mathematical functions of device code in the steps that NVIDIA's device library takes, so that results are a GPU's
// bit for bit; emulator/device_maths.py gives calls in device code these names. Fused and single roundings are as written
// here: a product that other than sums use is never fused, by host compilers and nvcc alike.
#ifndef GPUOPT_EMU_DEVICE_MATHS_H
#define GPUOPT_EMU_DEVICE_MATHS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "maths.h"
#include "special_function_unit.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static GPUOPT_EMU_QUICK double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// a[0] * x^(n-1) + ... + a[n-1]
template <int Nn, class T> static GPUOPT_EMU_QUICK T polynomial(const T (&a)[Nn], T x) {
  T sum = a[0];
  for (int i = 1; i < Nn; ++i) sum = fused(sum, x, a[i]);
  return sum;
}

// 2^(x * (high + low)): x * rough is x / 252 times the logarithm, so that its whole part comes out of a clamped product.
static GPUOPT_EMU_QUICK float power_of(float x, float rough, float high, float low) {
  float part = fused(x, rough, 0.5f);
  part = part > 0.0f ? (part < 1.0f ? part : 1.0f) : 0.0f;
  const int whole = (int)((double)part * 252.0);
  const float turns = (float)(whole - 126);
  const float rest = fused(x, low, fused(x, high, -turns));
  return unit::ex2(rest) * unit::number((uint32_t)(whole + 1) << 23);
}
static GPUOPT_EMU_QUICK float exp(float x) { return power_of(x, 0x1.77313ap-8f, 0x1.715476p+0f, 0x1.4ae0c0p-26f); }
static GPUOPT_EMU_QUICK float exp10(float x) { return power_of(x, 0x1.aff4c4p-7f, 0x1.a934fp+1f, 0x1.2f346ep-24f); }
static GPUOPT_EMU_QUICK float rsqrt(float x) { return unit::rsqrt_approx(x); }
static GPUOPT_EMU_QUICK float exp2(float x) { return unit::ex2_approx(x); }

// A positive number as 2^e times one near 1; `middle` is what its bits are compared with.
struct Parts {
  float number, exponent, rest;
};
static GPUOPT_EMU_QUICK Parts parts(float x, uint32_t middle, float scale, float correction) {
  const bool tiny = x < 0x1p-126f;
  const float number = tiny ? x * scale : x;
  const uint32_t bits = unit::bits(number), exponent = (bits - middle) & 0xff800000u;
  return {number, fused((float)(int32_t)exponent, 0x1p-23f, tiny ? correction : 0.0f), unit::number(bits - exponent)};
}
static GPUOPT_EMU_QUICK float logarithm_of(const Parts &p, float result) {
  if (unit::bits(p.number) >= 0x7f800000u) result = fused(p.number, INFINITY, INFINITY);
  return p.number == 0.0f ? -INFINITY : result;
}
static GPUOPT_EMU_QUICK float natural(const Parts &p) {
  static const float a[] = {-0x1.0aa04ep-3f, 0x1.2073ecp-3f, -0x1.f19b98p-4f, 0x1.1e52aap-3f, -0x1.55b172p-3f,
                            0x1.99da16p-3f, -0x1.fffe44p-3f, 0x1.5554fp-2f, -0.5f};
  const float f = p.rest - 1.0f, product = f * polynomial(a, f);
  return fused(p.exponent, 0x1.62e43p-1f, fused(product, f, f));
}
static GPUOPT_EMU_QUICK float log(float x) {
  const Parts p = parts(x, 0x3f2aaaabu, 0x1p+23f, -23.0f);
  return logarithm_of(p, natural(p));
}
static GPUOPT_EMU_QUICK float log10(float x) {
  const Parts p = parts(x, 0x3f2aaaabu, 0x1p+23f, -23.0f);
  float result = natural(p);
  if (unit::bits(p.number) >= 0x7f800000u) result = fused(p.number, INFINITY, INFINITY);
  return p.number == 0.0f ? -INFINITY : result * 0x1.bcb7b2p-2f;
}
static GPUOPT_EMU_QUICK float log2(float x) {
  static const float a[] = {0x1.8d64fep-4f, -0x1.58fe6p-3f, 0x1.5f9e54p-3f, -0x1.6e9c86p-3f, 0x1.a417e8p-3f,
                            -0x1.ec7916p-3f, 0x1.277f32p-2f, -0x1.715492p-2f, 0x1.ec7094p-2f, -0x1.715476p-1f};
  const Parts p = parts(x, 0x3f3504f3u, 0x1p+23f, -23.0f);
  const float f = p.rest - 1.0f, square = f * (f * polynomial(a, f));
  return logarithm_of(p, p.exponent + fused(f, 0x1.715476p+0f, square));
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
  const float rest = (float)((double)(int64_t)fraction * 0x1.921fb54442d19p-64);
  return {beyond != negative ? -rest : rest, negative ? -quadrant : quadrant};
}
static GPUOPT_EMU_QUICK Angle angle(float x) {
  const float size = fabsf(x);
  if (!(size < 0x1.9c8fp+16f)) return far_angle(x);
  const float turns = __builtin_rintf(x * 0x1.45f306p-1f);
  return {fused(turns, -0x1.84698ap-48f, fused(turns, -0x1.4442dp-24f, fused(turns, -0x1.921fb4p+0f, x))), (int)turns};
}
static GPUOPT_EMU_QUICK float wave(float x, int quadrant) {
  const bool odd = quadrant & 1;
  const float square = x * x, first = odd ? 1.0f : x;
  float sum = odd ? fused(0x1.9758p-16f, square, -0x1.6c0fdap-10f) : -0x1.9a82a6p-13f;
  sum = fused(sum, square, odd ? 0x1.555576p-5f : 0x1.110bc8p-7f);
  sum = fused(sum, square, odd ? -0x1.fffffep-2f : -0x1.55555p-3f);
  const float result = fused(sum, fused(square, first, 0.0f), first);
  return quadrant & 2 ? fused(result, -1.0f, 0.0f) : result;
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
  static const float c[] = {0x1.32p-7f, 0x1.acp-9f, 0x1.8ep-6f, 0x1.b6p-5f, 0x1.112870p-3f, 0x1.55551p-2f};
  const Angle a = angle(x);
  const float square = a.rest * a.rest, cube = square * a.rest;
  const float near = fabsf(a.rest) == 0x1.016878p-11f ? a.rest : fused(polynomial(c, square), cube, a.rest);
  return a.quadrant & 1 ? unit::rcp(-near) : near;
}
static GPUOPT_EMU_QUICK float tanh(float x) {
  static const float a[] = {0x1.01e104p-6f, -0x1.ac795cp-5f, 0x1.10b282p-3f, -0x1.5553dap-2f, 0.0f};
  const float size = fabsf(x);
  const float far = fused(unit::rcp(unit::ex2(size * 0x1.715476p+1f) + 1.0f), -2.0f, 1.0f);
  const float near = fused(polynomial(a, x * x), x, x);
  return size >= 0x1.333334p-1f ? copysignf(size >= 0x1.205968p+3f ? 1.0f : far, x) : near;
}

// |x|^y as 2^(y * log2 |x|), the logarithm in two numbers.
static GPUOPT_EMU_QUICK float power(float x, float y) {
  static const float a[] = {0x1.5865c8p-11f, 0x1.a5cfb6p-9f, 0x1.2776e6p-6f, 0x1.ec709ep-4f};
  static const float b[] = {0x1.3f971cp-13f, 0x1.5f0bdap-10f, 0x1.3b30acp-7f, 0x1.c6af76p-5f, 0x1.ebfbd8p-3f, 0x1.62e43p-1f, 1.0f};
  const float log2_e = 0x1.715476p+0f;
  const Parts p = parts(x, 0x3f3504f3u, 0x1p+24f, -24.0f);
  const float f = p.rest - 1.0f, inverse = unit::rcp(p.rest + 1.0f), ratio = (f + f) * inverse, square = ratio * ratio;
  const float error = inverse * fused(-ratio, f, 2.0f * (f - ratio));
  const float tail = polynomial(a, square) * square;
  const float high = fused(ratio, log2_e, p.exponent);
  float low = fused(error, log2_e, fused(ratio, log2_e, p.exponent - high));
  low = fused(tail, ratio, fused(tail * 3.0f, error, fused(ratio, 0x1.4abc68p-26f, low)));
  const float sum = high + low, rest = low - (sum - high);
  const float product = sum * y, whole = __builtin_rintf(product);
  const float fraction = fused(rest, y, fused(sum, y, -product)) + (product - whole);
  const int turns = whole > 152.0f ? 152 : whole < -152.0f ? -152 : (int)whole;
  const int32_t half = turns > 0 ? 0 : (int32_t)0x83000000u;
  const float result = polynomial(b, fraction) * unit::number((uint32_t)half + 0x7f000000u) * unit::number(((uint32_t)turns << 23) - (uint32_t)half);
  return fabsf(product) > 152.0f ? (product < 0.0f ? 0.0f : INFINITY) : result;
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
