// The names that calls of mathematical functions get in device code (emulator/device_maths.py): gpuopt_emu_sin for code that
// runs on the device alone, gpuopt_emu_both_sin in functions for host and device, where the host keeps its C library.
#ifndef GPUOPT_EMU_DEVICE_NAMES_H
#define GPUOPT_EMU_DEVICE_NAMES_H

#include <cmath>
#include <type_traits>

#include "conversions.h"
#include "device_maths_bessel.h"
#include "flushing.h"
#include "quotients.h"
#include "stores.h"

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
#define GPUOPT_EMU_IF_WHOLE(T) typename std::enable_if<std::is_integral<T>::value, int>::type = 0

// The fast variants.
static GPUOPT_EMU_QUICK float __fdividef(float x, float y) {
  const float scale = fabsf(y) < 1.1754944e-38f ? 16777216.0f : 1.0f;
  return gpuopt_emu::of_gpu(gpuopt_emu::unit::rcp(y * scale) * (x * scale));
}
static GPUOPT_EMU_QUICK float fdividef(float x, float y) { return gpuopt_emu::of_gpu(x / y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_sinf(float x) { return gpuopt_emu::unit::sin_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_cosf(float x) { return gpuopt_emu::unit::cos_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_tanf(float x) { return __fdividef(gpuopt_emu_fast_sinf(x), gpuopt_emu_fast_cosf(x)); }
static GPUOPT_EMU_QUICK void gpuopt_emu_fast_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_fast_sinf(x), *c = gpuopt_emu_fast_cosf(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_expf(float x) { return gpuopt_emu::unit::ex2_approx(x * 1.442695f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_exp10f(float x) { return gpuopt_emu::unit::ex2_approx(x * 3.321928f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_log2f(float x) { return gpuopt_emu::unit::lg2_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_logf(float x) { return gpuopt_emu::unit::lg2_approx(x) * 0.6931472f; }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_log10f(float x) { return gpuopt_emu::unit::lg2_approx(x) * 0.30103f; }
// As products that are fused with sums (emulator/contraction/primaries.py).
static GPUOPT_EMU_QUICK gpuopt_emu::Product<float> gpuopt_emu_fast_logf(float x, gpuopt_emu::Fuse) { return {gpuopt_emu::unit::lg2_approx(x), 0.6931472f}; }
static GPUOPT_EMU_QUICK gpuopt_emu::Product<float> gpuopt_emu_fast_log10f(float x, gpuopt_emu::Fuse) { return {gpuopt_emu::unit::lg2_approx(x), 0.30103f}; }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_powf(float x, float y) { return gpuopt_emu::unit::ex2_approx(gpuopt_emu::unit::lg2_approx(x) * y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_tanhf(float x) { return gpuopt_emu::unit::tanh(x); }

// -use_fast_math: these functions are the fast ones, and numbers below the least normal one are zero to them.
#ifdef GPUOPT_EMU_FAST_MATH
#define GPUOPT_EMU_FLOAT(name) flushed_##name
namespace gpuopt_emu {
static GPUOPT_EMU_QUICK float flushed(float x) { return flushed_number(x); }
#define GPUOPT_EMU_FLUSHED(name) \
  static GPUOPT_EMU_QUICK float flushed_##name(float x) { return flushed(gpuopt_emu_fast_##name##f(flushed(x))); }
GPUOPT_EMU_FLUSHED(exp) GPUOPT_EMU_FLUSHED(exp10) GPUOPT_EMU_FLUSHED(log) GPUOPT_EMU_FLUSHED(log2) GPUOPT_EMU_FLUSHED(log10)
GPUOPT_EMU_FLUSHED(sin) GPUOPT_EMU_FLUSHED(cos) GPUOPT_EMU_FLUSHED(tan)
#undef GPUOPT_EMU_FLUSHED
static GPUOPT_EMU_QUICK float flushed_rsqrt(float x) { return unit::rsqrt_approx(flushed(x)); }
static GPUOPT_EMU_QUICK float flushed_pow(float x, float y) { return flushed(gpuopt_emu_fast_powf(flushed(x), flushed(y))); }
}
#else
#define GPUOPT_EMU_FLOAT(name) library::name
#endif

#define GPUOPT_EMU_NAMES(name, in_float, in_double)                                                     \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name(float x) { return gpuopt_emu::of_gpu(gpuopt_emu::in_float(x)); } \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name##f(float x) { return gpuopt_emu::of_gpu(gpuopt_emu::in_float(x)); } \
  static GPUOPT_EMU_QUICK double gpuopt_emu_##name(double x) { return in_double(x); } \
  template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK double gpuopt_emu_##name(T x) {    \
    return gpuopt_emu_##name((double)x);                                                                \
  }                                                                                                     \
  static inline float gpuopt_emu_both_##name##f(float x) {                                              \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : ::name##f(x);                               \
  }                                                                                                     \
  template <class T> static inline auto gpuopt_emu_both_##name(T x)->decltype(gpuopt_emu_##name(x)) {   \
    using namespace std;                                                                                \
    typedef decltype(gpuopt_emu_##name(x)) Rr;                                                          \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : (Rr)name((Rr)x);                            \
  }
// What is no number, of doubles: the functions' own, or a GPU's.
#define GPUOPT_EMU_SAME(name) GPUOPT_EMU_NAMES(name, library::name, gpuopt_emu::library::name)
#define GPUOPT_EMU_SIGNED(name) GPUOPT_EMU_NAMES(name, library::name, gpuopt_emu::of_gpu<gpuopt_emu::library::name>)
#define GPUOPT_EMU_QUICKER(name) GPUOPT_EMU_NAMES(name, GPUOPT_EMU_FLOAT(name), gpuopt_emu::library::name)
#define GPUOPT_EMU_QUICKER_SIGNED(name) GPUOPT_EMU_NAMES(name, GPUOPT_EMU_FLOAT(name), gpuopt_emu::of_gpu<gpuopt_emu::library::name>)
GPUOPT_EMU_QUICKER(exp) GPUOPT_EMU_QUICKER(exp10) GPUOPT_EMU_QUICKER_SIGNED(log) GPUOPT_EMU_QUICKER_SIGNED(log2)
GPUOPT_EMU_QUICKER_SIGNED(log10) GPUOPT_EMU_QUICKER_SIGNED(sin) GPUOPT_EMU_QUICKER_SIGNED(cos) GPUOPT_EMU_QUICKER_SIGNED(tan)
GPUOPT_EMU_NAMES(rsqrt, GPUOPT_EMU_FLOAT(rsqrt), gpuopt_emu::of_gpu<gpuopt_emu::library::inverse_root>)
GPUOPT_EMU_SAME(exp2) GPUOPT_EMU_SAME(expm1) GPUOPT_EMU_SIGNED(log1p) GPUOPT_EMU_SAME(cbrt) GPUOPT_EMU_SAME(rcbrt) GPUOPT_EMU_SAME(sinpi)
GPUOPT_EMU_SAME(cospi) GPUOPT_EMU_SAME(asin) GPUOPT_EMU_SAME(acos) GPUOPT_EMU_SAME(atan) GPUOPT_EMU_SAME(sinh) GPUOPT_EMU_SAME(cosh)
GPUOPT_EMU_SAME(asinh) GPUOPT_EMU_SIGNED(acosh) GPUOPT_EMU_SAME(atanh) GPUOPT_EMU_SAME(erf) GPUOPT_EMU_SAME(erfc) GPUOPT_EMU_SAME(erfcx)
GPUOPT_EMU_SIGNED(erfinv) GPUOPT_EMU_SIGNED(erfcinv) GPUOPT_EMU_SIGNED(normcdf) GPUOPT_EMU_SIGNED(normcdfinv) GPUOPT_EMU_SIGNED(tgamma)
GPUOPT_EMU_SAME(lgamma) GPUOPT_EMU_SAME(j0) GPUOPT_EMU_SAME(j1) GPUOPT_EMU_SIGNED(y0) GPUOPT_EMU_SIGNED(y1)
#ifdef GPUOPT_EMU_FAST_MATH
GPUOPT_EMU_NAMES(sqrt, unit::sqrt, ::sqrt) GPUOPT_EMU_NAMES(tanh, unit::tanh, gpuopt_emu::library::tanh)
// one / sqrt(x), as emulator/quotients.py writes it.
template <class T> static GPUOPT_EMU_QUICK float gpuopt_emu_over_sqrt(T, float x) { return gpuopt_emu_rsqrtf(x); }
template <class T, class Uu, class Rr = decltype(gpuopt_emu_sqrt(Uu()))> static inline auto gpuopt_emu_over_sqrt(T one, Uu x)->decltype(one / Rr()) {
  return one / gpuopt_emu::quick / gpuopt_emu_sqrt(x);
}
#else
GPUOPT_EMU_NAMES(sqrt, exact_root, ::sqrt) GPUOPT_EMU_SAME(tanh)
#endif
#undef GPUOPT_EMU_SAME
#undef GPUOPT_EMU_SIGNED
#undef GPUOPT_EMU_QUICKER
#undef GPUOPT_EMU_QUICKER_SIGNED
#undef GPUOPT_EMU_NAMES

// To the nearest integer: cvt.rni, and round with what it saturates to.
#define GPUOPT_EMU_NAMES(type, name, rounded)                                                                                  \
  static GPUOPT_EMU_QUICK type gpuopt_emu_##name(float x) { return gpuopt_emu::saturated<type>(rounded##f(x)); }             \
  static GPUOPT_EMU_QUICK type gpuopt_emu_##name(double x) { return gpuopt_emu::saturated<type>(rounded(x)); }               \
  static GPUOPT_EMU_QUICK type gpuopt_emu_##name##f(float x) { return gpuopt_emu_##name(x); }                                 \
  template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK type gpuopt_emu_##name(T x) { return (type)x; }          \
  static inline type gpuopt_emu_both_##name##f(float x) { return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : ::name##f(x); } \
  template <class T> static inline type gpuopt_emu_both_##name(T x) {                                                         \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : std::name(x);                                                     \
  }
GPUOPT_EMU_NAMES(long, lrint, ::rint) GPUOPT_EMU_NAMES(long long, llrint, ::rint)
GPUOPT_EMU_NAMES(long, lround, ::round) GPUOPT_EMU_NAMES(long long, llround, ::round)
#undef GPUOPT_EMU_NAMES

// Exponents. For those of 0 and NaN C libraries choose numbers of their own, by processor.
static GPUOPT_EMU_QUICK int gpuopt_emu_ilogb(float x) { return x == 0 || x != x ? (int)0x80000000 : ::ilogbf(x); }
static GPUOPT_EMU_QUICK int gpuopt_emu_ilogb(double x) { return x == 0 || x != x ? (int)0x80000000 : ::ilogb(x); }
static GPUOPT_EMU_QUICK int gpuopt_emu_ilogbf(float x) { return gpuopt_emu_ilogb(x); }
template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK int gpuopt_emu_ilogb(T x) { return gpuopt_emu_ilogb((double)x); }
static inline int gpuopt_emu_both_ilogbf(float x) { return gpuopt_emu::on_device() ? gpuopt_emu_ilogb(x) : ::ilogbf(x); }
template <class T> static inline int gpuopt_emu_both_ilogb(T x) {
  return gpuopt_emu::on_device() ? gpuopt_emu_ilogb(x) : std::ilogb(x);
}

// Of two numbers: single precision where both have it.
#define GPUOPT_EMU_NAMES(name, in_float)                                                                                    \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name##f(float x, float y) { return gpuopt_emu::of_gpu(gpuopt_emu::in_float(x, y)); }\
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name(float x, float y) { return gpuopt_emu::of_gpu(gpuopt_emu::in_float(x, y)); }\
  template <class Aa, class Bb, typename std::enable_if<std::is_arithmetic<Aa>::value && std::is_arithmetic<Bb>::value, int>::type = 0>\
  static GPUOPT_EMU_QUICK double gpuopt_emu_##name(Aa x, Bb y) { return gpuopt_emu::library::name((double)x, (double)y); }  \
  static inline float gpuopt_emu_both_##name##f(float x, float y) {                                                         \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name##f(x, y) : ::name##f(x, y);                                          \
  }                                                                                                                         \
  template <class Aa, class Bb> static inline auto gpuopt_emu_both_##name(Aa x, Bb y)->decltype(gpuopt_emu_##name(x, y)) {  \
    using namespace std;                                                                                                    \
    typedef decltype(gpuopt_emu_##name(x, y)) Rr;                                                                           \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x, y) : (Rr)name((Rr)x, (Rr)y);                                      \
  }
GPUOPT_EMU_NAMES(pow, GPUOPT_EMU_FLOAT(pow)) GPUOPT_EMU_NAMES(atan2, library::atan2) GPUOPT_EMU_NAMES(hypot, library::hypot)
GPUOPT_EMU_NAMES(rhypot, library::rhypot)
#undef GPUOPT_EMU_NAMES
#if __cplusplus >= 201703L
template <class Aa, class Bb, class Cc> static inline auto gpuopt_emu_hypot(Aa x, Bb y, Cc z) { return std::hypot(x, y, z); }
template <class Aa, class Bb, class Cc> static inline auto gpuopt_emu_both_hypot(Aa x, Bb y, Cc z) { return std::hypot(x, y, z); }
#endif
// Lengths, and Bessel functions of any order.
#define GPUOPT_EMU_NAMES(name, parameters, arguments, in_double)                                                            \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name##f(GPUOPT_EMU_##parameters(float)) { return gpuopt_emu::of_gpu(gpuopt_emu::library::name arguments); }\
  static GPUOPT_EMU_QUICK double gpuopt_emu_##name(GPUOPT_EMU_##parameters(double)) { return in_double(gpuopt_emu::library::name arguments); }\
  static inline float gpuopt_emu_both_##name##f(GPUOPT_EMU_##parameters(float)) {                                           \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name##f arguments : ::name##f arguments;                                  \
  }                                                                                                                         \
  static inline double gpuopt_emu_both_##name(GPUOPT_EMU_##parameters(double)) {                                            \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name arguments : ::name arguments;                                        \
  }
#define GPUOPT_EMU_THREE(T) T x, T y, T z
#define GPUOPT_EMU_FOUR(T) T x, T y, T z, T w
#define GPUOPT_EMU_ORDER(T) int n, T x
GPUOPT_EMU_NAMES(norm3d, THREE, (x, y, z), ) GPUOPT_EMU_NAMES(rnorm3d, THREE, (x, y, z), )
GPUOPT_EMU_NAMES(norm4d, FOUR, (x, y, z, w), ) GPUOPT_EMU_NAMES(rnorm4d, FOUR, (x, y, z, w), )
#define GPUOPT_EMU_SIGNED(result) gpuopt_emu::of_gpu(x, result)
GPUOPT_EMU_NAMES(jn, ORDER, (n, x), GPUOPT_EMU_SIGNED) GPUOPT_EMU_NAMES(yn, ORDER, (n, x), GPUOPT_EMU_SIGNED)
#undef GPUOPT_EMU_SIGNED
#undef GPUOPT_EMU_THREE
#undef GPUOPT_EMU_FOUR
#undef GPUOPT_EMU_ORDER
#undef GPUOPT_EMU_NAMES
static GPUOPT_EMU_QUICK float gpuopt_emu_jn(int n, float x) { return gpuopt_emu_jnf(n, x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_yn(int n, float x) { return gpuopt_emu_ynf(n, x); }
static inline float gpuopt_emu_both_jn(int n, float x) { return gpuopt_emu_both_jnf(n, x); }
static inline float gpuopt_emu_both_yn(int n, float x) { return gpuopt_emu_both_ynf(n, x); }
// What no C library has, the host takes from the device's.
static GPUOPT_EMU_QUICK float cyl_bessel_i0f(float x) { return gpuopt_emu::of_gpu(gpuopt_emu::library::cyl_bessel_i0(x)); }
static GPUOPT_EMU_QUICK float cyl_bessel_i1f(float x) { return gpuopt_emu::of_gpu(gpuopt_emu::library::cyl_bessel_i1(x)); }
static GPUOPT_EMU_QUICK float cyl_bessel_i0(float x) { return gpuopt_emu::library::cyl_bessel_i0(x); }
static GPUOPT_EMU_QUICK float cyl_bessel_i1(float x) { return gpuopt_emu::library::cyl_bessel_i1(x); }
static GPUOPT_EMU_QUICK double cyl_bessel_i0(double x) { return gpuopt_emu::library::cyl_bessel_i0(x); }
static GPUOPT_EMU_QUICK double cyl_bessel_i1(double x) { return gpuopt_emu::library::cyl_bessel_i1(x); }
static GPUOPT_EMU_QUICK float normf(int count, const float *p) { return gpuopt_emu::library::norm(count, p); }
static GPUOPT_EMU_QUICK float rnormf(int count, const float *p) { return gpuopt_emu::library::rnorm(count, p); }
static GPUOPT_EMU_QUICK double norm(int count, const double *p) { return gpuopt_emu::library::norm(count, p); }
static GPUOPT_EMU_QUICK double rnorm(int count, const double *p) { return gpuopt_emu::library::rnorm(count, p); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincos(double x, double *s, double *c) { *s = gpuopt_emu_sin(x), *c = gpuopt_emu_cos(x); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_sin(x), *c = gpuopt_emu_cos(x); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincos(float x, float *s, float *c) { gpuopt_emu_sincosf(x, s, c); }
static inline void gpuopt_emu_both_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_both_sin(x), *c = gpuopt_emu_both_cos(x); }
static inline void gpuopt_emu_both_sincos(double x, double *s, double *c) { *s = gpuopt_emu_both_sin(x), *c = gpuopt_emu_both_cos(x); }
static inline void gpuopt_emu_both_sincos(float x, float *s, float *c) { gpuopt_emu_both_sincosf(x, s, c); }

#define GPUOPT_EMU_NAMES(type, suffix)                                                                                  \
  static GPUOPT_EMU_QUICK void gpuopt_emu_sincospi##suffix(type x, type *s, type *c) {                                    \
    *s = gpuopt_emu_sinpi(x), *c = gpuopt_emu_cospi(x);                                                                   \
  }                                                                                                                       \
  static inline void gpuopt_emu_both_sincospi##suffix(type x, type *s, type *c) {                                         \
    if (gpuopt_emu::on_device()) gpuopt_emu_sincospi##suffix(x, s, c);                                                    \
    else ::sincospi##suffix(x, s, c);                                                                                     \
  }
GPUOPT_EMU_NAMES(double, ) GPUOPT_EMU_NAMES(float, f)
#undef GPUOPT_EMU_NAMES
static GPUOPT_EMU_QUICK void gpuopt_emu_sincospi(float x, float *s, float *c) { gpuopt_emu_sincospif(x, s, c); }
static inline void gpuopt_emu_both_sincospi(float x, float *s, float *c) { gpuopt_emu_both_sincospif(x, s, c); }

#ifdef GPUOPT_EMU_FLUSH
namespace gpuopt_emu {
static GPUOPT_EMU_QUICK float flushed_min(float x, float y) {
  x = flushed_to_zero(x), y = flushed_to_zero(y);
  if (x == y) return bit_cast<float>(bit_cast<unsigned>(x) | bit_cast<unsigned>(y));
  return x < y || y != y ? x : y;
}
static GPUOPT_EMU_QUICK float flushed_max(float x, float y) {
  x = flushed_to_zero(x), y = flushed_to_zero(y);
  if (x == y) return bit_cast<float>(bit_cast<unsigned>(x) & bit_cast<unsigned>(y));
  return x > y || y != y ? x : y;
}
static GPUOPT_EMU_QUICK float flushed_abs(float x) { return flushed_to_zero(__builtin_fabsf(x)); }
}  // namespace gpuopt_emu
#define GPUOPT_EMU_NAMES(name, flushed, ...)                                                                                \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name(GPUOPT_EMU_##flushed(float)) { return gpuopt_emu::flushed(__VA_ARGS__); } \
  static inline float gpuopt_emu_both_##name(GPUOPT_EMU_##flushed(float)) {                                                \
    return gpuopt_emu::on_device() ? gpuopt_emu::flushed(__VA_ARGS__) : ::name(__VA_ARGS__);                               \
  }                                                                                                                        \
  template <class... T> static GPUOPT_EMU_QUICK auto gpuopt_emu_##name(T... x)->decltype(::name(x...)) { return ::name(x...); }     \
  template <class... T> static inline auto gpuopt_emu_both_##name(T... x)->decltype(::name(x...)) { return ::name(x...); }
#define GPUOPT_EMU_flushed_min(T) T x, T y
#define GPUOPT_EMU_flushed_max(T) T x, T y
#define GPUOPT_EMU_flushed_abs(T) T x
GPUOPT_EMU_NAMES(fminf, flushed_min, x, y) GPUOPT_EMU_NAMES(fmaxf, flushed_max, x, y) GPUOPT_EMU_NAMES(fabsf, flushed_abs, x)
GPUOPT_EMU_NAMES(min, flushed_min, x, y) GPUOPT_EMU_NAMES(max, flushed_max, x, y) GPUOPT_EMU_NAMES(fabs, flushed_abs, x)
#undef GPUOPT_EMU_NAMES
#undef GPUOPT_EMU_flushed_min
#undef GPUOPT_EMU_flushed_max
#undef GPUOPT_EMU_flushed_abs
#endif

#ifdef GPUOPT_EMU_ABREAST
#include "vector_maths.h"
#endif

#undef GPUOPT_EMU_QUICK
#undef GPUOPT_EMU_FLOAT
#undef GPUOPT_EMU_IF_WHOLE

#endif
