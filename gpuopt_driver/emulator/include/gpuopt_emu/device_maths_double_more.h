// As device_maths_double.h: other powers and logarithms, inverse and hyperbolic functions, roots, lengths.
#ifndef GPUOPT_EMU_DEVICE_MATHS_DOUBLE_MORE_H
#define GPUOPT_EMU_DEVICE_MATHS_DOUBLE_MORE_H

#include "conversions.h"
#include "device_maths_double.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK uint32_t upper(double x) { return (uint32_t)(unit::bits(x) >> 32); }
static GPUOPT_EMU_QUICK double of_upper(uint32_t word) { return unit::number((uint64_t)word << 32); }
// The upper half as a number in single precision: a logarithm of a kind, by which ranges are told apart.
static GPUOPT_EMU_QUICK float coarse(double x) { return unit::number(upper(x)); }

// rcp.approx.ftz.f64 and what makes a reciprocal of it.
static GPUOPT_EMU_QUICK double reciprocal(double x) {
  const double rough = unit::rcp(x), lack = fused(-x, rough, 1.0);
  return fused(fused(lack, lack, lack), rough, rough);
}
// rsqrt.approx.ftz.f64, and rsqrt(double) made of it.
static GPUOPT_EMU_QUICK double rsq_approx(double x) {
  if (unit::unusual(upper(x) - 0x00100000u >= 0x7fe00000u)) {
    const uint32_t size = upper(x) & 0x7fffffffu;
    if (x != x || (size >= 0x00100000u && x < 0.0)) return unit::number(~(uint64_t)0 >> 1);
    return of_upper((upper(x) & 0x80000000u) | (size < 0x00100000u ? 0x7ff00000u : 0u));
  }
  return unit::rsq(x);
}
static GPUOPT_EMU_QUICK double rsqrt_of(double x) {
  const double rough = rsq_approx(x), lack = fused(x, -(rough * rough), 1.0);
  return fused(fused(0.375, lack, 0.5), lack * rough, rough);
}
static GPUOPT_EMU_QUICK double inverse_root(double x) {
  if (!(x >= 2.2250738585072014e-308 && x < INFINITY)) {
    if (x < 0.0) return unit::number(~(uint64_t)0 >> 1);
    if (x == 0.0 || x != x || x == INFINITY) return rsq_approx(x);
    return rsqrt_of(x * 1.8014398509481984e+16) * 134217728.0;
  }
  return rsqrt_of(x);
}
// A root as it is taken inside other functions.
static GPUOPT_EMU_QUICK double root_of(double x) {
  const double rough = rsq_approx(x), half = rough * 0.5, product = x * rough;
  const double root = fused(fused(product, -product, x), half, product);
  return fused(fused(root, -root, x), fused(fused(rough, -root, 1.0), half, half), root);
}

static const double power_coefficients[] = {2.502232253650299e-08, 2.763090348817311e-07, 2.755751454588244e-06, 2.4801491039099165e-05,
                                            0.00019841269589115497, 0.001388888894591638, 0.008333333333455043, 0.041666666666519754,
                                            0.16666666666666477, 0.5000000000000012, 1.0, 1.0};
