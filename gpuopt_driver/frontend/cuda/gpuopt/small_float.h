// The scalar and paired types of 16 bits and their functions; NAME is half or bfloat16.
#pragma once

#define GPUOPT_SMALL_FLOAT(S, S2, NAME) \
    struct S { \
        unsigned short bits; \
        S() = default; \
        constexpr S(float); \
        constexpr S(double); \
        constexpr S(int); \
        constexpr S(unsigned); \
        constexpr S(long); \
        constexpr S(long long); \
        operator float() const; \
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
        S2& operator+=(S2); \
        S2& operator*=(S2); \
    }; \
    S2 operator+(S2, S2); \
    S2 operator-(S2, S2); \
    S2 operator*(S2, S2); \
    S2 operator/(S2, S2); \
    S __float2##NAME(float); \
    S __float2##NAME##_rn(float); \
    S __float2##NAME##_rz(float); \
    S __double2##NAME(double); \
    S __int2##NAME##_rn(int); \
    int __##NAME##2int_rn(S); \
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
