// As device_maths_double.h: the error function and the normal distribution with their inverses, the gamma function.
#ifndef GPUOPT_EMU_DEVICE_MATHS_DOUBLE_SPECIAL_H
#define GPUOPT_EMU_DEVICE_MATHS_DOUBLE_SPECIAL_H

#include "device_maths_double_more.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
static GPUOPT_EMU_QUICK double erf(double x) {
  static const double a[] = {-3.642577040697121e-15, 1.636624707883456e-13, -3.4079297100747907e-12, 4.3555974045566826e-11,
                             -3.806599039253438e-10, 2.389211325400646e-09, -1.0909760903049583e-08, 3.508901186822047e-08,
                             -6.72032708005184e-08, -8.299332548682465e-09, 5.643145203798444e-07, -2.0278249778025215e-06,
                             3.1218939658311085e-06, 3.180046170354655e-06, -2.9583306728241582e-05, 6.442483232470452e-05,
                             2.590260570264615e-05, -0.0005901318195328236, 0.001696207528729842, -0.00020919483164788562,
                             -0.019128446995328407, 0.10277260330144233, 0.6366197723675876, 0.1283791670955126};
  const double size = fabs(x), series = polynomial(a, size), exponent = fused(series, size, size);
  if (size >= 5.9215871957945065) return copysign(1.0, x);
  const float turns = __builtin_rintf((float)exponent * -1.442695f);
  const double rest = fused(-(double)turns, 0.6931471805599453, -exponent), scale = (double)unit::ex2(turns);
  const double lost = fused(series, size, size - exponent);
  const double less = rest + fused(rest * polynomial(power_less_one, rest), rest, -lost);
  return copysign(fused(-less, scale, 1.0 - scale), x);
}
// e^(size^2) * erfc(size), a quotient of polynomials in (size - 4) / (size + 4).
static GPUOPT_EMU_QUICK double scaled_tail(double size) {
  static const double a[] = {-3.56026948268174e-10, -9.723912259144727e-09, -8.935022485164912e-09, 1.0404430921625484e-07,
                             5.880669858534126e-08, -8.214741492911691e-07, 3.095640985330624e-07, 5.708787184432565e-06,
                             -1.1231787437600085e-05, -2.439955885720019e-05, 0.00015062557169571788, -0.00019925637684786154,
                             -0.0007577742918278583, 0.005031969879259957, -0.016197733895953217, 0.03716751555301873,
                             -0.06633036582753243, 0.09373283499711554, -0.10103906603555676, 0.06809705425473514, 0.015379652102605428,
                             -0.13962111684056291, 1.2329951186255526};
  const double inverse = reciprocal(size + 4.0), rough = (size + -4.0) * inverse;
  const double at = fused(inverse, fused(-rough, size, fused(-4.0, rough + 1.0, size)), rough);
  const double above = polynomial(a, at), below = reciprocal(fused(2.0, size, 1.0)), result = above * below;
  return fused(fused(size, result * -2.0, above) + -result, below, result);
}
static GPUOPT_EMU_QUICK double erfc(double x) {
  const double size = fabs(x), square = size * size, tail = scaled_tail(size);
  if (upper(size) >= 0x7ff00000u) return size == INFINITY ? (x < 0.0 ? 2.0 : 0.0) : x + x;
  double result = 0.0;
  if (upper(size) <= 1077624832u) {
    int32_t whole;
    const double series = power_series(-square, whole);
    const int32_t half = (whole + (int32_t)((uint32_t)whole >> 31)) >> 1;
    const double power = scaled(series, half) * scaled(1.0, whole - half);
    result = tail * fused(power, fused(-size, size, square), power);
  }
  return x < 0.0 ? 2.0 - result : result;
}
static GPUOPT_EMU_QUICK double erfcx(double x) {
  static const double a[] = {-29.53125, 6.5625, -1.875, 0.75, -0.5, 1.0};
  double result;
  if (fabsf(coarse(x)) < 3.0f) {
    result = scaled_tail(fabs(x));
  } else {
    const double inverse = 1.0 / x;
    result = inverse * 0.5641895835477563 * polynomial(a, inverse * inverse);
  }
  if ((int32_t)upper(x) >= 0) return result;
  const double square = x * x, power = twice(exp(square));
  return power == INFINITY ? power : fused(power, fused(x, x, -square), power) - result;
}