// What comes of e^x's series, times 2^whole, where it may not fit; `limits` are the coarse |x| from which that is so, and
// from which it does not.
static GPUOPT_EMU_QUICK double fitted(double series, int32_t whole, double x, float limit, float end) {
  const float size = fabsf(coarse(x));
  if (size < limit) return scaled(series, whole);
  if (!(size < end)) return x != x ? x : x < 0.0 ? 0.0 : INFINITY;
  const int32_t half = (whole + (int32_t)((uint32_t)whole >> 31)) >> 1;
  return scaled(series, half) * scaled(1.0, whole - half);
}
static GPUOPT_EMU_QUICK double exp2(double x) {
  const double shifted = x + 6755399441055744.0, rest = x - (shifted - 6755399441055744.0);
  const double series = polynomial(power_coefficients, fused(rest, 0.6931471805599453, rest * 2.3190468138462996e-17));
  return fitted(series, (int32_t)unit::bits(shifted), x, 4.498047f, 4.5249023f);
}
static GPUOPT_EMU_QUICK double exp10(double x) {
  const double shifted = fused(x, 3.321928094887362, 6755399441055744.0), turns = shifted - 6755399441055744.0;
  const double rest = fused(turns, 2.8037281277851704e-18, fused(turns, -0.3010299956639812, x));
  const double series = polynomial(power_coefficients, fused(rest, 2.302585092994046, rest * -2.1707562233822494e-16));
  return fitted(series, (int32_t)unit::bits(shifted), x, 3.800442f, 3.8160229f);
}
// e^x / 2^less - start, for x that fit.
static GPUOPT_EMU_QUICK double power_less(double x, int less, double start) {
  static const double a[] = {2.0900320002536536e-09, 2.5118162590908232e-08, 2.7557338697780046e-07, 2.755722422687505e-06,
                             2.4801587233770713e-05, 0.00019841269897009385, 0.0013888888888929842, 0.008333333333321891,
                             0.04166666666666661, 0.1666666666666667, 0.5};
  const double shifted = fused(x, 1.4426950408889634, 6755399441055744.0), turns = shifted - 6755399441055744.0;
  const uint32_t size = upper(x) << 1;
  const bool small = size < 2142496327u;
  const double rest = small ? x : fused(turns, -2.3190468138462996e-17, fused(turns, -0.6931471805599453, x));
  const int32_t whole = small ? 0 : (int32_t)unit::bits(shifted) - less;
  const bool top = whole == 1024;
  const double scale = of_upper((uint32_t)(whole - top) * 0x100000u + 0x3ff00000u);
  const double result = fused(fused(rest * polynomial(a, rest), rest, rest), scale, scale - start);
  return size == 0 ? rest : top ? twice(result) : result;
}
static GPUOPT_EMU_QUICK double expm1(double x) {
  if (coarse(x) < 4.193147f && coarse(x) > -3.1640625f) return power_less(x, 0, 1.0);
  return x != x ? x + x : x < 0.0 ? -1.0 : INFINITY;
}
static GPUOPT_EMU_QUICK double log2(double x) {
  const double natural = log(x);
  return fused(natural, 1.4426950408889634, natural * 2.0355273740931033e-17);
}
static GPUOPT_EMU_QUICK double log10(double x) {
  const double natural = log(x);
  return fused(natural, 0.4342944819032518, natural * 1.098319650216765e-17);
}
static GPUOPT_EMU_QUICK double log1p(double x) {
  static const double a[] = {1.1592593968945531e-06, 3.941356435158717e-06, 1.881270924625768e-05, 8.87736089951566e-05,
                             0.0004340281868625582, 0.0022321428379086373, 0.012500000000436613, 0.08333333333332996};
  if (!(coarse(x) < 1.7916666f && coarse(x) > -1.6999999f)) return log(x + 1.0);
  const double part = (x / (x + 2.0)) * x, ratio = x - part, square = ratio * ratio;
  return fused(square * polynomial(a, square), ratio, -part) + x;
}

static GPUOPT_EMU_QUICK double tan(double x) {
  static const double a[] = {9.80062872032863e-06, -2.4279526494179897e-05, 4.864417313093716e-05, -2.5640012693782273e-05,
                             6.722398433088007e-05, 8.355928731821164e-05, 0.00024375039850848564, 0.0005888648775485667,
                             0.001456045484467204, 0.003592100888585718, 0.008863237921861371, 0.02186948839933789, 0.053968253972902704,
                             0.13333333333325342, 0.3333333333333338};
  const DoubleAngle turned = angle(x);
  const double rest = turned.rest, square = rest * rest, series = square * polynomial(a, square), near = fused(series, rest, rest);
  if (!(turned.quadrant & 1)) return near;
  const double inverse = -reciprocal(near);
  return fused(fused(inverse, fused(series, rest, -(near - rest)), fused(near, inverse, 1.0)), inverse, inverse);
}
// The wave of pi * x, a number of quarters of a turn ahead.
static GPUOPT_EMU_QUICK double half_turns(double x, int quarters) {
  const double halves = __builtin_rint(x + x), rest = fused(-halves, 0.5, x);
  return wave(fused(rest, 3.141592653589793, rest * 1.2246467991473532e-16), (int)(uint32_t)saturated<int64_t>(halves) + quarters);
}
static GPUOPT_EMU_QUICK double sinpi(double x) { return trunc(x) == x ? x * 0.0 : x - x == 0.0 ? half_turns(x, 0) + 0.0 : x * 0.0; }
static GPUOPT_EMU_QUICK double cospi(double x) {
  if (upper(x) << 1 >= 2256535553u) x *= 0.0;
  return half_turns(x, 1) + 0.0;
}

static const double arc_sine[] = {0.06259798167646803, -0.07620591484676952, 0.06686894879337643, -0.01787828218369301,
                                  0.01745227928732326, 0.0100042275424558, 0.01418108777515123, 0.01733194598980628, 0.02237350511593569,
                                  0.03038188875134962, 0.04464285849810986, 0.0749999999834227, 0.1666666666667375};
