// Arithmetic on two 16-bit or four 8-bit parts of a word.
#ifndef GPUOPT_EMU_SIMD_H
#define GPUOPT_EMU_SIMD_H

#include "early.h"

namespace gpuopt_emu {
namespace simd {

// The parts of a word, each as an int.
template <int Parts, bool Signed> static inline GPUOPT_EMU_EARLY(int) part(unsigned word, int i) {
  const int bits = 32 / Parts;
  const unsigned value = word >> bits * i & ((1u << bits) - 1);
  return Signed ? (int)(value << (32 - bits)) >> (32 - bits) : (int)value;
}
template <int Parts, bool Signed, class Each> static inline GPUOPT_EMU_EARLY(unsigned) each(unsigned a, unsigned b, Each compute) {
  const int bits = 32 / Parts;
  unsigned result = 0;
  for (int i = 0; i < Parts; ++i)
    result |= ((unsigned)compute(part<Parts, Signed>(a, i), part<Parts, Signed>(b, i)) & ((1u << bits) - 1)) << bits * i;
  return result;
}
template <int Parts, bool Signed> static inline GPUOPT_EMU_EARLY(int) clamped(int value) {
  const int bits = 32 / Parts, low = Signed ? -(1 << (bits - 1)) : 0, high = Signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  return value < low ? low : value > high ? high : value;
}

}  // namespace simd
}  // namespace gpuopt_emu

#define GPUOPT_EMU_SIMD(name, parts, is_signed, expression)                                        \
  static inline unsigned __v##name##parts(unsigned x, unsigned y) {                                \
    return gpuopt_emu::simd::each<parts, is_signed>(x, y, [](int a, int b) -> int { return expression; }); \
  }
#define GPUOPT_EMU_COMPARE(name, parts, is_signed, operation)            \
  GPUOPT_EMU_SIMD(cmp##name, parts, is_signed, a operation b ? -1 : 0)   \
  GPUOPT_EMU_SIMD(set##name, parts, is_signed, a operation b ? 1 : 0)
#define GPUOPT_EMU_BOTH(parts)                                                                              \
  GPUOPT_EMU_SIMD(add, parts, false, a + b)                                                                 \
  GPUOPT_EMU_SIMD(sub, parts, false, a - b)                                                                 \
  GPUOPT_EMU_SIMD(addss, parts, true, (gpuopt_emu::simd::clamped<parts, true>(a + b)))                      \
  GPUOPT_EMU_SIMD(addus, parts, false, (gpuopt_emu::simd::clamped<parts, false>(a + b)))                    \
  GPUOPT_EMU_SIMD(subss, parts, true, (gpuopt_emu::simd::clamped<parts, true>(a - b)))                      \
  GPUOPT_EMU_SIMD(subus, parts, false, (gpuopt_emu::simd::clamped<parts, false>(a - b)))                    \
  GPUOPT_EMU_SIMD(avgs, parts, true, (a + b + (a + b >= 0)) >> 1)                                           \
  GPUOPT_EMU_SIMD(avgu, parts, false, (a + b + 1) / 2)                                                      \
  GPUOPT_EMU_SIMD(haddu, parts, false, (a + b) / 2)                                                         \
  GPUOPT_EMU_SIMD(absdiffs, parts, true, a > b ? a - b : b - a)                                             \
  GPUOPT_EMU_SIMD(absdiffu, parts, false, a > b ? a - b : b - a)                                            \
  GPUOPT_EMU_SIMD(maxs, parts, true, a > b ? a : b)                                                         \
  GPUOPT_EMU_SIMD(maxu, parts, false, a > b ? a : b)                                                        \
  GPUOPT_EMU_SIMD(mins, parts, true, a < b ? a : b)                                                         \
  GPUOPT_EMU_SIMD(minu, parts, false, a < b ? a : b)                                                        \
  GPUOPT_EMU_COMPARE(eq, parts, false, ==)                                                                  \
  GPUOPT_EMU_COMPARE(ne, parts, false, !=)                                                                  \
  GPUOPT_EMU_COMPARE(gts, parts, true, >)                                                                   \
  GPUOPT_EMU_COMPARE(gtu, parts, false, >)                                                                  \
  GPUOPT_EMU_COMPARE(ges, parts, true, >=)                                                                  \
  GPUOPT_EMU_COMPARE(geu, parts, false, >=)                                                                 \
  GPUOPT_EMU_COMPARE(lts, parts, true, <)                                                                   \
  GPUOPT_EMU_COMPARE(ltu, parts, false, <)                                                                  \
  GPUOPT_EMU_COMPARE(les, parts, true, <=)                                                                  \
  GPUOPT_EMU_COMPARE(leu, parts, false, <=)                                                                 \
  static inline unsigned __vneg##parts(unsigned x) { return __vsub##parts(0, x); }                          \
  static inline unsigned __vnegss##parts(unsigned x) { return __vsubss##parts(0, x); }                      \
  static inline unsigned __vabs##parts(unsigned x) {                                                        \
    return gpuopt_emu::simd::each<parts, true>(x, 0, [](int a, int) -> int { return a < 0 ? -a : a; });     \
  }                                                                                                         \
  static inline unsigned __vabsss##parts(unsigned x) {                                                      \
    return gpuopt_emu::simd::each<parts, true>(                                                             \
        x, 0, [](int a, int) -> int { return gpuopt_emu::simd::clamped<parts, true>(a < 0 ? -a : a); });    \
  }                                                                                                         \
  static inline unsigned __vsads##parts(unsigned x, unsigned y) {                                           \
    unsigned sum = 0;                                                                                       \
    for (int i = 0; i < parts; ++i) sum += __vabsdiffs##parts(x, y) >> 32 / parts * i & ((1u << 32 / parts) - 1); \
    return sum;                                                                                             \
  }                                                                                                         \
  static inline unsigned __vsadu##parts(unsigned x, unsigned y) {                                           \
    unsigned sum = 0;                                                                                       \
    for (int i = 0; i < parts; ++i) sum += __vabsdiffu##parts(x, y) >> 32 / parts * i & ((1u << 32 / parts) - 1); \
    return sum;                                                                                             \
  }
GPUOPT_EMU_BOTH(2)
GPUOPT_EMU_BOTH(4)
#undef GPUOPT_EMU_BOTH
#undef GPUOPT_EMU_COMPARE
#undef GPUOPT_EMU_SIMD

#endif
