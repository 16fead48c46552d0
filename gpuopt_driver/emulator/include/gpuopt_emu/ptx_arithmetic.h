// PTX arithmetic.
#ifndef GPUOPT_EMU_PTX_ARITHMETIC_H
#define GPUOPT_EMU_PTX_ARITHMETIC_H

#include "device_maths_double_more.h"
#include "device_maths_float_more.h"
#include "half.h"
#include "intrinsics.h"
#include "maths.h"
#include "special_function_unit.h"
#include "dpx.h"
#include "simd.h"

namespace gpuopt_emu {
namespace ptx {

struct F16 {
  unsigned short bits;
  F16() = default;
  explicit F16(float v) : bits(half_bits(v)) {}
  explicit F16(double v) : bits(half_bits(to_odd(v))) {}
  operator float() const { return half_value(bits); }
};
struct BF16 {
  unsigned short bits;
  BF16() = default;
  explicit BF16(float v) : bits(bfloat_bits(v)) {}
  explicit BF16(double v) : bits(bfloat_bits(to_odd(v))) {}
  operator float() const { return bfloat_value(bits); }
};
template <class Hh> struct Pair {
  Hh low, high;
};
typedef Pair<F16> F16x2;
typedef Pair<BF16> BF16x2;
struct TF32 {
  unsigned bits;
};

template <class T> struct Unsigned { typedef unsigned type; };
template <> struct Unsigned<long long> { typedef unsigned long long type; };
template <> struct Unsigned<unsigned long long> { typedef unsigned long long type; };
template <class T> struct Signed { typedef int type; };
template <> struct Signed<long long> { typedef long long type; };
template <> struct Signed<unsigned long long> { typedef long long type; };
template <class T> struct Bits8 { static const unsigned value = 8 * sizeof(T); };

#define GPUOPT_EMU_WRAPPING(name, operation)                                               \
  template <class T> static inline T name(T a, T b) {                                      \
    typedef typename Unsigned<T>::type Uu;                                                  \
    return (T)((Uu)a operation (Uu)b);                                                       \
  }
GPUOPT_EMU_WRAPPING(add, +)
GPUOPT_EMU_WRAPPING(sub, -)
GPUOPT_EMU_WRAPPING(mul, *)
GPUOPT_EMU_WRAPPING(and_, &)
GPUOPT_EMU_WRAPPING(or_, |)
GPUOPT_EMU_WRAPPING(xor_, ^)
#undef GPUOPT_EMU_WRAPPING
template <> inline bool and_<bool>(bool a, bool b) { return a && b; }
template <> inline bool or_<bool>(bool a, bool b) { return a || b; }
template <> inline bool xor_<bool>(bool a, bool b) { return a != b; }
template <class T> static inline T not_(T a) { return (T)~a; }
template <> inline bool not_<bool>(bool a) { return !a; }
template <class T> static inline T cnot(T a) { return a == 0; }
template <class T> static inline T div(T a, T b) { return b ? (T)(a / b) : (T)-1; }
template <class T> static inline T rem(T a, T b) { return b ? (T)(a % b) : a; }
template <class T> static inline T shl(T a, unsigned by) { return by >= Bits8<T>::value ? (T)0 : (T)(a << by); }
template <class T> static inline T shr(T a, unsigned by) {
  return by >= Bits8<T>::value ? (a < 0 ? (T)-1 : (T)0) : (T)(a >> by);
}
template <class T> static inline T add_sat(T a, T b) {
  const long long sum = (long long)a + b;
  return sum > 0x7fffffff ? (T)0x7fffffff : sum < -0x7fffffffll - 1 ? (T)(-0x7fffffff - 1) : (T)sum;
}
template <class T> static inline T sub_sat(T a, T b) {
  const long long sum = (long long)a - b;
  return sum > 0x7fffffff ? (T)0x7fffffff : sum < -0x7fffffffll - 1 ? (T)(-0x7fffffff - 1) : (T)sum;
}
template <class T> static inline T mul_hi(T a, T b) { return (T)((long long)a * (long long)b >> Bits8<T>::value); }
template <> inline unsigned mul_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
template <> inline long long mul_hi(long long a, long long b) { return __mul64hi(a, b); }
template <> inline unsigned long long mul_hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
template <class T> static inline T mul24_lo(T a, T b) { return (T)((T)-1 < 0 ? __mul24((int)a, (int)b) : (int)__umul24((unsigned)a, (unsigned)b)); }
template <class T> static inline T mul24_hi(T a, T b) {
  const long long mask = 0xffffff, x = (T)-1 < 0 ? (long long)((int)((unsigned)a << 8) >> 8) : (long long)a & mask;
  const long long y = (T)-1 < 0 ? (long long)((int)((unsigned)b << 8) >> 8) : (long long)b & mask;
  return (T)(x * y >> 16);
}
template <class T> static inline T mad24_lo(T a, T b, T c) { return add<T>(mul24_lo<T>(a, b), c); }
template <class T> static inline T mad24_hi(T a, T b, T c) { return add<T>(mul24_hi<T>(a, b), c); }
template <class T> static inline T mad24_hi_sat(T a, T b, T c) { return add_sat<T>(mul24_hi<T>(a, b), c); }
template <class T> static inline T sad(T a, T b, T c) { return add<T>(c, a > b ? sub<T>(a, b) : sub<T>(b, a)); }

// The carry of add.cc and its relatives; chains may go through several asm statements.
static __thread unsigned carry __attribute__((unused));
struct Carry {  // keeps it
  unsigned before;
  Carry() : before(carry) {}
  ~Carry() { carry = before; }
};
template <class T> static inline T add_cc(T a, T b, unsigned with) {
  typedef typename Unsigned<T>::type Uu;
  const unsigned __int128 sum = (unsigned __int128)(Uu)a + (Uu)b + with;
  carry = (unsigned)(sum >> Bits8<T>::value) & 1;
  return (T)sum;
}
template <class T> static inline T sub_cc(T a, T b, unsigned with) {
  typedef typename Unsigned<T>::type Uu;
  const unsigned __int128 difference = (unsigned __int128)(Uu)a - (Uu)b - with;
  carry = (unsigned)(difference >> Bits8<T>::value) & 1;
  return (T)difference;
}

// Numbers below the least normal one as zero, for .ftz.
template <class T> static inline T ftz(T a) { return a; }
template <> inline float ftz(float a) { return fabsf(a) < 1.1754944e-38f ? ::copysignf(0.0f, a) : a; }
template <> inline F16 ftz(F16 a) { return a.bits & 0x7c00 ? a : as<F16>((unsigned short)(a.bits & 0x8000)); }
template <> inline BF16 ftz(BF16 a) { return a.bits & 0x7f80 ? a : as<BF16>((unsigned short)(a.bits & 0x8000)); }
template <> inline F16x2 ftz(F16x2 a) { return {ftz(a.low), ftz(a.high)}; }
template <> inline BF16x2 ftz(BF16x2 a) { return {ftz(a.low), ftz(a.high)}; }

template <class T> static inline T min(T a, T b) { return a < b ? a : b; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }
// Of zeros the lesser one is negative, which C leaves open.
template <> inline float min(float a, float b) { return a == b ? as<float>(as<unsigned>(a) | as<unsigned>(b)) : fminf(a, b); }
template <> inline float max(float a, float b) { return a == b ? as<float>(as<unsigned>(a) & as<unsigned>(b)) : fmaxf(a, b); }
template <> inline double min(double a, double b) { return a == b ? unit::number(unit::bits(a) | unit::bits(b)) : fmin(a, b); }
template <> inline double max(double a, double b) { return a == b ? unit::number(unit::bits(a) & unit::bits(b)) : fmax(a, b); }
template <class T> static inline T min_relu(T a, T b) { return min<T>(a, b) < 0 ? (T)0 : min<T>(a, b); }
template <class T> static inline T max_relu(T a, T b) { return max<T>(a, b) < 0 ? (T)0 : max<T>(a, b); }
template <class T> static inline T min_nan(T a, T b) { return a != a ? a : b != b ? b : min<T>(a, b); }
template <class T> static inline T max_nan(T a, T b) { return a != a ? a : b != b ? b : max<T>(a, b); }
template <class T> static inline T neg(T a) { return (T)(0 - (typename Unsigned<T>::type)a); }
template <> inline float neg(float a) { return -a; }
template <> inline double neg(double a) { return -a; }
template <class T> static inline T abs(T a) { return a < 0 ? neg<T>(a) : a; }
template <> inline float abs(float a) { return fabsf(a); }
template <> inline double abs(double a) { return fabs(a); }
// Of 16 bits: the sign is a bit, of zeros the lesser one is negative, and what is no number gives way.
#define GPUOPT_EMU_SIXTEEN(Hh)                                                                              \
  template <> inline Hh neg(Hh a) { return as<Hh>((unsigned short)(a.bits ^ 0x8000)); }                       \
  template <> inline Hh abs(Hh a) { return as<Hh>((unsigned short)(a.bits & 0x7fff)); }                       \
  template <> inline Hh min(Hh a, Hh b) {                                                                     \
    const float x = a, y = b;                                                                                \
    return x == y ? as<Hh>((unsigned short)(a.bits | b.bits)) : x < y || y != y ? (x != x ? Hh(NAN) : a) : b; \
  }                                                                                                          \
  template <> inline Hh max(Hh a, Hh b) {                                                                     \
    const float x = a, y = b;                                                                                \
    return x == y ? as<Hh>((unsigned short)(a.bits & b.bits)) : x > y || y != y ? (x != x ? Hh(NAN) : a) : b; \
  }                                                                                                          \
  template <> inline Hh min_nan(Hh a, Hh b) { return (float)a != (float)a || (float)b != (float)b ? Hh(NAN) : min(a, b); } \
  template <> inline Hh max_nan(Hh a, Hh b) { return (float)a != (float)a || (float)b != (float)b ? Hh(NAN) : max(a, b); } \
  template <> inline Pair<Hh> neg(Pair<Hh> a) { return {neg(a.low), neg(a.high)}; }                           \
  template <> inline Pair<Hh> abs(Pair<Hh> a) { return {abs(a.low), abs(a.high)}; }                           \
  template <> inline Pair<Hh> min(Pair<Hh> a, Pair<Hh> b) { return {min(a.low, b.low), min(a.high, b.high)}; } \
  template <> inline Pair<Hh> max(Pair<Hh> a, Pair<Hh> b) { return {max(a.low, b.low), max(a.high, b.high)}; } \
  template <> inline Pair<Hh> min_nan(Pair<Hh> a, Pair<Hh> b) { return {min_nan(a.low, b.low), min_nan(a.high, b.high)}; } \
  template <> inline Pair<Hh> max_nan(Pair<Hh> a, Pair<Hh> b) { return {max_nan(a.low, b.low), max_nan(a.high, b.high)}; }
GPUOPT_EMU_SIXTEEN(F16)
GPUOPT_EMU_SIXTEEN(BF16)
#undef GPUOPT_EMU_SIXTEEN
// The sizes' least or greatest, with the signs' product. (What is no number gives way, or does not, as the function has it.)
static inline float with_sign_of(float value, float a, float b) { return ::copysignf(value, std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f); }
template <class Hh> static inline Hh with_sign_of(Hh value, Hh a, Hh b) {
  return as<Hh>((unsigned short)((value.bits & 0x7fff) | ((a.bits ^ b.bits) & 0x8000)));
}
template <class T> static inline T min_xorsign(T a, T b) { return with_sign_of(min<T>(abs<T>(a), abs<T>(b)), a, b); }
template <class T> static inline T max_xorsign(T a, T b) { return with_sign_of(max<T>(abs<T>(a), abs<T>(b)), a, b); }
template <class T> static inline T min_nan_xorsign(T a, T b) { return with_sign_of(min_nan<T>(abs<T>(a), abs<T>(b)), a, b); }
template <class T> static inline T max_nan_xorsign(T a, T b) { return with_sign_of(max_nan<T>(abs<T>(a), abs<T>(b)), a, b); }
template <class T> static inline T copysign(T magnitude, T sign) { return (T)::copysign((double)magnitude, (double)sign); }
template <class T> static inline unsigned popc(T a) { return (unsigned)__builtin_popcountll(a); }
template <class T> static inline unsigned clz(T a) { return sizeof(T) == 8 ? (unsigned)__clzll((long long)a) : (unsigned)__clz((int)a); }
template <class T> static inline T brev(T a) { return sizeof(T) == 8 ? (T)__brevll(a) : (T)__brev((unsigned)a); }
template <class T> static inline T bmsk(T from, T count, bool wraps) {
  if (wraps) from &= 31, count &= 31;
  const unsigned width = (unsigned)count >= 32 ? ~0u : (1u << (count & 31)) - 1;
  return (T)((unsigned)from >= 32 ? 0 : width << (from & 31));
}
template <class T> static inline unsigned bfind(T a, bool shift) {
  const unsigned bits = Bits8<T>::value;
  if (a < 0) a = (T)~a;
  const unsigned zeros = clz<T>(a);
  return zeros == bits ? ~0u : shift ? zeros : bits - 1 - zeros;
}
// The lower `count` bits; of all of them from 32 on, where the count is not cut off to five bits.
template <class T> static inline T szext(T a, unsigned count, bool wraps) {
  if (wraps) count &= 31;
  if (count == 0) return 0;
  return count >= 32 ? a : (T)((T)((unsigned)a << (32 - count)) >> (32 - count));
}
// Two words as numbers of type To, the second one lowest; of bytes two more behind them.
template <class To> static inline unsigned kept_within(int value) {
  const int least = (To)-1 < 0 ? -(1 << (8 * sizeof(To) - 1)) : 0, most = (To)-1 < 0 ? -(least + 1) : (1 << 8 * sizeof(To)) - 1;
  return (unsigned)(value < least ? least : value > most ? most : value) & ((1u << 8 * sizeof(To)) - 1);
}
template <class To> static inline unsigned cvt_pack(int a, int b, unsigned behind = 0) {
  const unsigned bits = 8 * sizeof(To), both = kept_within<To>(a) << bits | kept_within<To>(b);
  return bits == 8 ? both | behind << 16 : both;
}
template <class T> static inline T bfe(T a, unsigned from, unsigned count) {
  const unsigned bits = Bits8<T>::value, at = from & 255, width = count & 255;
  T result = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned source = at + i < bits ? at + i : bits - 1;
    bool bit;
    if (i < width) bit = at + i < bits ? a >> (at + i) & 1 : a < 0;
    else bit = width && (T)-1 < 0 && (at + width - 1 < bits ? a >> (at + width - 1) & 1 : a < 0);
    (void)source;
    if (bit) result = (T)(result | (T)((typename Unsigned<T>::type)1 << i));
  }
  return result;
}
template <class T> static inline T bfi(T insert, T into, unsigned from, unsigned count) {
  const unsigned bits = Bits8<T>::value, at = from & 255, width = count & 255;
  for (unsigned i = 0; i < width && at + i < bits; ++i)
    into = (T)((into & ~((T)1 << (at + i))) | ((insert >> i & 1) << (at + i)));
  return into;
}
static inline unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}
// As __byte_perm, but that a selector of 8 or more takes the sign of the byte for all its bits.
static inline unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned bytes = __byte_perm(a, b, selector), signs = (bytes >> 7 & 0x01010101u) * 255u;
  const unsigned picks = selector >> 3 & 0x1111u, spread = (picks & 1) | (picks & 0x10) << 4 | (picks & 0x100) << 8 | (picks & 0x1000) << 12;
  const unsigned mask = spread * 255u;
  return (bytes & ~mask) | (signs & mask);
}
#define GPUOPT_EMU_PRMT(mode, selector)                                                         \
  static inline unsigned prmt_##mode(unsigned a, unsigned b, unsigned c) {                      \
    const unsigned i = c & 3;                                                                   \
    (void)i;                                                                                    \
    unsigned s = 0;                                                                             \
    for (unsigned k = 0; k < 4; ++k) s |= ((selector) & 7) << 4 * k;                            \
    return __byte_perm(a, b, s);                                                                \
  }
