// Products of numbers with sums, rounded once, and by themselves.
#ifndef GPUOPT_EMU_ROUNDING_H
#define GPUOPT_EMU_ROUNDING_H

#include <type_traits>
#include <utility>

#include "plain_value.h"

#define GPUOPT_EMU_AT_ONCE __attribute__((always_inline)) inline

namespace gpuopt_emu {

GPUOPT_EMU_AT_ONCE float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GPUOPT_EMU_AT_ONCE double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
// What else a sum can be made of is rounded twice, as on a GPU.
template <class T, class Sum> GPUOPT_EMU_AT_ONCE Sum fused(T x, T y, Sum z) { return x * y + z; }

#if defined(__clang__)  // which would make a product of fma(x, y, -0), and fuse that
GPUOPT_EMU_AT_ONCE float rounded(float x, float y) { return plain::value(x * y); }
GPUOPT_EMU_AT_ONCE double rounded(double x, double y) { return plain::value(x * y); }
#else
GPUOPT_EMU_AT_ONCE float rounded(float x, float y) { return __builtin_fmaf(x, y, -0.0f); }
GPUOPT_EMU_AT_ONCE double rounded(double x, double y) { return __builtin_fma(x, y, -0.0); }
#endif

}  // namespace gpuopt_emu

#endif