// The logarithm that the inverses take of numbers that are not denormals.
static GPUOPT_EMU_QUICK double plain_logarithm(double x) {
  static const double a[] = {0.08504880051574228, 0.04172484912686076, 0.06052472622047064, 0.06650560670418708, 0.076932741976622,
                             0.09090872239478873, 0.11111111976824838, 0.14285714274058975, 0.20000000000077559, 0.33333333333333154};
  const uint64_t word = unit::bits(x);
  const double rest = unit::number((word & 0x801fffffffffffff) | 0x3fe0000000000000), less = rest + -1.0;
  const double inverse = reciprocal(rest + 1.0), rough = less * inverse;
  const double ratio = fused(fused(-rough, less, fused(-2.0, rough, less)), inverse, rough), square = ratio * ratio;
  const double series = fused(square * polynomial(a, square), ratio, ratio);
  return fused((double)((int32_t)(word >> 52 & 2046) - 1022), 0.6931471805599453, series + series);
}
static GPUOPT_EMU_QUICK double inverse_error_near(double logarithm) {
  static const double a[] = {-3.64441206401782e-21, -1.6850591381820166e-19, 1.28584807152564e-18, 1.1157877678025181e-17,
                             -1.333171662854621e-16, 2.0972767875968562e-17, 6.637638134358324e-15, -4.054566272975207e-14,
                             -8.151934197605472e-14, 2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11,
                             1.0512122733215323e-09, -4.112633980346984e-09, -2.9070369957882005e-08, 4.2347877827932404e-07,
                             -1.3654692000834679e-06, -1.3882523362786469e-05, 0.00018673420803405714, -0.000740702534166267,
                             -0.006033670871430149, 0.24015818242558962, 1.6536545626831027};
  return polynomial(a, -3.125 - logarithm);
}
static GPUOPT_EMU_QUICK double erfinv(double x) {
  static const double a[] = {2.2137376921775787e-09, 9.075656193888539e-08, -2.7517406297064545e-07, 1.8239629214389228e-08,
                             1.5027403968909828e-06, -4.013867526981546e-06, 2.9234449089955446e-06, 1.2475304481671779e-05,
                             -4.7318229009055734e-05, 6.828485145957318e-05, 2.4031110387097894e-05, -0.0003550375203628475,
                             0.0009532893797373805, -0.0016882755560235047, 0.002491442096107851, -0.003751208507569241,
                             0.005370914553590064, 1.0052589676941592, 3.0838856104922208};
  static const double b[] = {-2.7109920616438573e-11, -2.555641816996525e-10, 1.5076572693500548e-09, -3.789465440126737e-09,
                             7.61570120807834e-09, -1.496002662714924e-08, 2.914795345090108e-08, -6.771199775845234e-08,
                             2.2900482228026655e-07, -9.9298272942317e-07, 4.526062597223154e-06, -1.968177810553167e-05,
                             7.599527703001776e-05, -0.00021503011930044477, -0.00013871931833623122, 1.0103004648645344,
                             4.849906401408584};
  if (!(fabsf(coarse(x)) < 1.875f)) return (fabs(x) != fabs(x) ? x : fabs(x) == 1.0 ? INFINITY : unit::number(~(uint64_t)0 >> 1)) * x;
  const double logarithm = plain_logarithm(fused(x, -x, 1.0));
  if (upper(logarithm) >= 0xc0190000u) {
    const double root = sqrt(-logarithm);
    return ((int32_t)upper(root) < 1074790400 ? polynomial(a, root + -3.25) : polynomial(b, root + -5.0)) * x;
  }
  return inverse_error_near(logarithm) * x;
}
static GPUOPT_EMU_QUICK double erfcinv(double x) {
  static const double a[] = {0.8722086652537561, 2.0785659791501603, 3.05788606328103, 3.433547754237851, 1.2068239635789821,
                             0.14033373337606694, 0.005338365518029045, 5.1217434951970566e-05};
  static const double b[] = {1.0, 2.2387999676904644, 4.279921171209963, 4.407122201553097, 3.6633748801179196, 1.2187093791443073,
                             0.1404911872948574, 0.005338482464667147, 5.121723638870252e-05};
  static const double c[] = {0.7775955730008021, 1.6328311797427437, 0.41796327487734297, 0.023330972813256093, 0.0002610582224071647};
  static const double d[] = {1.0, 1.3497521990745058, 1.6818595730303654, 0.4187565743603761, 0.023331573970655654, 0.0002610572869696108};
  const double other = 2.0 + -x;
  if (x >= 0.0009656933499369108 && x <= 1.999034306650063) {
    const double result = inverse_error_near(plain_logarithm(other * x));
    return fused(result, -x, result);
  }
  const bool above = (int32_t)upper(x) > 1072693247;
  const double tail = above ? other : x;
  double result;
  if (coarse(tail) >= 6.110554e-13f) {
    const double at = rsqrt_of(-plain_logarithm(tail));
    result = polynomial(a, at) / (at * polynomial(b, at));
  } else {
    const double at = inverse_root(-log(tail));
    result = polynomial(c, at) / (at * polynomial(d, at));
  }
  return above ? -result : result;
}
static GPUOPT_EMU_QUICK double normcdf(double x) {
  const double kept = fabs(x) > 38.5 ? copysign(38.5, x) : x, rough = kept * -0.7071067811865476;
  const double low = fused(kept, 4.833646656726457e-17, fused(kept, -0.7071067811865476, -rough)), at = rough + low;
  double result = erfc(at);
  if (upper(kept) >= 0xbff00001u) result = fused((at * -2.0) * result, (rough - at) + low, result);
  return result * 0.5;
}
static GPUOPT_EMU_QUICK double normcdfinv(double x) {
  const double result = erfcinv(x + x);
  return fused(-1.414213562373095, result, result * -1.2537167179050217e-16) + 0.0;
}

