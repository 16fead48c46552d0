// Integer intrinsics, conversions and bit patterns.
#ifndef GPUOPT_EMU_INTRINSICS_H
#define GPUOPT_EMU_INTRINSICS_H

#include <fenv.h>
#include <math.h>

#include "atomics.h"
#include "conversions.h"
#include "early.h"
#include "plain_value.h"
#include "../vector_types.h"

#define GPUOPT_EMU_DEFINE static inline

GPUOPT_EMU_DEFINE int __popc(unsigned x) { return __builtin_popcount(x); }
GPUOPT_EMU_DEFINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GPUOPT_EMU_DEFINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
GPUOPT_EMU_DEFINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
GPUOPT_EMU_DEFINE int __ffs(int x) { return __builtin_ffs(x); }
GPUOPT_EMU_DEFINE int __ffsll(long long x) { return __builtin_ffsll(x); }
GPUOPT_EMU_DEFINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
GPUOPT_EMU_DEFINE unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
GPUOPT_EMU_DEFINE unsigned __fns(unsigned mask, unsigned base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset < 0 ? -offset : offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step) {
    if (offset == 0) return mask >> at & 1 ? (unsigned)at : ~0u;
    if ((mask >> at & 1) && --left == 0) return (unsigned)at;
  }
  return ~0u;
}
GPUOPT_EMU_DEFINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= (unsigned)(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}
GPUOPT_EMU_DEFINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
GPUOPT_EMU_DEFINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
GPUOPT_EMU_DEFINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
GPUOPT_EMU_DEFINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

GPUOPT_EMU_DEFINE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
GPUOPT_EMU_DEFINE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
GPUOPT_EMU_DEFINE long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
GPUOPT_EMU_DEFINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
GPUOPT_EMU_DEFINE int __mul24(int x, int y) {
  const int low_x = (int)((unsigned)x << 8) >> 8, low_y = (int)((unsigned)y << 8) >> 8;
  return (int)((unsigned)low_x * (unsigned)low_y);
}
GPUOPT_EMU_DEFINE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
GPUOPT_EMU_DEFINE unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
GPUOPT_EMU_DEFINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
GPUOPT_EMU_DEFINE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
GPUOPT_EMU_DEFINE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
GPUOPT_EMU_DEFINE unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
GPUOPT_EMU_DEFINE unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
GPUOPT_EMU_DEFINE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += (int)(signed char)(a >> (8 * i)) * (int)(signed char)(b >> (8 * i));
  return c;
}
GPUOPT_EMU_DEFINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
  return c;
}

// Of two halves of a, and the lower or upper two bytes of b.
#define GPUOPT_EMU_DP2A(name, first)                                                                                 \
  GPUOPT_EMU_DEFINE int name(int a, int b, int c) {                                                                  \
    for (int i = 0; i < 2; ++i) c += (int)(short)(a >> (16 * i)) * (int)(signed char)(b >> (8 * (i + first)));       \
    return c;                                                                                                        \
  }                                                                                                                  \
  GPUOPT_EMU_DEFINE unsigned name(unsigned a, unsigned b, unsigned c) {                                              \
    for (int i = 0; i < 2; ++i) c += (a >> (16 * i) & 0xffff) * (b >> (8 * (i + first)) & 255);                      \
    return c;                                                                                                        \
  }                                                                                                                  \
  GPUOPT_EMU_DEFINE int name(short2 a, char4 b, int c) { return name(gpuopt_emu::bit_cast<int>(a), gpuopt_emu::bit_cast<int>(b), c); } \
  GPUOPT_EMU_DEFINE unsigned name(ushort2 a, uchar4 b, unsigned c) {                                                 \
    return name(gpuopt_emu::bit_cast<unsigned>(a), gpuopt_emu::bit_cast<unsigned>(b), c);                            \
  }
GPUOPT_EMU_DP2A(__dp2a_lo, 0)
GPUOPT_EMU_DP2A(__dp2a_hi, 2)
#undef GPUOPT_EMU_DP2A
GPUOPT_EMU_DEFINE int __dp4a(char4 a, char4 b, int c) { return __dp4a(gpuopt_emu::bit_cast<int>(a), gpuopt_emu::bit_cast<int>(b), c); }
GPUOPT_EMU_DEFINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(gpuopt_emu::bit_cast<unsigned>(a), gpuopt_emu::bit_cast<unsigned>(b), c);
}
GPUOPT_EMU_DEFINE unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
GPUOPT_EMU_DEFINE unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
GPUOPT_EMU_DEFINE unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

// The same bits as another type.
GPUOPT_EMU_DEFINE int __float_as_int(float x) { return gpuopt_emu::bit_cast<int>(x); }
GPUOPT_EMU_DEFINE unsigned __float_as_uint(float x) { return gpuopt_emu::bit_cast<unsigned>(x); }
GPUOPT_EMU_DEFINE float __int_as_float(int x) { return gpuopt_emu::bit_cast<float>(x); }
GPUOPT_EMU_DEFINE float __uint_as_float(unsigned x) { return gpuopt_emu::bit_cast<float>(x); }
GPUOPT_EMU_DEFINE long long __double_as_longlong(double x) { return gpuopt_emu::bit_cast<long long>(x); }
GPUOPT_EMU_DEFINE double __longlong_as_double(long long x) { return gpuopt_emu::bit_cast<double>(x); }
GPUOPT_EMU_DEFINE int __double2loint(double x) { return (int)(__double_as_longlong(x) & 0xffffffffll); }
GPUOPT_EMU_DEFINE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
GPUOPT_EMU_DEFINE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