GPUOPT_EMU_PRMT(f4e, i + k)
GPUOPT_EMU_PRMT(b4e, i - k)
GPUOPT_EMU_PRMT(rc8, i)
GPUOPT_EMU_PRMT(ecl, k > i ? k : i)
GPUOPT_EMU_PRMT(ecr, k < i ? k : i)
GPUOPT_EMU_PRMT(rc16, (i & 1) * 2 + (k & 1))
#undef GPUOPT_EMU_PRMT
template <class Aa> struct Byte { static int at(unsigned word, int i) { return (int)(word >> 8 * i & 255); } };
template <> struct Byte<int> { static int at(unsigned word, int i) { return (signed char)(word >> 8 * i); } };
template <class Aa> struct Word { static int at(unsigned word, int i) { return (int)(word >> 16 * i & 0xffff); } };
template <> struct Word<int> { static int at(unsigned word, int i) { return (short)(word >> 16 * i); } };
template <class Aa, class Bb, class Cc> static inline Cc dp4a(unsigned a, unsigned b, Cc c) {
  for (int i = 0; i < 4; ++i) c = (Cc)((unsigned)c + (unsigned)(Byte<Aa>::at(a, i) * Byte<Bb>::at(b, i)));
  return c;
}
template <class Aa, class Bb, class Cc> static inline Cc dp2a(unsigned a, unsigned b, Cc c, int high) {
  for (int i = 0; i < 2; ++i) c = (Cc)((unsigned)c + (unsigned)(Word<Aa>::at(a, i) * Byte<Bb>::at(b, i + 2 * high)));
  return c;
}

