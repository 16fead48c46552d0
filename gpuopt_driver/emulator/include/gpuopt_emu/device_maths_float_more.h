// As device_maths.h: the other functions in single precision but Bessel's.
#ifndef GPUOPT_EMU_DEVICE_MATHS_FLOAT_MORE_H
#define GPUOPT_EMU_DEVICE_MATHS_FLOAT_MORE_H

#include "conversions.h"
#include "device_maths_more.h"
#include "plain_value.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK float expm1(float x) {
  static const float a[] = {0.0013879507f, 0.008382413f, 0.04166783f, 0.16666397f, 0.49999994f};
  const float turns = fabsf(x) < 0.41f ? 0.0f : __builtin_rintf(x * 1.442695f);
  const float rest = fused(-turns, 1.4286068e-06f, fused(-turns, 0.69314575f, x));
  const bool top = turns == 128.0f;
  const float whole = top ? turns - 1.0f : turns, scale = unit::ex2_approx(whole);
  const float result = fused(fused(rest * polynomial(a, rest), rest, rest), scale, scale - 1.0f);
  if (x == 0.0f) return x + x;
  return whole < -25.0f ? -1.0f : whole > 128.0f ? INFINITY : top ? result + result : result;
}
// x + 1, rounded towards zero.
static GPUOPT_EMU_QUICK float one_more(float x) {
  const double exact = (double)x + 1.0;
  const float near = (float)exact;
  return fabs((double)near) > fabs(exact) ? unit::number(unit::bits(near) - 1) : near;
}
static GPUOPT_EMU_QUICK float log1p(float x) {
  static const float a[] = {-0.045348614f, 0.105468884f, -0.13229704f, 0.14491446f, -0.16641565f, 0.19988868f, -0.25000197f, 0.3333351f,
                            -0.5f};
  const uint32_t word = unit::bits(x), exponent = (unit::bits(one_more(x)) - 0x3f400000u) & 0xff800000u;
  const float f = fused(0.25f, unit::number(0x40800000u - exponent), -1.0f) + unit::number(word - exponent);
  const float result = fused((float)(int32_t)exponent * 1.1920929e-07f, 0.6931472f, fused(f * polynomial(a, f), f, f));
  if (word < 0x7f800000u) return result;
  if ((int32_t)word >= -1082130431) return fused(x, INFINITY, INFINITY);
  return x == 0.0f ? -0.0f : result;
}

// The wave of pi * rest, in that quarter of a turn.
static GPUOPT_EMU_QUICK float half_turns(float rest, int quarter) {
  static const float a[] = {0.22686031f, -1.3345604f, 4.0586925f, -4.934802f, 1.0f};
  static const float b[] = {-0.59248024f, 2.5501442f, -5.16772f};
  const float square = rest * rest;
  const float sine = fused(3.1415927f, rest, fused(polynomial(b, square), fused(square, rest, 0.0f), 0.0f));
  const float result = quarter & 1 ? polynomial(a, square) : sine;
  return quarter & 2 ? 0.0f - result : result;
}
static GPUOPT_EMU_QUICK float sinpi(float x) {
  const float halves = __builtin_rintf(x + x);
  return truncf(x) == x || x - x != 0.0f ? x * 0.0f : half_turns(fused(-halves, 0.5f, x), saturated<int>(halves));
}
static GPUOPT_EMU_QUICK float cospi(float x) {
  if (!(fabsf(x) <= 16777216.0f)) x *= 0.0f;
  const float halves = __builtin_rintf(x + x);
  return half_turns(fused(-halves, 0.5f, x), saturated<int>(halves) + 1);
}
static GPUOPT_EMU_QUICK float atan2(float y, float x) {
  static const float a[] = {0.0027380611f, -0.015681878f, 0.04220075f, -0.07479298f, 0.106404155f, -0.14207722f, 0.19993925f, -0.33333197f};
  const float width = fabsf(x), height = fabsf(y);
  const bool steep = height > width, back = (int32_t)unit::bits(x) < 0;
  const float more = steep ? height : width, near = (steep ? width : height) / more, square = near * near;
  float result = fused(square * polynomial(a, square), near, near);
  if (steep) result = fused(0.93318945f, 1.6832556f, back ? result : -result);
  else if (back) result = fused(1.8663789f, 1.6832556f, -result);
  if (more == 0.0f) result = back ? 3.1415927f : 0.0f;
  else if (width == height) result = back ? 2.3561945f : 0.7853982f;
  const float sum = width + height;
  return sum != sum ? sum : copysignf(result, y);
}
static GPUOPT_EMU_QUICK float asinh(float x) {
  const float size = fabsf(x), square = fused(x, x, 1.0f);
  const bool far = size > 8388608.0f;
  const float at = far ? size : fused(size, size * unit::rcp(fused(square, unit::rsq(square), 1.0f)), size);
  const float result = far ? log1p(at) + 0.6931472f : log1p(at);
  return size <= INFINITY ? copysignf(result, x) : result;
}
static GPUOPT_EMU_QUICK float acosh(float x) {
  const float over = x - 1.0f, square = fused(x, x, -1.0f);
  if (unit::bits(over) > 1258291200u) return log1p(over + -1.0000001f) + 0.6931472f;
  const float inverse = unit::rsq(square), root = square * inverse;
  return log1p(over + (square == 0.0f ? 0.0f : fused(fused(-root, root, square), inverse * 0.5f, root)));
}
static GPUOPT_EMU_QUICK float atanh(float x) {
  const float size = fabsf(x), inverse = unit::rcp(1.0f - size);
  return copysignf(0.5f, x) * log1p(size > 8.507059e+37f ? -2.0f : size * (inverse + inverse));
}