namespace gpuopt_emu {

// How an operand gets into an expression: as it is but never fused with what it comes from (plain), or so that nothing is
// computed before the rounding mode is set.
namespace opaque {
template <class T> static inline GPUOPT_EMU_EARLY(T) value(T x) {
  volatile T unknown = x;
  return unknown;
}
}

// A function of its own: host compilers would let other arithmetic come between the two calls (clang++ 23 does).
template <class Compute> static __attribute__((noinline)) GPUOPT_EMU_EARLY(decltype(std::declval<Compute>()())) rounded(int mode, Compute compute) {
  const int before = fegetround();
  fesetround(mode);
  const auto result = opaque::value(compute());
  fesetround(before);
  return result;
}

}  // namespace gpuopt_emu

#define GPUOPT_EMU_TO_INTEGER(from, to_name, to, suffix)                                                              \
  GPUOPT_EMU_DEFINE to __##from##2##to_name##_rn(from x) { return gpuopt_emu::saturated<to>(nearbyint##suffix(x)); } \
  GPUOPT_EMU_DEFINE to __##from##2##to_name##_rz(from x) { return gpuopt_emu::saturated<to>(x); }     \
  GPUOPT_EMU_DEFINE to __##from##2##to_name##_ru(from x) { return gpuopt_emu::saturated<to>(ceil##suffix(x)); }      \
  GPUOPT_EMU_DEFINE to __##from##2##to_name##_rd(from x) { return gpuopt_emu::saturated<to>(floor##suffix(x)); }
GPUOPT_EMU_TO_INTEGER(float, int, int, f)
GPUOPT_EMU_TO_INTEGER(float, uint, unsigned, f)
GPUOPT_EMU_TO_INTEGER(float, ll, long long, f)
GPUOPT_EMU_TO_INTEGER(float, ull, unsigned long long, f)
GPUOPT_EMU_TO_INTEGER(double, int, int, )
GPUOPT_EMU_TO_INTEGER(double, uint, unsigned, )
GPUOPT_EMU_TO_INTEGER(double, ll, long long, )
GPUOPT_EMU_TO_INTEGER(double, ull, unsigned long long, )
#undef GPUOPT_EMU_TO_INTEGER

#define GPUOPT_EMU_ROUNDED_AS(name, mode, type, parameters, expression)   \
  GPUOPT_EMU_DEFINE type name parameters {                                \
    using gpuopt_emu::opaque::value;                                      \
    return gpuopt_emu::rounded(mode, [=]() -> type { return expression; }); \
  }
#define GPUOPT_EMU_ROUNDED(name, type, parameters, expression)                           \
  GPUOPT_EMU_DEFINE type name##_rn parameters {                                          \
    using gpuopt_emu::plain::value;                                                      \
    return value((type)(expression));                                                                   \
  }                                                                                      \
  GPUOPT_EMU_ROUNDED_AS(name##_rz, FE_TOWARDZERO, type, parameters, expression)          \
  GPUOPT_EMU_ROUNDED_AS(name##_ru, FE_UPWARD, type, parameters, expression)              \
  GPUOPT_EMU_ROUNDED_AS(name##_rd, FE_DOWNWARD, type, parameters, expression)
GPUOPT_EMU_ROUNDED(__int2float, float, (int x), (float)value(x))
GPUOPT_EMU_ROUNDED(__uint2float, float, (unsigned x), (float)value(x))
GPUOPT_EMU_ROUNDED(__ll2float, float, (long long x), (float)value(x))
GPUOPT_EMU_ROUNDED(__ull2float, float, (unsigned long long x), (float)value(x))
GPUOPT_EMU_ROUNDED(__ll2double, double, (long long x), (double)value(x))
GPUOPT_EMU_ROUNDED(__ull2double, double, (unsigned long long x), (double)value(x))
GPUOPT_EMU_ROUNDED(__double2float, float, (double x), (float)value(x))
GPUOPT_EMU_DEFINE double __int2double_rn(int x) { return x; }
GPUOPT_EMU_DEFINE double __uint2double_rn(unsigned x) { return x; }

#define GPUOPT_EMU_ARITHMETIC(prefix, type, root, fused)                                  \
  GPUOPT_EMU_ROUNDED(__##prefix##add, type, (type x, type y), value(x) + value(y))        \
  GPUOPT_EMU_ROUNDED(__##prefix##sub, type, (type x, type y), value(x) - value(y))        \
  GPUOPT_EMU_ROUNDED(__##prefix##mul, type, (type x, type y), value(x) * value(y))        \
  GPUOPT_EMU_ROUNDED(__##prefix##div, type, (type x, type y), value(x) / value(y))        \
  GPUOPT_EMU_ROUNDED(__##prefix##rcp, type, (type x), 1 / value(x))                       \
  GPUOPT_EMU_ROUNDED(__##prefix##sqrt, type, (type x), root(value(x)))                    \
  GPUOPT_EMU_ROUNDED(__##fused, type, (type x, type y, type z), fused(value(x), y, z))
GPUOPT_EMU_ARITHMETIC(f, float, sqrtf, fmaf)
GPUOPT_EMU_ARITHMETIC(d, double, sqrt, fma)
GPUOPT_EMU_ROUNDED(__fmaf_ieee, float, (float x, float y, float z), fmaf(value(x), y, z))

#undef GPUOPT_EMU_ARITHMETIC
#undef GPUOPT_EMU_ROUNDED
#undef GPUOPT_EMU_ROUNDED_AS

#endif
