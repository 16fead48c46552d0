// Integer, conversion and rounding-mode intrinsics, and device functions without a host counterpart.
#pragma once

#define GPUOPT_F1(R, A, NAME) __device__ R NAME(A);
#define GPUOPT_F2(R, A, NAME) __device__ R NAME(A, A);
#define GPUOPT_F3(R, A, NAME) __device__ R NAME(A, A, A);

GPUOPT_F1(int, unsigned, __popc)
GPUOPT_F1(int, unsigned long long, __popcll)
GPUOPT_F1(int, int, __clz)
GPUOPT_F1(int, long long, __clzll)
GPUOPT_F1(int, int, __ffs)
GPUOPT_F1(int, long long, __ffsll)
GPUOPT_F1(unsigned, unsigned, __brev)
GPUOPT_F1(unsigned long long, unsigned long long, __brevll)
__device__ unsigned __fns(unsigned, unsigned, int);
GPUOPT_F2(int, int, __mul24)
GPUOPT_F2(unsigned, unsigned, __umul24)
GPUOPT_F2(int, int, __mulhi)
GPUOPT_F2(unsigned, unsigned, __umulhi)
GPUOPT_F2(long long, long long, __mul64hi)
GPUOPT_F2(unsigned long long, unsigned long long, __umul64hi)
GPUOPT_F2(int, int, __hadd)
GPUOPT_F2(int, int, __rhadd)
GPUOPT_F2(unsigned, unsigned, __uhadd)
GPUOPT_F2(unsigned, unsigned, __urhadd)
GPUOPT_F2(int, int, mul24)
GPUOPT_F2(unsigned, unsigned, umul24)
GPUOPT_F2(int, int, mulhi)
GPUOPT_F2(unsigned, unsigned, umulhi)
__device__ unsigned __sad(int, int, unsigned);
__device__ unsigned __usad(unsigned, unsigned, unsigned);
GPUOPT_F3(unsigned, unsigned, __byte_perm)
GPUOPT_F3(unsigned, unsigned, __funnelshift_l)
GPUOPT_F3(unsigned, unsigned, __funnelshift_r)
GPUOPT_F3(unsigned, unsigned, __funnelshift_lc)
GPUOPT_F3(unsigned, unsigned, __funnelshift_rc)
__device__ int __dp4a(int, int, int);
__device__ unsigned __dp4a(unsigned, unsigned, unsigned);
__device__ int __dp2a_lo(int, int, int);
__device__ int __dp2a_hi(int, int, int);
__device__ unsigned __dp2a_lo(unsigned, unsigned, unsigned);
__device__ unsigned __dp2a_hi(unsigned, unsigned, unsigned);
__device__ int __dp4a(char4, char4, int);
__device__ unsigned __dp4a(uchar4, uchar4, unsigned);
__device__ int __dp2a_lo(short2, char4, int);
__device__ int __dp2a_hi(short2, char4, int);
__device__ unsigned __dp2a_lo(ushort2, uchar4, unsigned);
__device__ unsigned __dp2a_hi(ushort2, uchar4, unsigned);

#include "simd.h"