static GPUOPT_EMU_QUICK float rcbrt(float x) {
  const float size = fabsf(x), root = unit::ex2(unit::lg2_approx(size) * -0.33333334f);
  const float result = fused(fused(root * root, -(size * root), 1.0f), root * 0.33333334f, root);
  return x + x == x ? unit::number(unit::bits(x + x) ^ 0x7f800000u) : x < 0.0f ? -result : result;
}
// Lengths: the largest number's exponent is taken out before squares are added, and put back.
static GPUOPT_EMU_QUICK float taken_out(float size) { return unit::number(2122317824u - (unit::bits(size) & 0xfe000000u)); }
static GPUOPT_EMU_QUICK float put_back(float size) { return unit::number((unit::bits(size) & 0xfe000000u) | 0x00800000u); }
static GPUOPT_EMU_QUICK float rhypot(float x, float y) {
  const uint32_t a = unit::bits(fabsf(x)), b = unit::bits(fabsf(y));
  const float low = unit::number(a < b ? a : b), high = unit::number(a < b ? b : a), scale = taken_out(high);
  const float less = low * scale, more = high * scale;
  return low == INFINITY ? 0.0f : unit::rsqrt_approx(fused(more, more, less * less)) * scale;
}
// Three or four numbers: the largest first, then as they come.
struct FloatSquares {
  float sum, most, scaled, scale;
};
static GPUOPT_EMU_QUICK FloatSquares squares(float x, float y, float z) {
  const float a = fabsf(x), b = fabsf(y), c = fabsf(z), ab = fmaxf(a, b), all = fmaxf(ab, c), scale = taken_out(all);
  const float p = fminf(ab, c) * scale, q = fminf(a, b) * scale, r = all * scale;
  return {(a + b) + c, all, fused(r, r, fused(q, q, p * p)), scale};
}
static GPUOPT_EMU_QUICK FloatSquares squares(float x, float y, float z, float w) {
  const float a = fabsf(x), b = fabsf(y), c = fabsf(z), d = fabsf(w), ab = fmaxf(a, b), abc = fmaxf(ab, c), all = fmaxf(abc, d);
  const float scale = taken_out(all), p = fminf(abc, d) * scale, q = fminf(ab, c) * scale, r = fminf(a, b) * scale, s = all * scale;
  return {c + ((a + b) + d), all, fused(s, s, fused(r, r, fused(q, q, p * p))), scale};
}
static GPUOPT_EMU_QUICK float norm_of(const FloatSquares &s) {
  return s.most == INFINITY ? INFINITY : s.sum > s.most ? sqrtf(s.scaled) * put_back(s.most) : s.sum;
}
static GPUOPT_EMU_QUICK float rnorm_of(const FloatSquares &s) {
  return s.most == INFINITY ? 0.0f : s.sum != s.sum ? s.sum : unit::rsqrt_approx(s.scaled) * s.scale;
}
static GPUOPT_EMU_QUICK float norm3d(float x, float y, float z) { return norm_of(squares(x, y, z)); }
static GPUOPT_EMU_QUICK float rnorm3d(float x, float y, float z) { return rnorm_of(squares(x, y, z)); }
static GPUOPT_EMU_QUICK float norm4d(float x, float y, float z, float w) { return norm_of(squares(x, y, z, w)); }
static GPUOPT_EMU_QUICK float rnorm4d(float x, float y, float z, float w) { return rnorm_of(squares(x, y, z, w)); }
// Any number of numbers: the first one of the largest last.
static GPUOPT_EMU_QUICK FloatSquares squares(int count, const float *p) {
  float all = 0.0f, others = 0.0f;
  for (int i = 0; i < count; ++i) all = fmaxf(fabsf(p[i]), all);
  const float scale = taken_out(all), largest = all * scale;
  bool left_out = false;
  for (int i = 0; i < count; ++i) {
    const float part = fabsf(p[i]) * scale;
    if (part == largest && !left_out) left_out = true;
    else others = fused(part, part, others);
  }
  return {others, all, fused(largest, largest, others), scale};
}
static GPUOPT_EMU_QUICK float norm(int count, const float *p) {
  const FloatSquares s = squares(count, p);
  return s.most == INFINITY || s.sum == 0.0f ? s.most : sqrtf(s.scaled) * put_back(s.most);
}
static GPUOPT_EMU_QUICK float rnorm(int count, const float *p) {
  const FloatSquares s = squares(count, p);
  return s.most == INFINITY ? 0.0f : unit::rsqrt_approx(s.scaled) * s.scale;
}

