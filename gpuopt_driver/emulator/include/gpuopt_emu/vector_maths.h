// Mathematical functions of which the runtime has vector forms (runtime/vector_maths.cpp), as g++ takes them for loops over
// threads. Calls that are made in each turn of such a loop get these names (emulator/vectors.py); they give the same bits.
#ifndef GPUOPT_EMU_VECTOR_MATHS_H
#define GPUOPT_EMU_VECTOR_MATHS_H

#include <type_traits>

#include "target.h"

#define GPUOPT_EMU_VECTOR extern "C" __attribute__((const, nothrow, simd("notinbranch")))
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_expf(float), gpuopt_emu_vector_exp2f(float), gpuopt_emu_vector_exp10f(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_powf(float, float), gpuopt_emu_vector_rsqrtf(float), gpuopt_emu_vector_tanhf(float);
GPUOPT_EMU_VECTOR float gpuopt_emu_vector_sinf(float), gpuopt_emu_vector_cosf(float);
GPUOPT_EMU_VECTOR double gpuopt_emu_vector_exp(double), gpuopt_emu_vector_log(double), gpuopt_emu_vector_pow(double, double);
#undef GPUOPT_EMU_VECTOR

#define GPUOPT_EMU_NAMES(name, in_float, in_double)                                                       \
  static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_##name(float x) { return in_float(x); }                \
  static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_##name##f(float x) { return in_float(x); }             \
  static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_##name(double x) { return in_double(x); }             \
  template <class T, GPUOPT_EMU_IF_WHOLE(T)> static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_##name(T x) { \
    return in_double((double)x);                                                                          \
  }
GPUOPT_EMU_NAMES(exp, gpuopt_emu_vector_expf, gpuopt_emu_vector_exp)
GPUOPT_EMU_NAMES(exp2, gpuopt_emu_vector_exp2f, gpuopt_emu_exp2)
GPUOPT_EMU_NAMES(exp10, gpuopt_emu_vector_exp10f, gpuopt_emu_exp10)
GPUOPT_EMU_NAMES(log, gpuopt_emu_logf, gpuopt_emu_vector_log)
GPUOPT_EMU_NAMES(rsqrt, gpuopt_emu_vector_rsqrtf, gpuopt_emu_rsqrt)
GPUOPT_EMU_NAMES(tanh, gpuopt_emu_vector_tanhf, gpuopt_emu_tanh)
GPUOPT_EMU_NAMES(sin, gpuopt_emu_vector_sinf, gpuopt_emu_sin)
GPUOPT_EMU_NAMES(cos, gpuopt_emu_vector_cosf, gpuopt_emu_cos)
#undef GPUOPT_EMU_NAMES
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_powf(float x, float y) { return gpuopt_emu_vector_powf(x, y); }
static GPUOPT_EMU_QUICK float gpuopt_emu_abreast_pow(float x, float y) { return gpuopt_emu_vector_powf(x, y); }
template <class Aa, class Bb, typename std::enable_if<std::is_arithmetic<Aa>::value && std::is_arithmetic<Bb>::value, int>::type = 0>
static GPUOPT_EMU_QUICK double gpuopt_emu_abreast_pow(Aa x, Bb y) {
  return gpuopt_emu_vector_pow((double)x, (double)y);
}

#endif
