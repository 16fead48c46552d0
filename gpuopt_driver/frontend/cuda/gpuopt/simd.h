// Several small integers in a word, and comparisons of dynamic programming (DPX).
#pragma once

// One macro argument for what is done, one for both widths: __vadd2 and __vadd4.
#define GPUOPT_SIMD1(NAME) GPUOPT_F1(unsigned, unsigned, NAME##2) GPUOPT_F1(unsigned, unsigned, NAME##4)
#define GPUOPT_SIMD2(NAME) GPUOPT_F2(unsigned, unsigned, NAME##2) GPUOPT_F2(unsigned, unsigned, NAME##4)
#define GPUOPT_SIMD_SIGNS(NAME) GPUOPT_SIMD2(NAME##s) GPUOPT_SIMD2(NAME##u)
#define GPUOPT_SIMD_COMPARED(NAME) \
    GPUOPT_SIMD2(NAME##eq) GPUOPT_SIMD2(NAME##ne) GPUOPT_SIMD_SIGNS(NAME##gt) GPUOPT_SIMD_SIGNS(NAME##ge) \
    GPUOPT_SIMD_SIGNS(NAME##lt) GPUOPT_SIMD_SIGNS(NAME##le)
GPUOPT_SIMD1(__vabs)
GPUOPT_SIMD1(__vabsss)
GPUOPT_SIMD1(__vneg)
GPUOPT_SIMD1(__vnegss)
GPUOPT_SIMD2(__vadd)
GPUOPT_SIMD2(__vsub)
GPUOPT_SIMD2(__vaddss)
GPUOPT_SIMD2(__vaddus)
GPUOPT_SIMD2(__vsubss)
GPUOPT_SIMD2(__vsubus)
GPUOPT_SIMD2(__vhaddu)
GPUOPT_SIMD_SIGNS(__vmax)
GPUOPT_SIMD_SIGNS(__vmin)
GPUOPT_SIMD_SIGNS(__vavg)
GPUOPT_SIMD_SIGNS(__vabsdiff)
GPUOPT_SIMD_SIGNS(__vsad)
GPUOPT_SIMD_COMPARED(__vcmp)
GPUOPT_SIMD_COMPARED(__vset)

#define GPUOPT_DPX_WORDS(MACRO, NAME) MACRO(int, NAME##_s32) MACRO(unsigned, NAME##_u32)
#define GPUOPT_DPX_PAIRS(MACRO, NAME) MACRO(unsigned, NAME##_s16x2) MACRO(unsigned, NAME##_u16x2)
#define GPUOPT_DPX_RELU(MACRO, NAME) MACRO(int, NAME##_s32_relu) MACRO(unsigned, NAME##_s16x2_relu)
#define GPUOPT_DPX2(T, NAME) GPUOPT_F2(T, T, NAME)
#define GPUOPT_DPX3(T, NAME) GPUOPT_F3(T, T, NAME)
#define GPUOPT_DPX_CHOSEN(T, NAME) __device__ T NAME(T, T, bool*);
#define GPUOPT_DPX_CHOSEN2(T, NAME) __device__ T NAME(T, T, bool*, bool*);
#define GPUOPT_DPX(NAME) \
    GPUOPT_DPX_WORDS(GPUOPT_DPX3, NAME) GPUOPT_DPX_PAIRS(GPUOPT_DPX3, NAME) GPUOPT_DPX_RELU(GPUOPT_DPX3, NAME)
GPUOPT_DPX(__vimax3)
GPUOPT_DPX(__vimin3)
GPUOPT_DPX(__viaddmax)
GPUOPT_DPX(__viaddmin)
GPUOPT_DPX_RELU(GPUOPT_DPX2, __vimax)
GPUOPT_DPX_RELU(GPUOPT_DPX2, __vimin)
GPUOPT_DPX_WORDS(GPUOPT_DPX_CHOSEN, __vibmax)
GPUOPT_DPX_WORDS(GPUOPT_DPX_CHOSEN, __vibmin)
GPUOPT_DPX_PAIRS(GPUOPT_DPX_CHOSEN2, __vibmax)
GPUOPT_DPX_PAIRS(GPUOPT_DPX_CHOSEN2, __vibmin)