static GPUOPT_EMU_QUICK double asin(double x) {
  if (fabsf(coarse(x)) < 1.76875f) {
    const double square = x * x;
    return fused(square * polynomial(arc_sine, square), x, x);
  }
  const double square = fused(-0.5, fabs(x), 0.5), root = (square == 0.0 ? square : root_of(square)) * -2.0;
  const double rest = fused(root, square * polynomial(arc_sine, square), 6.123233995736766e-17);
  return copysign(((root + 0.7853981633974483) + rest) + 0.7853981633974483, x);
}
static GPUOPT_EMU_QUICK double acos(double x) {
  static const double a[] = {2.751918949311172e-06, -1.5951212865388395e-06, 6.118529412726973e-06, 6.928343859556241e-06,
                             1.9480663162164715e-05, 4.503196545530714e-05, 0.00010911426300865435, 0.00027113554445344455,
                             0.0006991300615525486, 0.0018988715243469585, 0.005580357142924968, 0.018749999999999475, 0.08333333333333333};
  const double size = fabs(x);
  if ((int32_t)upper(size) < 1071801958) {
    const double square = size * size, near = fused(square * polynomial(arc_sine, square), size, size);
    return 1.5707963267948966 + (x < 0.0 ? near + 6.123233995736766e-17 : -(near + -6.123233995736766e-17));
  }
  const double rest = 1.0 - size;
  double result = size * 0.0;
  if ((int32_t)upper(rest) >= 1) {
    const double root = twice(root_of(rest * 0.5));
    result = fused(rest * polynomial(a, rest), root, root);
  }
  if ((int32_t)upper(rest) < 0) result *= INFINITY;
  return (int32_t)upper(x) < 0 ? 3.141592653589793 + -(result + -1.2246467991473532e-16) : result;
}
static GPUOPT_EMU_QUICK double arc_tangent(double near) {
  static const double a[] = {-2.0258553044438358e-05, 0.0002230224034575851, -0.0011640717779930576, 0.0038559749383629918,
                             -0.009184559218716548, 0.01697803583459733, -0.025826796814495994, 0.03406781108271512, -0.04092638242050997,
                             0.046739496199157994, -0.05239233005460132, 0.05877307772179085, -0.06665860363351257, 0.07692212930586784,
                             -0.09090901235400523, 0.11111110678749424, -0.14285714271334815, 0.1999999999975502, -0.3333333333333186};
  const double square = near * near;
  return fused(square * polynomial(a, square), near, near);
}
static GPUOPT_EMU_QUICK double atan(double x) {
  const double size = fabs(x);
  const bool far = !(size <= 1.0);
  const double near = arc_tangent(!far ? size : size == INFINITY ? 0.0 : reciprocal(size));
  return copysign(size > 1.0 ? 1.5707963267948966 - near : near, x);
}
static GPUOPT_EMU_QUICK double atan2(double y, double x) {
  const double width = fabs(x), height = fabs(y);
  const bool steep = height > width, back = (int32_t)upper(x) < 0;
  const double more = steep ? height : width, near = arc_tangent((steep ? width : height) / more);
  double result = steep ? (back ? near : -near) + 1.5707963267948966 : back ? 3.141592653589793 - near : near;
  if (more == 0.0) result = back ? 3.141592653589793 : 0.0;
  else if (width == height) result = back ? 2.356194490192345 : 0.7853981633974483;
  const double sum = width + height;
  return sum != sum ? sum : copysign(result, y);
}

static GPUOPT_EMU_QUICK double sinh(double x) {
  static const double a[] = {7.75874880215053e-13, 1.6057259768605444e-10, 2.5052123136725876e-08, 2.755731915707185e-06,
                             0.00019841269841431873, 0.008333333333333148, 0.16666666666666669};
  const double size = fabs(x);
  if (upper(size) < 0x3ff00000u) {
    const double square = size * size;
    return copysign(fused(square * polynomial(a, square), size, size), x);
  }
  const double less = power_less(size, 1, 0.5);
  return copysign(size >= 710.475860073944 ? INFINITY : less + less / fused(2.0, less, 1.0), x);
}
static GPUOPT_EMU_QUICK double cosh(double x) {
  const double size = fabs(x);
  if (upper(size) >= 1082536911u) return size <= INFINITY ? INFINITY : twice(x);
  int32_t whole;
  const double series = power_series(size, whole), quarter = scaled(series, whole - 2);
  return twice(fused(reciprocal(quarter), 0.0625, quarter));
}
static const double power_less_one[] = {2.506210197447926e-08, 2.762626470761021e-07, 2.7557381798574225e-06, 2.4801504596442702e-05,
                                        0.00019841269746984988, 0.0013888888932264757, 0.008333333333377164, 0.041666666666573884,
                                        0.16666666666666607, 0.5000000000000006};
