// As device_maths.h: inverse and hyperbolic functions, roots, the error function.
#ifndef GPUOPT_EMU_DEVICE_MATHS_MORE_H
#define GPUOPT_EMU_DEVICE_MATHS_MORE_H

#include "device_maths.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK float atan(float x) {
  static const float a[] = {0x1.412154p-9f, -0x1.d7c29ep-7f, 0x1.4672fcp-5f, -0x1.2914f4p-4f, 0x1.aed642p-4f, -0x1.223d1p-3f, 0x1.995ecp-3f, -0x1.55544ep-2f};
  const float size = fabsf(x), near = size > 1.0f ? unit::rcp(size) : size, square = near * near;
  float result = fused(square * polynomial(a, square), near, near);
  if (size > 1.0f) result = fused(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, -result);
  return size <= INFINITY ? copysignf(result, x) : unit::no_number();
}
// The root of (1 - size) / 2.
static GPUOPT_EMU_QUICK float half_root(float size) {
  const float square = fused(0.5f, -size, 0.5f), inverse = unit::rsq(square), root = square * inverse;
  return size == 1.0f ? 0.0f : fused(root, fused(-root, inverse * 0.5f, 0.5f), root);
}
static GPUOPT_EMU_QUICK float asin(float x) {
  static const float a[] = {0x1.9ba5eep-5f, 0x1.33952ep-6f, 0x1.7f21dp-5f, 0x1.32799ep-4f, 0x1.555808p-3f};
  const float size = fabsf(x);
  const bool far = size > 0x1.1eb852p-1f;
  const float near = far ? half_root(size) : size, square = near * near;
  const float part = fused(square * polynomial(a, square), near, near);
  const float result = far ? fused(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, part * -2.0f) : part;
  return result <= INFINITY ? copysignf(result, x) : unit::no_number();
}
static GPUOPT_EMU_QUICK float acos(float x) {
  static const float a[] = {0x1.21d9dep-5f, 0x1.163576p-6f, 0x1.f80518p-6f, 0x1.6e4272p-5f, 0x1.3327b6p-4f, 0x1.55558cp-3f};
  const bool far = fabsf(x) > 0x1.1eb852p-1f;
  const float near = copysignf(far ? half_root(fabsf(x)) : fabsf(x), x), square = near * near;
  const float part = fused(square * polynomial(a, square), near, near);
  const float result = x > 0x1.1eb852p-1f ? part : fused(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, far ? part : -part);
  return far ? result + result : result;
}
static GPUOPT_EMU_QUICK float cbrt(float x) {
  const float size = fabsf(x), inverse = unit::ex2(unit::lg2_approx(size) * -0x1.555556p-1f), root = size * inverse;
  const float result = fused(root, fused(root, -(inverse * root), 1.0f) * 0x1.555556p-2f, root);
  return x + x == x ? x + x : x < 0.0f ? -result : result;
}
static GPUOPT_EMU_QUICK float erf(float x) {
  static const float a[] = {0x1.d69874p-14f, -0x1.5c00b6p-10f, 0x1.13233ep-7f, -0x1.49b334p-5f, 0x1.46aa32p-3f, 0x1.d369f2p-1f, 0x1.421428p-1f};
  static const float b[] = {0x1.63d2d4p-14f, -0x1.ae9a4p-11f, 0x1.55abd4p-8f, -0x1.b837cep-6f, 0x1.ce315ep-4f, -0x1.812758p-2f, 0x1.06eba6p-3f};
  const float size = fabsf(x);
  if (!(size >= 0x1.00c1fcp+0f)) return fused(polynomial(b, x * x), x, x);
  return copysignf(1.0f - unit::ex2(fused(polynomial(a, size), -size, -size)), x);
}
static GPUOPT_EMU_QUICK float hypot(float x, float y) {
  const uint32_t a = unit::bits(fabsf(x)), b = unit::bits(fabsf(y)), low = a < b ? a : b, high = a < b ? b : a;
  const uint32_t exponent = high & 0xfe000000u;
  const float scale = unit::number(2122317824u - exponent), less = unit::number(low) * scale, more = unit::number(high) * scale;
  const float square = less * less, result = sqrtf(fused(more, more, square)) * unit::number(exponent | 8388608u);
  return low == 0x7f800000u || (low < 0x7f800000u && high == 0x7f800000u) ? INFINITY : low == 0 ? unit::number(high) : result;
}
// 2^127 / 4 and less times e^size, and e^size / 4 for what fits.
static GPUOPT_EMU_QUICK float quarter_power(float size) {
  float whole = truncf(size * 0x1.715476p+0f);
  if (fabsf(whole) > 126.0f) whole = copysignf(126.0f, whole);
  const float rest = fused(whole, 0x1.05c61p-29f, fused(whole, -0x1.62e43p-1f, size));
  return unit::ex2(rest * 0x1.715476p+0f) * unit::number(unit::bits(whole + 0x1.8000fap+23f) << 23);
}
static GPUOPT_EMU_QUICK float sinh(float x) {
  static const float a[] = {0x1.7a15b4p-19f, 0x1.9ffe92p-13f, 0x1.111134p-7f, 0x1.555556p-3f};
  const float size = fabsf(x), power = quarter_power(size), square = x * x;
  const float far = fused(2.0f, power, unit::rcp(power) * -0.125f);
  return size >= 1.0f ? copysignf(far, x) : fused(square * polynomial(a, square), x, x);
}
static GPUOPT_EMU_QUICK float cosh(float x) {
  const float power = quarter_power(fabsf(x));
  return fused(2.0f, power, unit::rcp(power) * 0.125f);
}

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
