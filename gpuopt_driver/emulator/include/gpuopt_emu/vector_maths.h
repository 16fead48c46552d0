// Mathematical functions of which the runtime has vector forms (runtime/vector_maths.cpp), as g++ takes them for loops over
// threads. Calls that are made in each turn of such a loop get these names (emulator/vectors.py); they give the same bits.
#ifndef GPUOPT_EMU_VECTOR_MATHS_H
#define GPUOPT_EMU_VECTOR_MATHS_H

#include <type_traits>

#include "target.h"

#define GPUOPT_EMU_VECTOR extern "C" __attribute__((const, nothrow, simd("notinbranch")))
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_expf(float), gpuopt_emu_vector_exp2f(float), gpuopt_emu_vector_exp10f(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_powf(float, float), gpuopt_emu_vector_rsqrtf(float), gpuopt_emu_vector_tanhf(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_logf(float), gpuopt_emu_vector_log2f(float), gpuopt_emu_vector_log10f(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_sinf(float), gpuopt_emu_vector_cosf(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_rcpf(float), gpuopt_emu_vector_sqrtf(float), gpuopt_emu_vector_lg2_approxf(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_sin_approxf(float), gpuopt_emu_vector_cos_approxf(float);
GPUOPT_EMU_VECTOR double gpuopt_emu_vector_exp(double), gpuopt_emu_vector_log(double), gpuopt_emu_vector_pow(double, double);
#undef GPUOPT_EMU_VECTOR

// The fast variants.
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_expf(float x) { return gpuopt_emu_vector_exp2f(x * 1.442695f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_exp10f(float x) { return gpuopt_emu_vector_exp2f(x * 3.321928f); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_log2f(float x) { return gpuopt_emu_vector_lg2_approxf(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_logf(float x) { return gpuopt_emu_vector_lg2_approxf(x) * 0.6931472f; }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_log10f(float x) { return gpuopt_emu_vector_lg2_approxf(x) * 0.30103f; }
static GPUOPT_EMU_QUICK gpuopt_emu::Product<float> gpuopt_emu_abreast_fast_logf(float x, gpuopt_emu::Fuse) { return {gpuopt_emu_vector_lg2_approxf(x), 0.6931472f}; }
static GPUOPT_EMU_QUICK gpuopt_emu::Product<float> gpuopt_emu_abreast_fast_log10f(float x, gpuopt_emu::Fuse) { return {gpuopt_emu_vector_lg2_approxf(x), 0.30103f}; }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_sinf(float x) { return gpuopt_emu_vector_sin_approxf(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_cosf(float x) { return gpuopt_emu_vector_cos_approxf(x); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fast_powf(float x, float y) {
  return gpuopt_emu_vector_exp2f(gpuopt_emu_vector_lg2_approxf(x) * y);
}
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_fdividef(float x, float y) {
  const uint32_t is_small = (gpuopt_emu::unit::bits(y) & 0x7fffffffu) < 0x00800000u;
  const float scale = gpuopt_emu::unit::number(0x3f800000u + is_small * (24u << 23));  // 2^24 or 1, without a branch
  return gpuopt_emu::of_gpu(gpuopt_emu_vector_rcpf(y * scale) * (x * scale));
}

#define GPUOPT_EMU_NAMES(name, in_float, in_double)                                                       \
  static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_##name(float x) { return in_float(x); }                \
  static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_##name##f(float x) { return in_float(x); }             \
  static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_##name(double x) { return in_double(x); }             \
  template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_##name(T x) { \
    return in_double((double)x);                                                                          \
  }
#ifdef GPUOPT_EMU_FAST_MATH
namespace gpuopt_emu {
#define GPUOPT_EMU_FLUSHED(name) \
  static GPUOPT_EMU_QUICK float abreast_##name(float x) { return flushed(gpuopt_emu_abreast_fast_##name##f(flushed(x))); }
GPUOPT_EMU_FLUSHED(exp) GPUOPT_EMU_FLUSHED(exp10) GPUOPT_EMU_FLUSHED(log) GPUOPT_EMU_FLUSHED(log2) GPUOPT_EMU_FLUSHED(log10)
GPUOPT_EMU_FLUSHED(sin) GPUOPT_EMU_FLUSHED(cos)
#undef GPUOPT_EMU_FLUSHED
static GPUOPT_EMU_QUICK float abreast_rsqrt(float x) { return gpuopt_emu_vector_rsqrtf(flushed(x)); }
static GPUOPT_EMU_QUICK float abreast_pow(float x, float y) { return flushed(gpuopt_emu_abreast_fast_powf(flushed(x), flushed(y))); }
static GPUOPT_EMU_QUICK float abreast_tanh(float x) { return unit::tanh(x); }
}  // namespace gpuopt_emu
#define GPUOPT_EMU_FORM(name) gpuopt_emu::abreast_##name
GPUOPT_EMU_NAMES(sqrt, gpuopt_emu_vector_sqrtf, ::sqrt)
#else
#define GPUOPT_EMU_FORM(name) gpuopt_emu_vector_##name##f
GPUOPT_EMU_NAMES(sqrt, gpuopt_emu_sqrt, ::sqrt)  // which compilers make vectors of
#endif
GPUOPT_EMU_NAMES(exp, GPUOPT_EMU_FORM(exp), gpuopt_emu_vector_exp) GPUOPT_EMU_NAMES(log, GPUOPT_EMU_FORM(log), gpuopt_emu_vector_log)
GPUOPT_EMU_NAMES(exp10, GPUOPT_EMU_FORM(exp10), gpuopt_emu_exp10) GPUOPT_EMU_NAMES(tanh, GPUOPT_EMU_FORM(tanh), gpuopt_emu_tanh)
GPUOPT_EMU_NAMES(log2, GPUOPT_EMU_FORM(log2), gpuopt_emu_log2) GPUOPT_EMU_NAMES(log10, GPUOPT_EMU_FORM(log10), gpuopt_emu_log10)
GPUOPT_EMU_NAMES(sin, GPUOPT_EMU_FORM(sin), gpuopt_emu_sin) GPUOPT_EMU_NAMES(cos, GPUOPT_EMU_FORM(cos), gpuopt_emu_cos)
GPUOPT_EMU_NAMES(exp2, gpuopt_emu_vector_exp2f, gpuopt_emu_exp2) GPUOPT_EMU_NAMES(rsqrt, GPUOPT_EMU_FORM(rsqrt), gpuopt_emu_rsqrt)
#undef GPUOPT_EMU_NAMES
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_powf(float x, float y) { return GPUOPT_EMU_FORM(pow)(x, y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_pow(float x, float y) { return GPUOPT_EMU_FORM(pow)(x, y); }
#undef GPUOPT_EMU_FORM
template <class Aa, class Bb, typename std::enable_if<std::is_arithmetic<Aa>::value && std::is_arithmetic<Bb>::value, int>::type = 0>
static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_pow(Aa x, Bb y) {
  return gpuopt_emu_vector_pow((double)x, (double)y);
}

#endif