// vabsdiff4 with .add.
static inline unsigned vabsdiff4_u32(unsigned a, unsigned b, unsigned c) { return c + __vsadu4(a, b); }
static inline unsigned vabsdiff4_s32(unsigned a, unsigned b, unsigned c) { return c + __vsads4(a, b); }

#define GPUOPT_EMU_ROUNDINGS(round, suffix)                                                                        \
  static inline float add_##round(float a, float b) { return __fadd_##suffix(a, b); }                              \
  static inline double add_##round(double a, double b) { return __dadd_##suffix(a, b); }                           \
  static inline float sub_##round(float a, float b) { return __fsub_##suffix(a, b); }                              \
  static inline double sub_##round(double a, double b) { return __dsub_##suffix(a, b); }                           \
  static inline float mul_##round(float a, float b) { return __fmul_##suffix(a, b); }                              \
  static inline double mul_##round(double a, double b) { return __dmul_##suffix(a, b); }                           \
  static inline float div_##round(float a, float b) { return __fdiv_##suffix(a, b); }                              \
  static inline double div_##round(double a, double b) { return __ddiv_##suffix(a, b); }                           \
  static inline float fma_##round(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }                  \
  static inline double fma_##round(double a, double b, double c) { return __fma_##suffix(a, b, c); }               \
  static inline float rcp_##round(float a) { return __frcp_##suffix(a); }                                          \
  static inline double rcp_##round(double a) { return __drcp_##suffix(a); }                                        \
  static inline float sqrt_##round(float a) { return __fsqrt_##suffix(a); }                                        \
  static inline double sqrt_##round(double a) { return __dsqrt_##suffix(a); }
