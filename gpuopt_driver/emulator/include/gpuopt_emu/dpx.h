// DPX: minima and maxima of two and three numbers, of sums, kept from falling below 0, or saying which one was taken.
#ifndef GPUOPT_EMU_DPX_H
#define GPUOPT_EMU_DPX_H

#include "simd.h"

// Sums wrap; of equal numbers the first one is taken.
#define GPUOPT_EMU_DPX_WORD(kind, type, best, sign)                                                                      \
  static inline type __vi##best##3_##kind(type x, type y, type z) {                                                      \
    const type first = x sign y ? x : y;                                                                                 \
    return first sign z ? first : z;                                                                                     \
  }                                                                                                                      \
  static inline type __viadd##best##_##kind(type x, type y, type z) {                                                    \
    const type sum = (type)((unsigned)x + (unsigned)y);                                                                  \
    return sum sign z ? sum : z;                                                                                         \
  }                                                                                                                      \
  static inline type __vib##best##_##kind(type x, type y, bool *first) {                                                 \
    *first = x sign##= y;                                                                                                \
    return x sign y ? x : y;                                                                                             \
  }
#define GPUOPT_EMU_DPX_PAIR(kind, is_signed, best, sign)                                                                 \
  static inline unsigned __vi##best##3_##kind(unsigned x, unsigned y, unsigned z) {                                      \
    return gpuopt_emu::simd::best<is_signed>(gpuopt_emu::simd::best<is_signed>(x, y), z);                                \
  }                                                                                                                      \
  static inline unsigned __viadd##best##_##kind(unsigned x, unsigned y, unsigned z) {                                    \
    return gpuopt_emu::simd::best<is_signed>(__vadd2(x, y), z);                                                          \
  }                                                                                                                      \
  static inline unsigned __vib##best##_##kind(unsigned x, unsigned y, bool *high, bool *low) {                           \
    *high = gpuopt_emu::simd::part<2, is_signed>(x, 1) sign##= gpuopt_emu::simd::part<2, is_signed>(y, 1);               \
    *low = gpuopt_emu::simd::part<2, is_signed>(x, 0) sign##= gpuopt_emu::simd::part<2, is_signed>(y, 0);                \
    return gpuopt_emu::simd::best<is_signed>(x, y);                                                                      \
  }
#define GPUOPT_EMU_DPX_RELU(best, sign)                                                                                  \
  static inline int __vi##best##_s32_relu(int x, int y) { return gpuopt_emu::simd::relu(x sign y ? x : y); }             \
  static inline int __vi##best##3_s32_relu(int x, int y, int z) {                                                        \
    return gpuopt_emu::simd::relu(__vi##best##3_s32(x, y, z));                                                           \
  }                                                                                                                      \
  static inline int __viadd##best##_s32_relu(int x, int y, int z) {                                                      \
    return gpuopt_emu::simd::relu(__viadd##best##_s32(x, y, z));                                                         \
  }                                                                                                                      \
  static inline unsigned __vi##best##_s16x2_relu(unsigned x, unsigned y) {                                               \
    return gpuopt_emu::simd::max<true>(gpuopt_emu::simd::best<true>(x, y), 0);                                           \
  }                                                                                                                      \
  static inline unsigned __vi##best##3_s16x2_relu(unsigned x, unsigned y, unsigned z) {                                  \
    return gpuopt_emu::simd::max<true>(__vi##best##3_s16x2(x, y, z), 0);                                                 \
  }                                                                                                                      \
  static inline unsigned __viadd##best##_s16x2_relu(unsigned x, unsigned y, unsigned z) {                                \
    return gpuopt_emu::simd::max<true>(__viadd##best##_s16x2(x, y, z), 0);                                               \
  }
#define GPUOPT_EMU_DPX(best, sign)                                                                                       \
  GPUOPT_EMU_DPX_WORD(s32, int, best, sign)                                                                              \
  GPUOPT_EMU_DPX_WORD(u32, unsigned, best, sign)                                                                         \
  GPUOPT_EMU_DPX_PAIR(s16x2, true, best, sign)                                                                           \
  GPUOPT_EMU_DPX_PAIR(u16x2, false, best, sign)                                                                          \
  GPUOPT_EMU_DPX_RELU(best, sign)

namespace gpuopt_emu {
namespace simd {
template <bool Signed> static inline unsigned max(unsigned x, unsigned y) { return Signed ? __vmaxs2(x, y) : __vmaxu2(x, y); }
template <bool Signed> static inline unsigned min(unsigned x, unsigned y) { return Signed ? __vmins2(x, y) : __vminu2(x, y); }
static inline int relu(int x) { return x > 0 ? x : 0; }
}  // namespace simd
}  // namespace gpuopt_emu

GPUOPT_EMU_DPX(max, >)
GPUOPT_EMU_DPX(min, <)

#undef GPUOPT_EMU_DPX
#undef GPUOPT_EMU_DPX_RELU
#undef GPUOPT_EMU_DPX_PAIR
#undef GPUOPT_EMU_DPX_WORD

#endif