// e^(size^2) * erfc(size), a quotient of polynomials in (size - 4) / (size + 4).
static GPUOPT_EMU_QUICK float scaled_tail(float size) {
  static const float a[] = {0.0008912171f, 0.007045788f, -0.015866896f, 0.036429625f, -0.06664343f, 0.09381453f, -0.10099056f, 0.068094f,
                            0.015377387f, -0.13962108f, 1.2329952f};
  const float inverse = unit::rcp(size + 4.0f), rough = (size - 4.0f) * inverse;
  const float at = fused(inverse, fused(-rough, size, fused(-4.0f, rough + 1.0f, size)), rough);
  const float above = polynomial(a, at), below = unit::rcp(fused(2.0f, size, 1.0f)), result = above * below;
  return fused(fused(size, result * -2.0f, above) - result, below, result);
}
static GPUOPT_EMU_QUICK float erfc(float x) {
  const float size = fabsf(x), square = size * size;
  float turns = truncf(-square * 1.442695f);
  if (fabsf(turns) > 126.0f) turns = copysignf(126.0f, turns);
  const float rest = fused(turns, 1.9046542e-09f, fused(turns, -0.6931472f, -square)) * 1.442695f;
  const float power = unit::ex2(rest) * unit::number(unit::bits(turns + 12583039.0f) << 23);
  const float result = size > 10.055f ? 0.0f : scaled_tail(size) * fused(power, fused(-size, size, square), power);
  return x < 0.0f ? 2.0f - result : result;
}
// As div.approx does it.
static GPUOPT_EMU_QUICK float quotient(float x, float y) {
  const float scale = fabsf(y) < 1.1754944e-38f ? 16777216.0f : 1.0f;
  return unit::rcp(y * scale) * (x * scale);
}
// The product rounded towards zero.
static GPUOPT_EMU_QUICK float cut_square(float x) {
  const double exact = (double)x * x;
  const float near = (float)exact;
  return (double)near > exact ? unit::number(unit::bits(near) - 1) : near;
}
static GPUOPT_EMU_QUICK float erfcx(float x) {
  static const float a[] = {6.5625f, -1.875f, 0.75f, -0.5f, 1.0f};
  const float size = fabsf(x);
  float result;
  if (size < 10.055f) {
    result = scaled_tail(size);
  } else {
    const float inverse = quotient(0.25f, size * 0.25f);
    result = inverse * 0.5641896f * polynomial(a, inverse * inverse);
  }
  if (!(x < 0.0f)) return result;
  const float square = cut_square(size), part = fused(square, 0.00572498f, 0.5f);
  const int whole = (int)((double)(part < 1.0f ? part : 1.0f) * 252.0);
  const float scale = unit::number((uint32_t)(whole + 1) << 23);
  const float root = unit::ex2(fused(square, 1.925963e-08f, fused(square, 1.442695f, -(float)(whole - 126))));
  const float power = fused(root, scale, root * scale);
  return power == INFINITY ? power : fused(power, fused(size, size, -square), power) - result;
}
static const float inverse_error[] = {-2.5172708e-10f, 9.427429e-09f, -1.2054753e-07f, 2.1697005e-07f, 8.0621485e-06f, -3.1675492e-05f,
                                      -0.0007743631f, 0.005546588f, 0.16082023f, 0.8862269f};