GPUOPT_EMU_ROUNDINGS(rn, rn)
GPUOPT_EMU_ROUNDINGS(rz, rz)
GPUOPT_EMU_ROUNDINGS(rm, rd)
GPUOPT_EMU_ROUNDINGS(rp, ru)
#undef GPUOPT_EMU_ROUNDINGS
// mul.ftz: what is below the least normal number is zero also where it would be rounded to that number.
static inline float mul_rn_ftz(float a, float b) {
  const float result = __fmul_rn(a, b);
  return fabs((double)a * b) < 1.1754942807573643e-38 ? ::copysignf(0.0f, result) : result;
}
// 16 bits: sums, products and their sums are exact in double precision, or rounded so that it makes no difference.
#define GPUOPT_EMU_SIXTEEN(Hh)                                                                             \
  static inline Hh add_rn(Hh a, Hh b) { return Hh((double)(float)a + (float)b); }                             \
  static inline Hh sub_rn(Hh a, Hh b) { return Hh((double)(float)a - (float)b); }                             \
  static inline Hh mul_rn(Hh a, Hh b) { return Hh((double)(float)a * (float)b); }                             \
  static inline Hh saturate(Hh a) { return Hh(__saturatef(a)); }                                             \
  static inline Hh relu(Hh a) { return (float)a > 0 ? a : (float)a != (float)a ? Hh(NAN) : Hh(0.0f); }       \
  static inline Pair<Hh> relu(Pair<Hh> a) { return {relu(a.low), relu(a.high)}; }                             \
  static inline Pair<Hh> saturate(Pair<Hh> a) { return {saturate(a.low), saturate(a.high)}; }                 \
  static inline Pair<Hh> add_rn(Pair<Hh> a, Pair<Hh> b) { return {add_rn(a.low, b.low), add_rn(a.high, b.high)}; } \
  static inline Pair<Hh> sub_rn(Pair<Hh> a, Pair<Hh> b) { return {sub_rn(a.low, b.low), sub_rn(a.high, b.high)}; } \
  static inline Pair<Hh> mul_rn(Pair<Hh> a, Pair<Hh> b) { return {mul_rn(a.low, b.low), mul_rn(a.high, b.high)}; } \
  static inline Pair<Hh> fma_rn(Pair<Hh> a, Pair<Hh> b, Pair<Hh> c) {                                         \
    return {fma_rn(a.low, b.low, c.low), fma_rn(a.high, b.high, c.high)};                                 \
  }
