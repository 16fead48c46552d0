// Products of numbers with sums, rounded once, and by themselves.
#ifndef GPUOPT_EMU_ROUNDING_H
#define GPUOPT_EMU_ROUNDING_H

#include <type_traits>
#include <utility>

#include "plain_value.h"

#define GPUOPT_EMU_AT_ONCE __attribute__((always_inline)) inline

namespace gpuopt_emu {

// Where a constant is asked for, it is worked out as C++ says.
#define GPUOPT_EMU_FUSED(T, fma)                                                                                 \
  constexpr GPUOPT_EMU_AT_ONCE T fused(T x, T y, T z) {                                                         \
    return __builtin_is_constant_evaluated() ? x * y + z : fma(x, y, z);                                        \
  }
GPUOPT_EMU_FUSED(float, __builtin_fmaf)
GPUOPT_EMU_FUSED(double, __builtin_fma)
#undef GPUOPT_EMU_FUSED
// What else a sum can be made of is rounded twice, as on a GPU.
template <class T, class Sum> constexpr GPUOPT_EMU_AT_ONCE Sum fused(T x, T y, Sum z) { return x * y + z; }

#if defined(__clang__)  // which would make a product of fma(x, y, -0), and fuse that
#define GPUOPT_EMU_ROUNDED(T, fma) plain::value(x *y)
#else
#define GPUOPT_EMU_ROUNDED(T, fma) fma(x, y, -(T)0)
#endif
constexpr GPUOPT_EMU_AT_ONCE float rounded(float x, float y) {
  return __builtin_is_constant_evaluated() ? x * y : GPUOPT_EMU_ROUNDED(float, __builtin_fmaf);
}
constexpr GPUOPT_EMU_AT_ONCE double rounded(double x, double y) {
  return __builtin_is_constant_evaluated() ? x * y : GPUOPT_EMU_ROUNDED(double, __builtin_fma);
}
#undef GPUOPT_EMU_ROUNDED

}  // namespace gpuopt_emu

#endif