#define GPUOPT_ROUNDED1(R, A, NAME) \
    GPUOPT_F1(R, A, NAME##_rn) GPUOPT_F1(R, A, NAME##_rz) GPUOPT_F1(R, A, NAME##_ru) GPUOPT_F1(R, A, NAME##_rd)
#define GPUOPT_ROUNDED2(T, NAME) \
    GPUOPT_F2(T, T, NAME##_rn) GPUOPT_F2(T, T, NAME##_rz) GPUOPT_F2(T, T, NAME##_ru) GPUOPT_F2(T, T, NAME##_rd)
#define GPUOPT_ROUNDED3(T, NAME) \
    GPUOPT_F3(T, T, NAME##_rn) GPUOPT_F3(T, T, NAME##_rz) GPUOPT_F3(T, T, NAME##_ru) GPUOPT_F3(T, T, NAME##_rd)
GPUOPT_ROUNDED1(int, float, __float2int)
GPUOPT_ROUNDED1(unsigned, float, __float2uint)
GPUOPT_ROUNDED1(long long, float, __float2ll)
GPUOPT_ROUNDED1(unsigned long long, float, __float2ull)
GPUOPT_ROUNDED1(float, int, __int2float)
GPUOPT_ROUNDED1(float, unsigned, __uint2float)
GPUOPT_ROUNDED1(float, long long, __ll2float)
GPUOPT_ROUNDED1(float, unsigned long long, __ull2float)
GPUOPT_ROUNDED1(int, double, __double2int)
GPUOPT_ROUNDED1(unsigned, double, __double2uint)
GPUOPT_ROUNDED1(long long, double, __double2ll)
GPUOPT_ROUNDED1(unsigned long long, double, __double2ull)
GPUOPT_ROUNDED1(float, double, __double2float)
GPUOPT_ROUNDED1(double, long long, __ll2double)
GPUOPT_ROUNDED1(double, unsigned long long, __ull2double)
GPUOPT_ROUNDED1(float, float, __frcp)
GPUOPT_ROUNDED1(float, float, __fsqrt)
GPUOPT_ROUNDED1(double, double, __drcp)
GPUOPT_ROUNDED1(double, double, __dsqrt)
GPUOPT_ROUNDED2(float, __fadd)
GPUOPT_ROUNDED2(float, __fsub)
GPUOPT_ROUNDED2(float, __fmul)
GPUOPT_ROUNDED2(float, __fdiv)
GPUOPT_ROUNDED2(double, __dadd)
GPUOPT_ROUNDED2(double, __dsub)
GPUOPT_ROUNDED2(double, __dmul)
GPUOPT_ROUNDED2(double, __ddiv)
GPUOPT_ROUNDED3(float, __fmaf)
GPUOPT_ROUNDED3(double, __fma)
GPUOPT_F3(float, float, __fmaf_ieee_rn)
GPUOPT_F3(float, float, __fmaf_ieee_rz)
GPUOPT_F3(float, float, __fmaf_ieee_ru)
GPUOPT_F3(float, float, __fmaf_ieee_rd)
GPUOPT_F1(float, float, __frsqrt_rn)
GPUOPT_F1(double, int, __int2double_rn)
GPUOPT_F1(double, unsigned, __uint2double_rn)
GPUOPT_F1(int, float, __float_as_int)
GPUOPT_F1(unsigned, float, __float_as_uint)
GPUOPT_F1(float, int, __int_as_float)
GPUOPT_F1(float, unsigned, __uint_as_float)
GPUOPT_F1(long long, double, __double_as_longlong)
GPUOPT_F1(double, long long, __longlong_as_double)
GPUOPT_F1(int, double, __double2hiint)
GPUOPT_F1(int, double, __double2loint)
GPUOPT_F2(double, int, __hiloint2double)

#define GPUOPT_MIN_MAX(T) GPUOPT_F2(T, T, min) GPUOPT_F2(T, T, max)
GPUOPT_MIN_MAX(int)
GPUOPT_MIN_MAX(unsigned)
GPUOPT_MIN_MAX(long)
GPUOPT_MIN_MAX(unsigned long)
GPUOPT_MIN_MAX(long long)
GPUOPT_MIN_MAX(unsigned long long)
GPUOPT_MIN_MAX(float)
GPUOPT_MIN_MAX(double)
#define GPUOPT_MIXED_MIN_MAX(R, A, B) \
    __device__ R min(A, B); \
    __device__ R max(A, B);
GPUOPT_MIXED_MIN_MAX(unsigned, unsigned, int)
GPUOPT_MIXED_MIN_MAX(unsigned, int, unsigned)
GPUOPT_MIXED_MIN_MAX(unsigned long, unsigned long, long)
GPUOPT_MIXED_MIN_MAX(unsigned long, long, unsigned long)
GPUOPT_MIXED_MIN_MAX(unsigned long long, unsigned long long, long long)
GPUOPT_MIXED_MIN_MAX(unsigned long long, long long, unsigned long long)
GPUOPT_MIXED_MIN_MAX(double, float, double)
GPUOPT_MIXED_MIN_MAX(double, double, float)
GPUOPT_F2(unsigned, unsigned, umin)
GPUOPT_F2(unsigned, unsigned, umax)
GPUOPT_F2(long long, long long, llmin)
GPUOPT_F2(long long, long long, llmax)
GPUOPT_F2(unsigned long long, unsigned long long, ullmin)
GPUOPT_F2(unsigned long long, unsigned long long, ullmax)
GPUOPT_F1(unsigned short, unsigned short, __nv_bswap16)
GPUOPT_F1(unsigned, unsigned, __nv_bswap32)
GPUOPT_F1(unsigned long long, unsigned long long, __nv_bswap64)

__device__ long long clock64();
__device__ unsigned __pm0(), __pm1(), __pm2(), __pm3();
__device__ void __nanosleep(unsigned);
__device__ void __trap();
__device__ void __brkpt();
__device__ void __prof_trigger(int);
__device__ void __assertfail(...);