static inline F16 fma_rn(F16 a, F16 b, F16 c) { return F16(half_fused(a, b, c)); }
static inline BF16 fma_rn(BF16 a, BF16 b, BF16 c) { return BF16(bfloat_fused(a, b, c)); }
GPUOPT_EMU_SIXTEEN(F16)
GPUOPT_EMU_SIXTEEN(BF16)
#undef GPUOPT_EMU_SIXTEEN
static inline float saturate(float a) { return __saturatef(a); }
static inline double saturate(double a) { return a > 0 ? (a < 1 ? a : 1) : 0; }

static inline float rcp_approx(float a) {
  return fabsf(a) > 8.507059e+37f ? unit::rcp(a * 0.25f) * 0.25f : unit::rcp_approx(a);  // results below 2^-126 are kept
}
static inline double rcp_approx(double a) { return unit::rcp(a); }
static inline float div_approx(float a, float b) { return library::quotient(a, b); }
static inline float div_full(float a, float b) { return fabsf(b) > 8.507059e+37f ? library::quotient(a * 0.25f, b * 0.25f) : library::quotient(a, b); }
static inline float rsqrt(float a) { return unit::rsqrt_approx(a); }
static inline float sqrt_approx(float a) { return unit::sqrt_approx(a); }
static inline float sqrt_approx_ftz(float a) { return unit::sqrt(a); }
static inline double rsqrt(double a) { return library::inverse_root(a); }
static inline double rsqrt_ftz(double a) { return library::rsq_approx(a); }
static inline float sin(float a) { return unit::sin_approx(a); }
static inline float cos(float a) { return unit::cos_approx(a); }
static inline float lg2(float a) { return unit::lg2_approx(a); }
static inline float ex2(float a) { return unit::ex2_approx(a); }
// Of 16 bits: the unit's, cut off.
static inline F16 ex2(F16 a) {
  const float value = unit::ex2_approx((float)a);
  return as<F16>(rounded_bits(value, half_bits(value), half_value, 2));
}
static inline BF16 ex2(BF16 a) {
  const float value = unit::ex2_approx((float)a);
  return as<BF16>(rounded_bits(value, bfloat_bits(value), bfloat_value, 2));
}
template <class Hh> static inline Pair<Hh> ex2(Pair<Hh> a) { return {ex2(a.low), ex2(a.high)}; }
// Of 16 bits: the unit's, cut off (compared with an H200's for all arguments).
template <class T> static inline T tanh(T a) { return T{tanh(a.low), tanh(a.high)}; }
template <> inline F16 tanh(F16 a) {
  const float value = unit::tanh((float)a);
  return as<F16>(rounded_bits(value, half_bits(value), half_value, 2));
}
template <> inline BF16 tanh(BF16 a) {
  const float value = unit::tanh((float)a);
  return as<BF16>(rounded_bits(value, bfloat_bits(value), bfloat_value, 2));
}
template <> inline float tanh(float a) { return unit::tanh(a); }
template <class T> static inline bool testp_finite(T a) { return a - a == 0; }
template <class T> static inline bool testp_infinite(T a) { return a == a && !(a - a == 0); }
template <class T> static inline bool testp_number(T a) { return a == a; }
template <class T> static inline bool testp_notanumber(T a) { return a != a; }
template <class T> static inline bool testp_subnormal(T a) { return a != 0 && a - a == 0 && !__builtin_isnormal(a); }
template <class T> static inline bool testp_normal(T a) { return a - a == 0 && !testp_subnormal(a); }  // zeros are, on a GPU