static const double inverse_gamma[] = {5.6127524987199165e-09, -2.009042651834998e-07, 1.1329142825413717e-06, -1.2522675054285835e-06,
                                       -2.0134752277265405e-05, 0.00012805062037740884, -0.00021524169706963982, -0.0011651676262863868,
                                       0.007218943248964928, -0.00962197152607982, -0.04219773455564866, 0.1665386113822502,
                                       -0.04200263503409351, -0.6558780715202536, 0.5772156649015329, 1.0};
static const double stirling[] = {-0.002532430896981432, 0.004824033590183204, -0.0033551299233348037, 0.0003304692780897059,
                                  0.0008100461863822245, -4.975363348787319e-05, -0.0005922109240594148, 6.972410815736525e-05,
                                  0.0007840396270128382, -0.00022947210967191528, -0.0026813271601764392, 0.0034722222222193094,
                                  0.08333333333333334};
static GPUOPT_EMU_QUICK double small_gamma(double x) {
  const float size = coarse(x);
  double factor = 1.0, at = x;
  if (size >= 2.1875f) factor = x - 1.0, at = x + -1.0;
  if (size >= 2.0625f) factor = fused(at, factor, -factor), at += -1.0;
  if (size >= 1.9375f) factor = fused(at, factor, -factor), at += -1.0;
  if (size >= 1.75f) return factor / polynomial(inverse_gamma, at + -1.0);
  return factor / (polynomial(inverse_gamma, at) * x);
}
static GPUOPT_EMU_QUICK double large_gamma(double x) {
  const Twofold<double> logarithm = twofold_logarithm_of(parts(x));
  const double times = x + -0.5, product = logarithm.high * times;
  const double product_low = fused(logarithm.low, times, fused(logarithm.high, times, -product));
  const double sum = product + product_low, less = sum - x, rest = (product_low + (product - sum)) + ((sum - less) - x);
  const double exponent = less + rest, power = exp(exponent), result = fused(rest + (less - exponent), power, power);
  const double scaled_up = fused(result, 2.5066282746310007, result * -1.8328579980459167e-16), inverse = reciprocal(x);
  return x >= 171.62437695630274 ? INFINITY : fused(inverse * polynomial(stirling, inverse), scaled_up, scaled_up);
}
static GPUOPT_EMU_QUICK double negative_gamma(double x) {
  const float size = coarse(x);
  if (size > -2.25f) {
    double factor = x, at = x;
    if (size <= -2.1875f) at = x + 1.0, factor = fused(x, x, x);
    if (size <= -2.0625f) factor = fused(at, factor, factor), at += 1.0;
    if (size <= -1.9375f) factor = fused(at, factor, factor), at += 1.0;
    if (size <= -1.75f) factor = fused(at, factor, factor), at += 1.0;
    return 1.0 / (factor * polynomial(inverse_gamma, at));
  }
  if (!(size > -3.6113281f)) {
    const double whole = floor(x), half = floor(whole * 0.5);
    return whole - (half + half) == 1.0 ? -0.0 : 0.0;
  }
  const double wave = half_turns(x, 0), positive = fabs(x);
  int32_t whole;
  double series = power_series(positive, whole);
  uint32_t last = ((uint32_t)whole << 20) + 0x3ff00000u;
  if (whole >= 1023 || whole <= -1023) {
    const uint32_t sum = (uint32_t)whole + 2046, first = (sum << 19) & 0xfff00000u;
    last = (sum << 20) - first;
    series *= of_upper(first);
  }
  const double inverse = reciprocal(positive), e = series * of_upper(last);
  const double below = positive * fused(inverse * polynomial(stirling, inverse), wave, wave);
  const double rough = fused(e, 1.2533141373155003, e * -9.164289990229583e-17) / below;
  const bool in_two = !(size > -3.529541f);
  double times = positive + -0.5;
  if (in_two) times *= 0.5;
  const double factor = power(positive, -times);
  return factor * (in_two ? rough * factor : rough);
}
static GPUOPT_EMU_QUICK double tgamma(double x) {
  if (x != x) return x + x;
  if (x < 0.0) return trunc(x) == x ? unit::number(~(uint64_t)0 >> 1) : negative_gamma(x);
  return coarse(x) < 2.25f ? small_gamma(x) : large_gamma(x);
}
static inline __attribute__((noinline)) GPUOPT_EMU_DEVICE double positive_lgamma(double x) {
  static const double a[] = {-0.001633436431, 0.00083645878922, -0.0005951896861197, 0.000793650576493454, -0.00277777777735865,
                             0.0833333333333331};
  static const double b[] = {-4024.1264274412556, -297693.796998962, -6383670.876825288, -55780721.45765393, -224585140.67147923,
                             -470690608.5291251, -762587065.363263, -971405112.4771132};
  static const double c[] = {1.0, -1022.7724835987317, -134815.35061795448, -4643211.888143436, -64801110.602554254, -419763847.78743136,
                             -1256299260.1800072, -1401441338.464917};
  static const double d[] = {9.848392830763106e-09, -6.697438504834665e-08, 2.1656514888001145e-07, -4.861702757815753e-07,
                             9.779620974011144e-07, -2.030412875747918e-06, 4.361197258053646e-06, -9.438293108664466e-06,
                             2.0510687849664422e-05, -4.4927138374210844e-05, 9.94570466342226e-05, -0.00022315458955923844,
                             0.0005096695591496374, -0.001192753926491623, 0.002890510329368155, -0.007385551028068117,
                             0.020580808427812125, -0.06735230105320737, 0.32246703342411304, 0.4227843350984672};
  static const double e[] = {0.011778691151933113, 0.03890467474135223, 0.05900457113620499, 0.06021433052543444, 0.05616527089648392,
                             0.05750527551934614, 0.06210619734473207, 0.06676147245325219, 0.0714856037245421, 0.07693112513133471,
                             0.08335031297149463, 0.09095382889911828, 0.10009959154632231, 0.11133427814173451, 0.12550966661346288,
                             0.14404989645770416, 0.1695571770314816, 0.20738555103218212, 0.27058080842760035, 0.40068563438651705,
                             0.8224670334241135, 0.5772156649015329};
  static const double f[] = {-9.04051686831358e-08, 7.068142249693493e-07, -3.8070215463790283e-07, -2.128808921893161e-05,
                             0.0001291084703071562, -0.00021593281521538658, -0.0011648432438853848, 0.007218834330444707,
                             -0.009621945795142296, -0.042197738699288445, 0.16653861181368246, -0.042002635060682, -0.6558780715194275,
                             0.5772156649015239};
  if (x >= 8.0) {
    const double inverse = reciprocal(x), half = log(x) * 0.5, times = x + -0.5;
    const double rest = fused(polynomial(a, inverse * inverse), inverse, 0.918938533204672);
    return x == INFINITY ? x : fused(half, times, rest) + fused(half, times, -x);
  }
  if (x >= 3.0) {
    const double at = x + -3.0;
    return at + polynomial(b, at) / polynomial(c, at);
  }
  if (x >= 1.5) return (x + -2.0) * polynomial(d, x + -2.0);
  if (upper(x) > 1072064101u) return (1.0 - x) * polynomial(e, 1.0 - x);
  return -log(fused(polynomial(f, x) * x, x, x));
}
static GPUOPT_EMU_QUICK double lgamma(double x) {
  const double size = fabs(x);
  if (size != size) return x + x;
  const double positive = positive_lgamma(size);
  if ((int32_t)upper(x) >= 0) return positive;
  if (size == trunc(size)) return INFINITY;
  if (upper(size) < 1006632960u) return -log(size);
  return log(3.141592653589793 / (size * fabs(half_turns(size, 0)))) - positive;
}

#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