static GPUOPT_EMU_QUICK double tanh(double x) {
  static const double a[] = {-1.596017517389285e-05, 7.709297689027866e-05, -0.00022870121144856145, 0.000586488194620488,
                             -0.001455047543504545, 0.0035920144108182715, -0.008863225224458907, 0.021869487987893173,
                             -0.05396825395322091, 0.1333333333331715, -0.33333333333333304, 0.0};
  const double size = fabs(x);
  if (!(size >= 0.6554117889404296)) {
    const double square = x * x;
    return fused(polynomial(a, square), x, x);
  }
  if (upper(size) > 1077088193u) return copysign(1.0, x);
  const double both = twice(size);
  const float turns = __builtin_rintf((float)both * 1.442695f);
  const double rest = fused(-(double)turns, 0.6931471805599453, both), scale = (double)unit::ex2(turns);
  const double less = fused(rest * polynomial(power_less_one, rest), rest, rest);
  return copysign(fused(2.0, -reciprocal(2.0 - fused(-less, scale, 1.0 - scale)), 1.0), x);
}
static GPUOPT_EMU_QUICK double asinh(double x) {
  const double size = fabs(x);
  if (upper(size) > 1138753535u) return copysign(log1p(size) + 0.6931471805599453, x);
  const double square = fused(x, x, 1.0), inverse = reciprocal(fused(square, rsqrt_of(square), 1.0));
  return copysign(log1p(fused(size, size * inverse, size)), x);
}
static GPUOPT_EMU_QUICK double acosh(double x) {
  const double over = x - 1.0;
  if (upper(over) > 1127219199u) return log1p(over + -1.0000000000000002) + 0.6931471805599453;
  return log1p(over + (upper(over) == 0 ? 0.0 : root_of(fused(x, x, -1.0))));
}
static GPUOPT_EMU_QUICK double atanh(double x) {
  const double size = fabs(x);
  return copysign(log1p(twice(size) / (1.0 - size)) * 0.5, x);
}

// A number as (smaller) 2^(3 * third) times one near 1, and 2^(+-third) times the root or its reciprocal of that.
struct Cubed {
  double rest;
  int third;
};
static GPUOPT_EMU_QUICK Cubed cubed(double x) {
  double size = fabs(x);
  int lifted = 0;
  if (upper(size) < 0x00100000u) size *= 1.8014398509481984e+16, lifted = 18;
  const int third = (int)__builtin_rintf((float)((int)(upper(size) >> 20) - 1022) * 0.33333334f);
  return {unit::number(unit::bits(size) - ((uint64_t)(uint32_t)(third * 3) << 52)), third - lifted};
}
static GPUOPT_EMU_QUICK double cbrt(double x) {
  const Cubed c = cubed(x);
  const double root = (double)unit::ex2(unit::lg2((float)c.rest) * 0.33333334f), square = root * root;
  const double result = fused(root, reciprocal(fused(twice(square), root, c.rest)) * fused(square, -root, c.rest), root);
  return x + x == x || x != x ? x + x : copysign(scaled(result, c.third), x);
}
static GPUOPT_EMU_QUICK double rcbrt(double x) {
  const Cubed c = cubed(x);
  const double root = (double)unit::ex2(unit::lg2((float)c.rest) * -0.33333334f), square = root * root, product = c.rest * root;
  const double lack = fused(product, -fused(root, root, -square), fused(square, -fused(c.rest, root, -product), fused(square, -product, 1.0)));
  const double result = fused(fused(0.2222222222222222, lack, 0.3333333333333333), lack * root, root);
  if (x + x == x) return copysign(of_upper((upper(x) ^ 0x7ff00000u) & 0x7fffffffu), x);
  return x != x ? x + x : copysign(scaled(result, -c.third), x);
}