// cvt. rni and the like round to a whole number.
enum class Round { rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
static inline int mode_of(Round round) {
  return round == Round::rz ? FE_TOWARDZERO : round == Round::rm ? FE_DOWNWARD : round == Round::rp ? FE_UPWARD : FE_TONEAREST;
}
static inline double whole(Round round, double value) {
  switch (round) {
    case Round::rni: return nearbyint(value);
    case Round::rzi: return trunc(value);
    case Round::rmi: return floor(value);
    case Round::rpi: return ceil(value);
    default: return value;
  }
}
template <class T> struct IsReal { static const bool value = false; };
template <> struct IsReal<float> { static const bool value = true; };
template <> struct IsReal<double> { static const bool value = true; };
template <> struct IsReal<F16> { static const bool value = true; };
template <> struct IsReal<BF16> { static const bool value = true; };

template <class To, bool ToReal, bool FromReal> struct Cvt;
template <class To> struct Cvt<To, false, false> {
  template <class From> static To to(Round, bool sat, From from) {
    if (sat) {
      const __int128 low = (To)-1 < 0 ? -((__int128)1 << (8 * sizeof(To) - 1)) : 0;
      const __int128 high = ((__int128)1 << (8 * sizeof(To) - ((To)-1 < 0))) - 1, value = (__int128)from;
      return (To)(value < low ? low : value > high ? high : value);
    }
    return (To)from;
  }
};
template <class To> struct Cvt<To, false, true> {
  template <class From> static To to(Round round, bool, From from) {
    typedef typename std::conditional<std::is_same<From, double>::value, double, float>::type Real;
    return saturated<To>((Real)whole(round, (double)from));
  }
};
template <class To> struct Cvt<To, true, false> {
  template <class From> static To to(Round round, bool sat, From from) {
    const To result = rounded(mode_of(round), [=]() -> To { return (To)(float)opaque::value(from); });
    return sat ? saturate(result) : result;
  }
};
template <> template <class From> inline double Cvt<double, true, false>::to(Round round, bool, From from) {
  return rounded(mode_of(round), [=]() -> double { return (double)opaque::value(from); });
}
template <class To> struct Cvt<To, true, true> {
  template <class From> static To to(Round round, bool sat, From from) {
    const double value = whole(round, (double)from);
    const To result = from_double(round, value);
    return sat ? saturate(result) : result;
  }
  static To from_double(Round, double value) { return To(value); }
};
template <> inline float Cvt<float, true, true>::from_double(Round round, double value) {
  return rounded(mode_of(round), [=]() -> float { return (float)opaque::value(value); });
}
// To 16 bits, of whole numbers, too.
static inline int direction_of(Round round) { return round == Round::rz ? 2 : round == Round::rm ? -1 : round == Round::rp ? 1 : 0; }
#define GPUOPT_EMU_SIXTEEN(Hh, of_bits)                                                                     \
  template <> inline Hh Cvt<Hh, true, true>::from_double(Round round, double value) {                         \
    return as<Hh>(rounded_bits(value, Hh(value).bits, of_bits, direction_of(round)));                        \
  }                                                                                                          \
  template <> template <class From> inline Hh Cvt<Hh, true, false>::to(Round round, bool sat, From from) {    \
    const Hh result = Cvt<Hh, true, true>::from_double(round, wholly(from));                                 \
    return sat ? saturate(result) : result;                                                                  \
  }
GPUOPT_EMU_SIXTEEN(F16, half_value)
GPUOPT_EMU_SIXTEEN(BF16, bfloat_value)
#undef GPUOPT_EMU_SIXTEEN
template <class To, Round Rr, bool Sat, class From> static inline To cvt(From from) {
  return Cvt<To, IsReal<To>::value, IsReal<From>::value>::to(Rr, Sat, from);
}
template <> inline TF32 cvt<TF32, Round::rna, false, float>(float from) {
  if (from != from) return TF32{0x7fffffffu};
  return TF32{as<unsigned>(from) + 0x1000u & ~0x1fffu};
}
template <> inline TF32 cvt<TF32, Round::rn, false, float>(float from) {
  const unsigned bits = as<unsigned>(from);
  return TF32{bits + 0xfffu + (bits >> 13 & 1) & ~0x1fffu};
}
template <class Pp> static inline Pp cvt_pair(float high, float low, Round round) {
  typedef decltype(Pp::low) Hh;
  return Pp{Cvt<Hh, true, true>::from_double(round, low), Cvt<Hh, true, true>::from_double(round, high)};
}

}  // namespace ptx
}  // namespace gpuopt_emu

#endif