static GPUOPT_EMU_QUICK float erfinv(float x) {
  static const float a[] = {-0.5899144f, -0.6630042f, 1.5970111f, -0.67521554f, -0.09522479f, 0.83535343f};
  const float logarithm = unit::lg2(fused(x, -x, 1.0f));
  if (!(logarithm < -8.2f)) return polynomial(inverse_error, -logarithm) * x;
  const float at = unit::rsq(-logarithm);
  return copysignf(logarithm == -INFINITY ? INFINITY : (at * -logarithm) * polynomial(a, at), x);
}
static GPUOPT_EMU_QUICK float erfcinv(float x) {
  static const float a[] = {-63.113224f, 127.48469f, -114.10568f, 60.325787f, -21.789892f, 6.467409f, -1.8329474f, -0.030327775f,
                            0.83287746f};
  const float other = 2.0f + -x;
  if (x >= 0.0034f && x <= 1.9966f) {
    const float result = polynomial(inverse_error, -unit::lg2(other * x));
    return fused(result, -x, result);
  }
  const bool above = x > 1.0f;
  const float logarithm = unit::lg2_approx(above ? other : x), at = unit::rsq(-logarithm);
  const float root = logarithm == -INFINITY ? -logarithm : at * -logarithm;
  return polynomial(a, at) * (above ? -root : root);
}
static GPUOPT_EMU_QUICK float normcdf(float x) {
  const float kept = fabsf(x) > 14.5f ? copysignf(14.5f, x) : x, rough = kept * -0.70710677f;
  const float low = fused(kept, -1.21016175e-08f, fused(kept, -0.70710677f, -rough)), at = rough + low;
  float result = erfc(at);
  if (kept < -1.0f) result = fused((at * -2.0f) * result, (rough - at) + low, result);
  return result * 0.5f;
}
static GPUOPT_EMU_QUICK float normcdfinv(float x) { return fused(-1.4142135f, erfcinv(x + x), 0.0f); }

static GPUOPT_EMU_QUICK float small_gamma(float x) {
  static const float a[] = {-0.0010728657f, 0.0071110534f, -0.009643719f, -0.042180188f, 0.1665409f, -0.04200365f, -0.6558782f, 0.5772157f};
  const float at = x == 0.0f ? x : x - __builtin_rintf(x), first = x < -0.5f ? x : 1.0f, factor = x <= 0.5f ? first * at : first;
  return quotient(1.0f, fused(fused(polynomial(a, at), factor, 0.0f), at, factor));
}
static GPUOPT_EMU_QUICK float large_gamma(float x, float size) {
  static const float a[] = {0.00065688626f, 0.0032181654f, 0.018033719f, 0.12022459f};
  static const float b[] = {0.00015239252f, 0.0013391353f, 0.009618839f, 0.05550359f, 0.24022645f, 0.6931472f, 1.0f};
  static const float c[] = {6.8413916e-05f, -5.0603267e-05f, -0.00042276637f, 0.0009921414f, -0.00027855477f, -0.002674901f,
                            0.0034718034f, 0.08333334f};
  const float bounded = size > 41.1f ? 41.1f : x, positive = fabsf(bounded), log2_e = 1.442695f;
  const bool negative = x < 0.0f, beyond = positive > 33.0f;
  const Parts<float> p = parts(positive, 0x3f3504f3u, 16777216.0f, -24.0f);
  const float f = p.rest - 1.0f, inverse = unit::rcp(p.rest + 1.0f), ratio = (f + f) * inverse, square = ratio * ratio;
  const float difference = f - ratio, error = inverse * fused(-ratio, f, difference + difference);
  const float high = fused(ratio, log2_e, p.exponent);
  const float low = fused(polynomial(a, square) * square, ratio,
                          fused(ratio, 1.9251367e-08f, fused(error, log2_e, fused(ratio, log2_e, p.exponent - high))));
  const float logarithm = high + low, times = positive - 0.5f, product = logarithm * times;
  const float product_low = fused(low - (logarithm - high), times, fused(logarithm, times, -product));
  const float taken = log2_e * positive, taken_low = fused(1.925963e-08f, positive, fused(log2_e, positive, -taken));
  const float exponent = product - taken, back = -(exponent + taken);
  const float exponent_low = (product_low - taken_low) + ((product + back) + (-taken - (exponent + back)));
  const float sum = negative ? (beyond ? 48.0f : -0.0f) - exponent : exponent, whole = __builtin_rintf(sum);
  const float rest = (sum - whole) + (negative ? -exponent_low : exponent_low);
  const uint32_t half = whole > 0.0f ? 0u : 0x83000000u;
  const float power = polynomial(b, rest) * unit::number(half + 0x7f000000u) * unit::number(((uint32_t)saturated<int>(whole) << 23) - half);
  const float scaled_up = power * 2.5066283f, reciprocal = unit::rcp(positive), series = reciprocal * polynomial(c, reciprocal);
  if (!negative) return fused(series, scaled_up, scaled_up);
  const float halves = __builtin_rintf(positive + positive), wave = half_turns(fused(halves, -0.5f, positive), saturated<int>(halves));
  const float first = fused(series, bounded, bounded), below = first * wave, inverse_below = quotient(1.0f, below);
  const float lost = fused(first, wave, -below) * (inverse_below * inverse_below);
  const float result = fused(scaled_up, inverse_below, -(scaled_up * lost)) * 0.5f;
  return beyond ? result * 3.5527137e-15f : result;
}
static GPUOPT_EMU_QUICK float tgamma(float x) {
  const float size = fabsf(x);
  const float result = size < 1.5f ? small_gamma(x) : large_gamma(x, size);
  if (!(x < 0.0f)) return x != x ? x : result;
  if (truncf(x) == x) return unit::no_number();
  return x < -41.1f && saturated<int>(x) & 1 ? 0.0f : result;
}

