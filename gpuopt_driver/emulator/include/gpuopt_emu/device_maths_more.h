// As device_maths.h: inverse and hyperbolic functions, roots, the error function.
#ifndef GPUOPT_EMU_DEVICE_MATHS_MORE_H
#define GPUOPT_EMU_DEVICE_MATHS_MORE_H

#include "device_maths.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK float atan(float x) {
  static const float a[] = {0.002450029f, -0.0143969795f, 0.03984975f, -0.07252975f, 0.1051848f, -0.14171803f, 0.19988775f, -0.3333294f};
  const float size = fabsf(x), near = size > 1.0f ? unit::rcp(size) : size, square = near * near;
  float result = fused(square * polynomial(a, square), near, near);
  if (size > 1.0f) result = fused(0.93318945f, 1.6832556f, -result);
  return size <= INFINITY ? copysignf(result, x) : unit::no_number();
}
// The root of (1 - size) / 2.
static GPUOPT_EMU_QUICK float half_root(float size) {
  const float square = fused(0.5f, -size, 0.5f), inverse = unit::rsq(square), root = square * inverse;
  return size == 1.0f ? 0.0f : fused(root, fused(-root, inverse * 0.5f, 0.5f), root);
}
static GPUOPT_EMU_QUICK float asin(float x) {
  static const float a[] = {0.05025002f, 0.01877336f, 0.046769053f, 0.074823014f, 0.16667181f};
  const float size = fabsf(x);
  const bool far = size > 0.56f;
  const float near = far ? half_root(size) : size, square = near * near;
  const float part = fused(square * polynomial(a, square), near, near);
  const float result = far ? fused(0.93318945f, 1.6832556f, part * -2.0f) : part;
  return result <= INFINITY ? copysignf(result, x) : unit::no_number();
}
static GPUOPT_EMU_QUICK float acos(float x) {
  static const float a[] = {0.035382207f, 0.01698052f, 0.030762933f, 0.044709418f, 0.07498904f, 0.16666707f};
  const bool far = fabsf(x) > 0.56f;
  const float near = copysignf(far ? half_root(fabsf(x)) : fabsf(x), x), square = near * near;
  const float part = fused(square * polynomial(a, square), near, near);
  const float result = x > 0.56f ? part : fused(0.93318945f, 1.6832556f, far ? part : -part);
  return far ? result + result : result;
}
static GPUOPT_EMU_QUICK float cbrt(float x) {
  const float size = fabsf(x), inverse = unit::ex2(unit::lg2_approx(size) * -0.6666667f), root = size * inverse;
  const float result = fused(root, fused(root, -(inverse * root), 1.0f) * 0.33333334f, root);
  return x + x == x ? x + x : x < 0.0f ? -result : result;
}
static GPUOPT_EMU_QUICK float erf(float x) {
  static const float a[] = {0.000112198715f, -0.0013275252f, 0.008396535f, -0.040246584f, 0.15950431f, 0.9129177f, 0.62906003f};
  static const float b[] = {8.4834945e-05f, -0.00082130916f, 0.005213489f, -0.026868774f, 0.11284005f, -0.37612665f, 0.12837915f};
  const float size = fabsf(x);
  if (!(size >= 1.00296f)) return fused(polynomial(b, x * x), x, x);
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
  float whole = truncf(size * 1.442695f);
  if (fabsf(whole) > 126.0f) whole = copysignf(126.0f, whole);
  const float rest = fused(whole, 1.9046542e-09f, fused(whole, -0.6931472f, size));
  return unit::ex2(rest * 1.442695f) * unit::number(unit::bits(whole + 12583037.0f) << 23);
}
static GPUOPT_EMU_QUICK float sinh(float x) {
  static const float a[] = {2.816951e-06f, 0.0001983616f, 0.00833335f, 0.16666667f};
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
