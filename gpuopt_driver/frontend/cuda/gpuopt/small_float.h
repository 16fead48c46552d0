// The scalar and paired types of 16 bits and their functions; NAME is half or bfloat16.
#pragma once

#define GPUOPT_SMALL_FLOAT_FROM(S, NAME, T, WORD) \
    S __##WORD##2##NAME##_rn(T); \
    S __##WORD##2##NAME##_rz(T); \
    S __##WORD##2##NAME##_ru(T); \
    S __##WORD##2##NAME##_rd(T);
#define GPUOPT_SMALL_FLOAT_BOTH(S, NAME, T, WORD) \
    GPUOPT_SMALL_FLOAT_FROM(S, NAME, T, WORD) \
    T __##NAME##2##WORD##_rn(S); \
    T __##NAME##2##WORD##_rz(S); \
    T __##NAME##2##WORD##_ru(S); \
    T __##NAME##2##WORD##_rd(S);
#define GPUOPT_SMALL_FLOAT_COMPARED(S, S2, HOW) \
    bool __h##HOW##u(S, S); \
    bool __hb##HOW##2(S2, S2); \
    bool __hb##HOW##u2(S2, S2); \
    S2 __h##HOW##2(S2, S2); \
    S2 __h##HOW##u2(S2, S2); \
    unsigned __h##HOW##2_mask(S2, S2); \
    unsigned __h##HOW##u2_mask(S2, S2);

#define GPUOPT_SMALL_FLOAT(S, S2, NAME) \
    struct S##_raw { \
        unsigned short x; \
    }; \
    struct S2##_raw { \
        unsigned short x, y; \
    }; \
    struct S { \
        unsigned short __x; \
        S() = default; \
        constexpr S(float); \
        constexpr S(double); \
        constexpr S(short); \
        constexpr S(unsigned short); \
        constexpr S(int); \
        constexpr S(unsigned); \
        constexpr S(long); \
        constexpr S(unsigned long); \
        constexpr S(long long); \
        constexpr S(unsigned long long); \
        S(const S##_raw&); \
        operator S##_raw() const; \
        operator float() const; \
        S& operator=(float); \
        S& operator=(double); \
        S& operator=(short); \
        S& operator=(unsigned short); \
        S& operator=(int); \
        S& operator=(unsigned); \
        S& operator=(long long); \
        S& operator=(unsigned long long); \
        S& operator=(const S##_raw&); \
        S& operator+=(S); \
        S& operator-=(S); \
        S& operator*=(S); \
        S& operator/=(S); \
    }; \
    S operator+(S, S); \
    S operator-(S, S); \
    S operator*(S, S); \
    S operator/(S, S); \
    S operator-(S); \
    bool operator<(S, S); \
    bool operator>(S, S); \
    bool operator<=(S, S); \
    bool operator>=(S, S); \
    bool operator==(S, S); \
    bool operator!=(S, S); \
    struct __attribute__((aligned(4))) S2 { \
        S x, y; \
        S2() = default; \
        S2(S, S); \
        S2(const S2##_raw&); \
        operator S2##_raw() const; \
        S2& operator+=(S2); \
        S2& operator*=(S2); \
    }; \
    S2 operator+(S2, S2); \
    S2 operator-(S2, S2); \
    S2 operator*(S2, S2); \
    S2 operator/(S2, S2); \
    S __float2##NAME(float); \
    GPUOPT_SMALL_FLOAT_FROM(S, NAME, float, float) \
    S __double2##NAME(double); \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, int, int) \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, unsigned, uint) \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, short, short) \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, unsigned short, ushort) \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, long long, ll) \
    GPUOPT_SMALL_FLOAT_BOTH(S, NAME, unsigned long long, ull) \
    signed char __##NAME##2char_rz(S); \
    unsigned char __##NAME##2uchar_rz(S); \
    short __##NAME##_as_short(S); \
    unsigned short __##NAME##_as_ushort(S); \
    S __short_as_##NAME(short); \
    S __ushort_as_##NAME(unsigned short); \
    int __hisinf(S); \
    S htanh_approx(S); \
    S2 h2tanh_approx(S2); \
    S2 __hcmadd(S2, S2, S2); \
    S2 __low2##NAME##2(S2); \
    S2 __high2##NAME##2(S2); \
    S2 __hisnan2(S2); \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, eq) \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, ne) \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, gt) \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, ge) \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, lt) \
    GPUOPT_SMALL_FLOAT_COMPARED(S, S2, le) \
    float __##NAME##2float(S); \
    S2 __floats2##NAME##2_rn(float, float); \
    S2 __float2##NAME##2_rn(float); \
    S2 __float22##NAME##2_rn(float2); \
    float2 __##NAME##22float2(S2); \
    S2 __##NAME##2##NAME##2(S); \
    S __low2##NAME(S2); \
    S __high2##NAME(S2); \
    S2 __lows2##NAME##2(S2, S2); \
    S2 __highs2##NAME##2(S2, S2); \
    S2 make_##NAME##2(S, S); \
    float __low2float(S2); \
    float __high2float(S2); \
    S2 __lowhigh2highlow(S2); \
    S2 __halves2##NAME##2(S, S); \
    GPUOPT_SMALL_FLOAT_FUNCTIONS(S, ) \
    GPUOPT_SMALL_FLOAT_FUNCTIONS(S2, 2)

#define GPUOPT_SMALL_FLOAT_FUNCTIONS(T, W) \
    T __hadd##W(T, T); \
    T __hsub##W(T, T); \
    T __hmul##W(T, T); \
    T __hfma##W(T, T, T); \
    T __hneg##W(T); \
    T __habs##W(T); \
    T __hmax##W(T, T); \
    T __hmin##W(T, T); \
    T __hmax##W##_nan(T, T); \
    T __hmin##W##_nan(T, T); \
    T __hadd##W##_rn(T, T); \
    T __hsub##W##_rn(T, T); \
    T __hmul##W##_rn(T, T); \
    T __hadd##W##_sat(T, T); \
    T __hsub##W##_sat(T, T); \
    T __hmul##W##_sat(T, T); \
    T __hfma##W##_sat(T, T, T); \
    T __hfma##W##_relu(T, T, T); \
    T h##W##exp10(T); \
    T h##W##log2(T); \
    T h##W##log10(T); \
    T h##W##sqrt(T); \
    T h##W##exp(T); \
    T h##W##exp2(T); \
    T h##W##log(T); \
    T h##W##rcp(T); \
    T h##W##rsqrt(T); \
    T h##W##floor(T); \
    T h##W##ceil(T); \
    T h##W##trunc(T); \
    T h##W##rint(T); \
    T h##W##sin(T); \
    T h##W##cos(T); \
    T h##W##tanh(T); \
    bool __hisnan(T); \
    bool __hgt(T, T); \
    bool __hlt(T, T); \
    bool __hge(T, T); \
    bool __hle(T, T); \
    bool __heq(T, T); \
    bool __hne(T, T); \
    T __hdiv(T, T); \
    T __h2div(T, T); \
    T h2div(T, T);
