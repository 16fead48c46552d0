// The names that calls of mathematical functions get in device code (emulator/device_maths.py): gpuopt_emu_sin for code that
// runs on the device alone, gpuopt_emu_both_sin in functions for host and device, where the host keeps its C library.
#ifndef GPUOPT_EMU_DEVICE_NAMES_H
#define GPUOPT_EMU_DEVICE_NAMES_H

#include <cmath>
#include <type_traits>

#include "conversions.h"
#include "device_maths_double.h"
#include "device_maths_more.h"
#include "flushing.h"

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
#define GPUOPT_EMU_IF_WHOLE(T) typename std::enable_if<std::is_integral<T>::value, int>::type = 0

// The fast variants.
static GPUOPT_EMU_QUICK float __fdividef(float x, float y) {
  const float scale = fabsf(y) < 1.1754944e-38f ? 16777216.0f : 1.0f;
  return gpuopt_emu::unit::rcp(y * scale) * (x * scale);
}
static GPUOPT_EMU_QUICK float fdividef(float x, float y) { return x / y; }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_sinf(float x) { return gpuopt_emu::unit::sin_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_cosf(float x) { return gpuopt_emu::unit::cos_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_tanf(float x) { return __fdividef(gpuopt_emu_fast_sinf(x), gpuopt_emu_fast_cosf(x)); }
static GPUOPT_EMU_QUICK void gpuopt_emu_fast_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_fast_sinf(x), *c = gpuopt_emu_fast_cosf(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_expf(float x) { return gpuopt_emu::unit::ex2_approx(x * 1.442695f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_exp10f(float x) { return gpuopt_emu::unit::ex2_approx(x * 3.321928f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_log2f(float x) { return gpuopt_emu::unit::lg2_approx(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_logf(float x) { return gpuopt_emu::unit::lg2_approx(x) * 0.6931472f; }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_log10f(float x) { return gpuopt_emu::unit::lg2_approx(x) * 0.30103f; }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_powf(float x, float y) { return gpuopt_emu::unit::ex2_approx(gpuopt_emu::unit::lg2_approx(x) * y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_fast_tanhf(float x) { return gpuopt_emu::unit::tanh(x); }

// -use_fast_math: these functions are the fast ones, and numbers below the least normal one are zero to them.
#ifdef GPUOPT_EMU_FAST_MATH
#define GPUOPT_EMU_FLOAT(name) flushed_##name
namespace gpuopt_emu {
static GPUOPT_EMU_QUICK float flushed(float x) { return fabsf(x) < 1.1754944e-38f ? copysignf(0.0f, x) : x; }
#define GPUOPT_EMU_FLUSHED(name) \
  static GPUOPT_EMU_QUICK float flushed_##name(float x) { return flushed(gpuopt_emu_fast_##name##f(flushed(x))); }
GPUOPT_EMU_FLUSHED(exp) GPUOPT_EMU_FLUSHED(exp10) GPUOPT_EMU_FLUSHED(log) GPUOPT_EMU_FLUSHED(log2) GPUOPT_EMU_FLUSHED(log10)
GPUOPT_EMU_FLUSHED(sin) GPUOPT_EMU_FLUSHED(cos) GPUOPT_EMU_FLUSHED(tan)
#undef GPUOPT_EMU_FLUSHED
static GPUOPT_EMU_QUICK float flushed_pow(float x, float y) { return flushed(gpuopt_emu_fast_powf(flushed(x), flushed(y))); }
}
#else
#define GPUOPT_EMU_FLOAT(name) library::name
#endif

#define GPUOPT_EMU_NAMES(name, in_float, in_double)                                                   \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name(float x) { return gpuopt_emu::in_float(x); }    \
  static GPUOPT_EMU_QUICK float gpuopt_emu_##name##f(float x) { return gpuopt_emu::in_float(x); } \
  static GPUOPT_EMU_QUICK double gpuopt_emu_##name(double x) { return in_double(x); }                  \
  template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK double gpuopt_emu_##name(T x) {   \
    return in_double((double)x);                                                                      \
  }                                                                                                   \
  static inline float gpuopt_emu_both_##name##f(float x) {                                            \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : ::name##f(x);                              \
  }                                                                                                   \
  template <class T> static inline auto gpuopt_emu_both_##name(T x)->decltype(gpuopt_emu_##name(x)) {   \
    using namespace std;                                                                              \
    typedef decltype(gpuopt_emu_##name(x)) Rr;                                                          \
    return gpuopt_emu::on_device() ? gpuopt_emu_##name(x) : (Rr)name((Rr)x);                             \
  }
GPUOPT_EMU_NAMES(exp, GPUOPT_EMU_FLOAT(exp), gpuopt_emu::library::exp) GPUOPT_EMU_NAMES(log, GPUOPT_EMU_FLOAT(log), gpuopt_emu::library::log)
GPUOPT_EMU_NAMES(sin, GPUOPT_EMU_FLOAT(sin), gpuopt_emu::library::sin) GPUOPT_EMU_NAMES(cos, GPUOPT_EMU_FLOAT(cos), gpuopt_emu::library::cos)
GPUOPT_EMU_NAMES(exp2, library::exp2, ::exp2) GPUOPT_EMU_NAMES(exp10, GPUOPT_EMU_FLOAT(exp10), ::exp10) GPUOPT_EMU_NAMES(log2, GPUOPT_EMU_FLOAT(log2), ::log2)
GPUOPT_EMU_NAMES(log10, GPUOPT_EMU_FLOAT(log10), ::log10) GPUOPT_EMU_NAMES(tan, GPUOPT_EMU_FLOAT(tan), ::tan) GPUOPT_EMU_NAMES(rsqrt, library::rsqrt, ::rsqrt)
GPUOPT_EMU_NAMES(asin, library::asin, ::asin) GPUOPT_EMU_NAMES(acos, library::acos, ::acos) GPUOPT_EMU_NAMES(atan, library::atan, ::atan) GPUOPT_EMU_NAMES(sinh, library::sinh, ::sinh)
GPUOPT_EMU_NAMES(cosh, library::cosh, ::cosh) GPUOPT_EMU_NAMES(cbrt, library::cbrt, ::cbrt) GPUOPT_EMU_NAMES(erf, library::erf, ::erf)
#ifdef GPUOPT_EMU_FAST_MATH
GPUOPT_EMU_NAMES(sqrt, unit::sqrt, ::sqrt) GPUOPT_EMU_NAMES(tanh, unit::tanh, ::tanh)
#else
GPUOPT_EMU_NAMES(tanh, library::tanh, ::tanh)
#endif
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

static GPUOPT_EMU_QUICK float gpuopt_emu_powf(float x, float y) { return gpuopt_emu::GPUOPT_EMU_FLOAT(pow)(x, y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_pow(float x, float y) { return gpuopt_emu_powf(x, y); }
template <class Aa, class Bb, typename std::enable_if<std::is_arithmetic<Aa>::value && std::is_arithmetic<Bb>::value, int>::type = 0>
static GPUOPT_EMU_QUICK double gpuopt_emu_pow(Aa x, Bb y) { return gpuopt_emu::library::pow((double)x, (double)y); }
static inline float gpuopt_emu_both_powf(float x, float y) { return gpuopt_emu::on_device() ? gpuopt_emu_powf(x, y) : ::powf(x, y); }
template <class Aa, class Bb> static inline auto gpuopt_emu_both_pow(Aa x, Bb y)->decltype(gpuopt_emu_pow(x, y)) {
  return gpuopt_emu::on_device() ? gpuopt_emu_pow(x, y) : std::pow(x, y);
}
static GPUOPT_EMU_QUICK float gpuopt_emu_hypotf(float x, float y) { return gpuopt_emu::library::hypot(x, y); }
static inline float gpuopt_emu_both_hypotf(float x, float y) { return gpuopt_emu::on_device() ? gpuopt_emu_hypotf(x, y) : ::hypotf(x, y); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincos(double x, double *s, double *c) { *s = gpuopt_emu_sin(x), *c = gpuopt_emu_cos(x); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_sin(x), *c = gpuopt_emu_cos(x); }
static GPUOPT_EMU_QUICK void gpuopt_emu_sincos(float x, float *s, float *c) { gpuopt_emu_sincosf(x, s, c); }
static inline void gpuopt_emu_both_sincosf(float x, float *s, float *c) { *s = gpuopt_emu_both_sin(x), *c = gpuopt_emu_both_cos(x); }
static inline void gpuopt_emu_both_sincos(double x, double *s, double *c) { *s = gpuopt_emu_both_sin(x), *c = gpuopt_emu_both_cos(x); }
static inline void gpuopt_emu_both_sincos(float x, float *s, float *c) { gpuopt_emu_both_sincosf(x, s, c); }

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

#undef GPUOPT_EMU_QUICK
#undef GPUOPT_EMU_FLOAT
#undef GPUOPT_EMU_IF_WHOLE

#endif