// Lengths: the largest number's exponent is taken out before squares are added, and put back.
static GPUOPT_EMU_QUICK double least(double x, double y) { return __builtin_fmin(x, y); }
static GPUOPT_EMU_QUICK double most(double x, double y) { return __builtin_fmax(x, y); }
static GPUOPT_EMU_QUICK double taken_out(double size) { return of_upper(2144337920u - (upper(size) & 0xffc00000u)); }
static GPUOPT_EMU_QUICK double put_back(double size) { return of_upper((upper(size) & 0xffc00000u) | 0x00100000u); }
static GPUOPT_EMU_QUICK double length_of(double squares, double size) {
  return squares * rsqrt_of(least(squares, 1.7976931348623157e+308)) * put_back(size);
}
static GPUOPT_EMU_QUICK double hypot(double x, double y) {
  const uint64_t a = unit::bits(fabs(x)), b = unit::bits(fabs(y));
  const double low = unit::number(a < b ? a : b), high = unit::number(a < b ? b : a), scale = taken_out(high);
  if (upper(low) >= 0x7ff00000u) return low;
  const double less = scale * low, more = scale * high;
  return low == 0.0 ? high : length_of(fused(more, more, less * less), high);
}
static GPUOPT_EMU_QUICK double rhypot(double x, double y) {
  const uint64_t a = unit::bits(fabs(x)), b = unit::bits(fabs(y));
  const double low = unit::number(a < b ? a : b), high = unit::number(a < b ? b : a), scale = taken_out(high);
  const double less = scale * low, more = scale * high, result = scale * rsqrt_of(fused(more, more, less * less));
  if (upper(result) < 0x7ff00000u) return result;
  return low == INFINITY ? 0.0 : high != high ? high + low : high == INFINITY ? 0.0 : INFINITY;
}
// Three or four numbers: the largest first, then as they come.
struct Squares {
  double sum, most, scaled, scale;
};
static GPUOPT_EMU_QUICK Squares squares(double x, double y, double z) {
  const double a = fabs(x), b = fabs(y), c = fabs(z), ab = most(a, b), all = most(ab, c), scale = taken_out(all);
  const double p = least(ab, c) * scale, q = least(a, b) * scale, r = all * scale;
  return {(a + b) + c, all, fused(r, r, fused(q, q, p * p)), scale};
}
static GPUOPT_EMU_QUICK Squares squares(double x, double y, double z, double w) {
  const double a = fabs(x), b = fabs(y), c = fabs(z), d = fabs(w), ab = most(a, b), abc = most(ab, c), all = most(abc, d);
  const double scale = taken_out(all), p = least(abc, d) * scale, q = least(ab, c) * scale, r = least(a, b) * scale, s = all * scale;
  return {((a + b) + c) + d, all, fused(s, s, fused(r, r, fused(q, q, p * p))), scale};
}
static GPUOPT_EMU_QUICK double norm_of(const Squares &s) {
  if (upper(s.most) >= 0x7ff00000u) return s.most;
  return s.sum > s.most ? length_of(s.scaled, s.most) : s.sum;
}
static GPUOPT_EMU_QUICK double rnorm_of(const Squares &s) {
  return s.most == INFINITY ? 0.0 : s.sum > 0.0 ? s.scale * rsqrt_of(s.scaled) : s.sum + INFINITY;
}
static GPUOPT_EMU_QUICK double norm3d(double x, double y, double z) { return norm_of(squares(x, y, z)); }
static GPUOPT_EMU_QUICK double rnorm3d(double x, double y, double z) { return rnorm_of(squares(x, y, z)); }
static GPUOPT_EMU_QUICK double norm4d(double x, double y, double z, double w) { return norm_of(squares(x, y, z, w)); }
static GPUOPT_EMU_QUICK double rnorm4d(double x, double y, double z, double w) { return rnorm_of(squares(x, y, z, w)); }
// Any number of numbers: the first one of the largest last.
static GPUOPT_EMU_QUICK Squares squares(int count, const double *p) {
  double all = 0.0, others = 0.0;
  for (int i = 0; i < count; ++i) all = most(fabs(p[i]), all);
  const double scale = taken_out(all), largest = all * scale;
  bool left_out = false;
  for (int i = 0; i < count; ++i) {
    const double part = fabs(p[i]) * scale;
    if (part == largest && !left_out) left_out = true;
    else others = fused(part, part, others);
  }
  return {others, all, fused(largest, largest, others), scale};
}
static GPUOPT_EMU_QUICK double norm(int count, const double *p) {
  const Squares s = squares(count, p);
  return s.sum == 0.0 || upper(s.most) >= 0x7ff00000u ? s.most : length_of(s.scaled, s.most);
}
static GPUOPT_EMU_QUICK double rnorm(int count, const double *p) {
  const Squares s = squares(count, p);
  return s.most == INFINITY ? 0.0 : s.scale * inverse_root(s.scaled);
}

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