static GPUOPT_EMU_QUICK float plain_logarithm(float x) {
  const Parts<float> p = parts(x, 0x3f2aaaabu, 8388608.0f, -23.0f);
  return logarithm_of(p, natural(p));
}
static GPUOPT_EMU_QUICK float positive_lgamma(float x) {
  static const float a[] = {0.0035875156f, -0.0054712854f, -0.044627126f, 0.1673177f, -0.04213598f, -0.6558673f, 0.5772154f};
  static const float b[] = {-748.8903f, -12349.742f, -41061.375f, -48310.664f, -143033.4f};
  static const float c[] = {1.0f, -259.25098f, -10777.18f, -92685.05f, -206353.58f};
  static const float d[] = {4.9598493e-05f, -0.00022089484f, 0.00054131425f, -0.001204517f, 0.0028842518f, -0.007382758f, 0.02058132f,
                            -0.06735249f, 0.32246703f, 0.42278433f};
  static const float e[] = {0.00077783066f, -0.0027776554f, 0.083333276f};
  static const float f[] = {0.045882665f, 0.10373967f, 0.122803636f, 0.12752421f, 0.14321668f, 0.16934358f, 0.20740794f, 0.2705875f,
                            0.40068543f, 0.82246697f, 0.5772157f};
  if (!(x < 7.8f)) {
    const float inverse = unit::rcp(x), product = plain::value((plain_logarithm(x) * 0.5f) * (x - 0.5f));
    const float rest = product + fused(polynomial(e, inverse * inverse), inverse, 0.9189385f);
    return x == INFINITY ? x : (product - x) + rest;
  }
  if (x >= 3.0f) return fused(polynomial(b, x - 3.0f), unit::rcp(polynomial(c, x - 3.0f)), x - 3.0f);
  if (x >= 1.5f) return (x - 2.0f) * polynomial(d, x - 2.0f);
  if (x >= 0.7f) return (1.0f - x) * polynomial(f, 1.0f - x);
  return -plain_logarithm(fused(x * polynomial(a, x), x, x));
}
static GPUOPT_EMU_QUICK float lgamma(float x) {
  const float size = fabsf(x), positive = positive_lgamma(size);
  if (x >= 0.0f) return positive;
  if (size == floorf(size)) return INFINITY;
  if (size < 1e-19f) return -plain_logarithm(size);
  const float halves = __builtin_rintf(size + size), rest = fused(-halves, 0.5f, size) * 3.1415927f;
  return (1.1447299f - plain_logarithm(size * fabsf(wave(rest, saturated<int>(halves))))) - positive;
}

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
