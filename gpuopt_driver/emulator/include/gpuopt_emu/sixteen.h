// The functions of a 16-bit floating-point type, included once for half and once for bfloat16, with
//   GPUOPT_H, GPUOPT_H2    the type and the pair of it,
//   GPUOPT_BITS, GPUOPT_VALUE    conversions from and to single precision,
//   GPUOPT_NAME(before, after)    a name with the type's in it: before##half##after,
//   GPUOPT_PAIR_OF_ONE, GPUOPT_PAIR_OF_TWO    __half2half2, __halves2half2,
//   GPUOPT_BFLOAT    whether it is bfloat16: 0 or 1.
// Everything is computed in single precision, which after rounding gives what computing in 16 bits would (it has more than twice
// the digits), but for fused multiplication and addition, which is computed in double precision.

#define GPUOPT_DEFINE static inline
// For what takes references: g++ 12.2 has read memory before it was written where such functions were called.
#define GPUOPT_AT_ONCE static inline __attribute__((always_inline))

// Conversions.
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__float2, )(float v) { return GPUOPT_H(v); }
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__double2, )(double v) { return GPUOPT_H(v); }
GPUOPT_DEFINE float GPUOPT_NAME(__, 2float)(GPUOPT_H v) { return (float)v; }
#define GPUOPT_ROUNDED_TO(suffix, direction)                                                          \
  GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__float2, suffix)(float v) {                            \
    return GPUOPT_H::from_bits(gpuopt_emu::rounded_bits(v, GPUOPT_BITS(v), GPUOPT_VALUE, direction)); \
  }
GPUOPT_ROUNDED_TO(_rn, 0)
GPUOPT_ROUNDED_TO(_rz, 2)
GPUOPT_ROUNDED_TO(_rd, -1)
GPUOPT_ROUNDED_TO(_ru, 1)
#undef GPUOPT_ROUNDED_TO
#define GPUOPT_WHOLE_AS(name, type, suffix, direction)                                                           \
  GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__##name##2, suffix)(type v) {                                             \
    const double exact = gpuopt_emu::wholly(v);                                                                 \
    return GPUOPT_H::from_bits(gpuopt_emu::rounded_bits(exact, GPUOPT_BITS(gpuopt_emu::to_odd(exact)), GPUOPT_VALUE, direction)); \
  }
#define GPUOPT_WHOLE(name, type)                                                                               \
  GPUOPT_WHOLE_AS(name, type, _rn, 0)                                                                           \
  GPUOPT_WHOLE_AS(name, type, _rz, 2)                                                                           \
  GPUOPT_WHOLE_AS(name, type, _rd, -1)                                                                          \
  GPUOPT_WHOLE_AS(name, type, _ru, 1)                                                                           \
  GPUOPT_DEFINE type GPUOPT_NAME(__, 2##name##_rn)(GPUOPT_H v) {                                        \
    return gpuopt_emu::saturated<type>(nearbyintf((float)v));                                                 \
  }                                                                                                            \
  GPUOPT_DEFINE type GPUOPT_NAME(__, 2##name##_rz)(GPUOPT_H v) {                                        \
    return gpuopt_emu::saturated<type>((float)v);                                                     \
  }                                                                                                            \
  GPUOPT_DEFINE type GPUOPT_NAME(__, 2##name##_rd)(GPUOPT_H v) {                                        \
    return gpuopt_emu::saturated<type>(floorf((float)v));                                                     \
  }                                                                                                            \
  GPUOPT_DEFINE type GPUOPT_NAME(__, 2##name##_ru)(GPUOPT_H v) {                                        \
    return gpuopt_emu::saturated<type>(ceilf((float)v));                                                      \
  }
GPUOPT_WHOLE(int, int)
GPUOPT_WHOLE(uint, unsigned)
GPUOPT_WHOLE(short, short)
GPUOPT_WHOLE(ushort, unsigned short)
GPUOPT_WHOLE(ll, long long)
GPUOPT_WHOLE(ull, unsigned long long)
#undef GPUOPT_WHOLE
#undef GPUOPT_WHOLE_AS
GPUOPT_DEFINE signed char GPUOPT_NAME(__, 2char_rz)(GPUOPT_H v) { return gpuopt_emu::saturated<signed char>((float)v); }
GPUOPT_DEFINE unsigned char GPUOPT_NAME(__, 2uchar_rz)(GPUOPT_H v) { return gpuopt_emu::saturated<unsigned char>((float)v); }
GPUOPT_DEFINE unsigned short GPUOPT_NAME(__, _as_ushort)(GPUOPT_H v) { return v.__x; }
GPUOPT_DEFINE short GPUOPT_NAME(__, _as_short)(GPUOPT_H v) { return (short)v.__x; }
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__ushort_as_, )(unsigned short v) { return GPUOPT_H::from_bits(v); }
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__short_as_, )(short v) { return GPUOPT_H::from_bits((unsigned short)v); }

// Pairs.
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__floats2, 2_rn)(float a, float b) { return GPUOPT_H2(GPUOPT_H(a), GPUOPT_H(b)); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__float2, 2_rn)(float a) { return GPUOPT_H2(GPUOPT_H(a), GPUOPT_H(a)); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__float22, 2_rn)(float2 v) { return GPUOPT_H2(GPUOPT_H(v.x), GPUOPT_H(v.y)); }
GPUOPT_DEFINE float2 GPUOPT_NAME(__, 22float2)(GPUOPT_H2 v) { return make_float2((float)v.x, (float)v.y); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_PAIR_OF_ONE(GPUOPT_H a) { return GPUOPT_H2(a, a); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_PAIR_OF_TWO(GPUOPT_H a, GPUOPT_H b) { return GPUOPT_H2(a, b); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(make_, 2)(GPUOPT_H a, GPUOPT_H b) { return GPUOPT_H2(a, b); }
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__low2, )(GPUOPT_H2 v) { return v.x; }
GPUOPT_DEFINE GPUOPT_H GPUOPT_NAME(__high2, )(GPUOPT_H2 v) { return v.y; }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__low2, 2)(GPUOPT_H2 v) { return GPUOPT_H2(v.x, v.x); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__high2, 2)(GPUOPT_H2 v) { return GPUOPT_H2(v.y, v.y); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__lows2, 2)(GPUOPT_H2 a, GPUOPT_H2 b) { return GPUOPT_H2(a.x, b.x); }
GPUOPT_DEFINE GPUOPT_H2 GPUOPT_NAME(__highs2, 2)(GPUOPT_H2 a, GPUOPT_H2 b) { return GPUOPT_H2(a.y, b.y); }
GPUOPT_DEFINE GPUOPT_H2 __lowhigh2highlow(GPUOPT_H2 v) { return GPUOPT_H2(v.y, v.x); }
GPUOPT_DEFINE float __low2float(GPUOPT_H2 v) { return (float)v.x; }
GPUOPT_DEFINE float __high2float(GPUOPT_H2 v) { return (float)v.y; }

// Arithmetic.
#define GPUOPT_OPERATION(name, operation)                                                                          \
  GPUOPT_DEFINE GPUOPT_H name(GPUOPT_H a, GPUOPT_H b) { return GPUOPT_H((float)a operation (float)b); }            \
  GPUOPT_DEFINE GPUOPT_H name##_rn(GPUOPT_H a, GPUOPT_H b) { return name(a, b); }                                  \
  GPUOPT_DEFINE GPUOPT_H name##_sat(GPUOPT_H a, GPUOPT_H b) { return GPUOPT_H(__saturatef((float)name(a, b))); }   \
  GPUOPT_DEFINE GPUOPT_H2 name##2(GPUOPT_H2 a, GPUOPT_H2 b) { return GPUOPT_H2(name(a.x, b.x), name(a.y, b.y)); }  \
  GPUOPT_DEFINE GPUOPT_H2 name##2_rn(GPUOPT_H2 a, GPUOPT_H2 b) { return name##2(a, b); }                           \
  GPUOPT_DEFINE GPUOPT_H2 name##2_sat(GPUOPT_H2 a, GPUOPT_H2 b) {                                                  \
    return GPUOPT_H2(name##_sat(a.x, b.x), name##_sat(a.y, b.y));                                                  \
  }                                                                                                                \
  GPUOPT_AT_ONCE GPUOPT_H operator operation(const GPUOPT_H &a, const GPUOPT_H &b) { return name(a, b); }          \
  GPUOPT_AT_ONCE GPUOPT_H2 operator operation(const GPUOPT_H2 &a, const GPUOPT_H2 &b) { return name##2(a, b); }    \
  GPUOPT_AT_ONCE GPUOPT_H &operator operation##=(GPUOPT_H &a, const GPUOPT_H &b) { return a = name(a, b); }        \
  GPUOPT_AT_ONCE GPUOPT_H2 &operator operation##=(GPUOPT_H2 &a, const GPUOPT_H2 &b) { return a = name##2(a, b); }
GPUOPT_OPERATION(__hadd, +)
GPUOPT_OPERATION(__hsub, -)
GPUOPT_OPERATION(__hmul, *)
GPUOPT_OPERATION(__hdiv, /)
#undef GPUOPT_OPERATION
GPUOPT_DEFINE GPUOPT_H2 __h2div(GPUOPT_H2 a, GPUOPT_H2 b) { return __hdiv2(a, b); }
GPUOPT_DEFINE GPUOPT_H __hfma(GPUOPT_H a, GPUOPT_H b, GPUOPT_H c) {
  return GPUOPT_H(GPUOPT_FUSED_SUM((float)a, (float)b, (float)c));
}
GPUOPT_DEFINE GPUOPT_H __hfma_sat(GPUOPT_H a, GPUOPT_H b, GPUOPT_H c) { return GPUOPT_H(__saturatef((float)__hfma(a, b, c))); }
GPUOPT_DEFINE GPUOPT_H __hfma_relu(GPUOPT_H a, GPUOPT_H b, GPUOPT_H c) {
  const GPUOPT_H r = __hfma(a, b, c);
  return (float)r > 0 || (float)r != (float)r ? r : GPUOPT_H(0.0f);
}
#define GPUOPT_FUSED(suffix)                                                                                      \
  GPUOPT_DEFINE GPUOPT_H2 __hfma2##suffix(GPUOPT_H2 a, GPUOPT_H2 b, GPUOPT_H2 c) {                                \
    return GPUOPT_H2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y));                               \
  }
GPUOPT_FUSED()
GPUOPT_FUSED(_sat)
GPUOPT_FUSED(_relu)
#undef GPUOPT_FUSED
GPUOPT_DEFINE GPUOPT_H __hneg(GPUOPT_H a) { return GPUOPT_H::from_bits((unsigned short)(a.__x ^ 0x8000)); }
GPUOPT_DEFINE GPUOPT_H __habs(GPUOPT_H a) { return GPUOPT_H::from_bits((unsigned short)(a.__x & 0x7fff)); }
GPUOPT_DEFINE GPUOPT_H2 __hneg2(GPUOPT_H2 a) { return GPUOPT_H2(__hneg(a.x), __hneg(a.y)); }
GPUOPT_DEFINE GPUOPT_H2 __habs2(GPUOPT_H2 a) { return GPUOPT_H2(__habs(a.x), __habs(a.y)); }
GPUOPT_AT_ONCE GPUOPT_H operator-(const GPUOPT_H &a) { return __hneg(a); }
GPUOPT_AT_ONCE GPUOPT_H operator+(const GPUOPT_H &a) { return a; }
GPUOPT_AT_ONCE GPUOPT_H2 operator-(const GPUOPT_H2 &a) { return __hneg2(a); }
// Products that are fused with sums (products.h); those of bfloat16 not where sums saturate, nor pairs where they are negated.
namespace gpuopt_emu {
template <> struct Sixteen<GPUOPT_H> { static const bool is = true, bfloat = GPUOPT_BFLOAT; };
template <> struct Sixteen<GPUOPT_H2> { static const bool is = true, bfloat = GPUOPT_BFLOAT; };
}  // namespace gpuopt_emu
#define GPUOPT_PRODUCT gpuopt_emu::SixteenProduct<GPUOPT_T>
#define GPUOPT_SUM(op, minus, name, suffix)                                                                            \
  GPUOPT_AT_ONCE GPUOPT_T operator op(GPUOPT_PRODUCT p, GPUOPT_T c) { return __hfma##suffix(p.x, p.y, minus c); } \
  GPUOPT_AT_ONCE GPUOPT_T operator op(GPUOPT_T c, GPUOPT_PRODUCT p) { return __hfma##suffix(minus p.x, p.y, c); } \
  GPUOPT_AT_ONCE GPUOPT_T operator op(GPUOPT_PRODUCT p, GPUOPT_PRODUCT q) { return p op (GPUOPT_T)q; }    \
  GPUOPT_AT_ONCE GPUOPT_T &operator op##=(GPUOPT_T &s, GPUOPT_PRODUCT p) { return s = s op p; }                  \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix(GPUOPT_PRODUCT p, GPUOPT_T c) { return p op c; }                   \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix(GPUOPT_T c, GPUOPT_PRODUCT p) { return c op p; }                   \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix(GPUOPT_PRODUCT p, GPUOPT_PRODUCT q) { return p op (GPUOPT_T)q; }   \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix##_sat(GPUOPT_PRODUCT p, GPUOPT_T c) {                              \
    return GPUOPT_BFLOAT ? name##suffix##_sat((GPUOPT_T)p, c) : __hfma##suffix##_sat(p.x, p.y, minus c);               \
  }                                                                                                                    \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix##_sat(GPUOPT_T c, GPUOPT_PRODUCT p) {                              \
    return GPUOPT_BFLOAT ? name##suffix##_sat(c, (GPUOPT_T)p) : __hfma##suffix##_sat(minus p.x, p.y, c);               \
  }                                                                                                                    \
  GPUOPT_AT_ONCE GPUOPT_T name##suffix##_sat(GPUOPT_PRODUCT p, GPUOPT_PRODUCT q) {                        \
    return name##suffix##_sat(p, (GPUOPT_T)q);                                                                         \
  }
#define GPUOPT_NAMED(suffix)                                                                                           \
  template <bool Bfloats, bool Reals>                                                                                  \
  GPUOPT_AT_ONCE GPUOPT_NAMED_RESULT __hmul##suffix(GPUOPT_T a, GPUOPT_T b, gpuopt_emu::FuseSixteen<Bfloats, Reals>) {  \
    return GPUOPT_NAMED_RESULT(GPUOPT_PRODUCT{a, b});                                                                  \
  }
#define GPUOPT_NAMED_RESULT typename std::conditional<Bfloats || !GPUOPT_BFLOAT, GPUOPT_PRODUCT, GPUOPT_T>::type
#define GPUOPT_T GPUOPT_H
GPUOPT_SUM(+, , __hadd, )
GPUOPT_SUM(-, -, __hsub, )
GPUOPT_NAMED()
GPUOPT_AT_ONCE GPUOPT_PRODUCT operator-(GPUOPT_PRODUCT p) { return {-p.x, p.y}; }
GPUOPT_AT_ONCE GPUOPT_PRODUCT __hneg(GPUOPT_PRODUCT p) { return -p; }
#undef GPUOPT_T
#define GPUOPT_T GPUOPT_H2
GPUOPT_SUM(+, , __hadd, 2)
GPUOPT_SUM(-, -, __hsub, 2)
GPUOPT_NAMED(2)
#if !GPUOPT_BFLOAT
GPUOPT_AT_ONCE GPUOPT_PRODUCT operator-(GPUOPT_PRODUCT p) { return {-p.x, p.y}; }
GPUOPT_AT_ONCE GPUOPT_PRODUCT __hneg2(GPUOPT_PRODUCT p) { return -p; }
#endif
#undef GPUOPT_T
#undef GPUOPT_SUM
#undef GPUOPT_NAMED
#undef GPUOPT_NAMED_RESULT
#undef GPUOPT_PRODUCT
GPUOPT_AT_ONCE GPUOPT_H &operator++(GPUOPT_H &a) { return a = __hadd(a, GPUOPT_H(1.0f)); }
GPUOPT_AT_ONCE GPUOPT_H &operator--(GPUOPT_H &a) { return a = __hsub(a, GPUOPT_H(1.0f)); }
GPUOPT_AT_ONCE GPUOPT_H2 operator+(const GPUOPT_H2 &a) { return a; }
GPUOPT_AT_ONCE GPUOPT_H2 &operator++(GPUOPT_H2 &a) { return a = GPUOPT_H2(__hadd(a.x, GPUOPT_H(1.0f)), __hadd(a.y, GPUOPT_H(1.0f))); }
GPUOPT_AT_ONCE GPUOPT_H2 &operator--(GPUOPT_H2 &a) { return a = GPUOPT_H2(__hsub(a.x, GPUOPT_H(1.0f)), __hsub(a.y, GPUOPT_H(1.0f))); }
#define GPUOPT_AFTERWARDS(T, sign)                   \
  GPUOPT_AT_ONCE T operator sign(T &a, int) {        \
    const T before = a;                              \
    sign a;                                          \
    return before;                                   \
  }
GPUOPT_AFTERWARDS(GPUOPT_H, ++)
GPUOPT_AFTERWARDS(GPUOPT_H, --)
GPUOPT_AFTERWARDS(GPUOPT_H2, ++)
GPUOPT_AFTERWARDS(GPUOPT_H2, --)
#undef GPUOPT_AFTERWARDS
// Of complex numbers: a * b + c.
GPUOPT_DEFINE GPUOPT_H2 __hcmadd(GPUOPT_H2 a, GPUOPT_H2 b, GPUOPT_H2 c) {
  return GPUOPT_H2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// Comparisons; the unordered ones are true where an operand is not a number.
#define GPUOPT_COMPARISON(name, expression)                                                             \
  GPUOPT_DEFINE bool __h##name(GPUOPT_H h, GPUOPT_H k) {                                                \
    const float a = (float)h, b = (float)k;                                                             \
    return expression;                                                                                  \
  }                                                                                                     \
  GPUOPT_DEFINE GPUOPT_H2 __h##name##2(GPUOPT_H2 a, GPUOPT_H2 b) {                                      \
    return GPUOPT_H2(GPUOPT_H(__h##name(a.x, b.x) ? 1.0f : 0.0f), GPUOPT_H(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                                     \
  GPUOPT_DEFINE unsigned __h##name##2_mask(GPUOPT_H2 a, GPUOPT_H2 b) {                                  \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);             \
  }                                                                                                     \
  GPUOPT_DEFINE bool __hb##name##2(GPUOPT_H2 a, GPUOPT_H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
GPUOPT_COMPARISON(eq, a == b)
GPUOPT_COMPARISON(ne, a != b && a == a && b == b)
GPUOPT_COMPARISON(lt, a < b)
GPUOPT_COMPARISON(le, a <= b)
GPUOPT_COMPARISON(gt, a > b)
GPUOPT_COMPARISON(ge, a >= b)
GPUOPT_COMPARISON(equ, !(a < b || a > b))
GPUOPT_COMPARISON(neu, a != b)
GPUOPT_COMPARISON(ltu, !(a >= b))
GPUOPT_COMPARISON(leu, !(a > b))
GPUOPT_COMPARISON(gtu, !(a <= b))
GPUOPT_COMPARISON(geu, !(a < b))
#undef GPUOPT_COMPARISON
#define GPUOPT_COMPARISON(operation, name)                                                                   \
  GPUOPT_AT_ONCE bool operator operation(const GPUOPT_H &a, const GPUOPT_H &b) { return __h##name(a, b); }   \
  GPUOPT_AT_ONCE bool operator operation(const GPUOPT_H2 &a, const GPUOPT_H2 &b) { return __hb##name##2(a, b); }
GPUOPT_COMPARISON(==, eq)
GPUOPT_COMPARISON(!=, neu)
GPUOPT_COMPARISON(<, lt)
GPUOPT_COMPARISON(<=, le)
GPUOPT_COMPARISON(>, gt)
GPUOPT_COMPARISON(>=, ge)
#undef GPUOPT_COMPARISON
GPUOPT_DEFINE bool __hisnan(GPUOPT_H a) { return (float)a != (float)a; }
GPUOPT_DEFINE int __hisinf(GPUOPT_H a) { return (float)a == INFINITY ? 1 : (float)a == -INFINITY ? -1 : 0; }
GPUOPT_DEFINE GPUOPT_H2 __hisnan2(GPUOPT_H2 a) {
  return GPUOPT_H2(GPUOPT_H(__hisnan(a.x) ? 1.0f : 0.0f), GPUOPT_H(__hisnan(a.y) ? 1.0f : 0.0f));
}
#define GPUOPT_EXTREME(name, function, sign)                                                                     \
  GPUOPT_DEFINE GPUOPT_H name(GPUOPT_H a, GPUOPT_H b) {                                                          \
    if ((float)a == (float)b) return (a.__x & 0x8000) == (sign) ? a : b; /* zeros */                            \
    return GPUOPT_H(function((float)a, (float)b));                                                               \
  }                                                                                                              \
  GPUOPT_DEFINE GPUOPT_H name##_nan(GPUOPT_H a, GPUOPT_H b) {                                                    \
    return __hisnan(a) || __hisnan(b) ? GPUOPT_H(NAN) : name(a, b);                                              \
  }                                                                                                              \
  GPUOPT_DEFINE GPUOPT_H2 name##2(GPUOPT_H2 a, GPUOPT_H2 b) { return GPUOPT_H2(name(a.x, b.x), name(a.y, b.y)); } \
  GPUOPT_DEFINE GPUOPT_H2 name##2_nan(GPUOPT_H2 a, GPUOPT_H2 b) {                                                \
    return GPUOPT_H2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));                                                \
  }
GPUOPT_EXTREME(__hmin, fminf, 0x8000)
GPUOPT_EXTREME(__hmax, fmaxf, 0)
#undef GPUOPT_EXTREME

// Functions.
#define GPUOPT_FUNCTION(name, type, function)                                                               \
  GPUOPT_DEFINE GPUOPT_H h##name(GPUOPT_H a) { return GPUOPT_H(function((type)(float)a)); }                 \
  GPUOPT_DEFINE GPUOPT_H2 h2##name(GPUOPT_H2 a) { return GPUOPT_H2(h##name(a.x), h##name(a.y)); }
GPUOPT_FUNCTION(sqrt, float, sqrtf)
GPUOPT_FUNCTION(rsqrt, double, 1 / sqrt)
GPUOPT_FUNCTION(rcp, float, 1.0f /)
// A GPU's are what is next to the exact result (all arguments were compared): rounding twice, over `float`, is not.
GPUOPT_FUNCTION(exp, double, exp)
GPUOPT_FUNCTION(exp2, double, exp2)
GPUOPT_FUNCTION(exp10, double, exp10)
GPUOPT_FUNCTION(log, double, log)
GPUOPT_FUNCTION(log2, double, log2)
GPUOPT_FUNCTION(log10, double, log10)
GPUOPT_FUNCTION(sin, double, sin)
GPUOPT_FUNCTION(cos, double, cos)
GPUOPT_FUNCTION(tanh, double, tanh)
GPUOPT_FUNCTION(ceil, float, ceilf)
GPUOPT_FUNCTION(floor, float, floorf)
GPUOPT_FUNCTION(trunc, float, truncf)
GPUOPT_FUNCTION(rint, float, rintf)
#undef GPUOPT_FUNCTION
GPUOPT_DEFINE GPUOPT_H htanh_approx(GPUOPT_H a) { return GPUOPT_NAME(__float2, _rz)(gpuopt_emu::unit::tanh((float)a)); }
GPUOPT_DEFINE GPUOPT_H2 h2tanh_approx(GPUOPT_H2 a) { return GPUOPT_H2(htanh_approx(a.x), htanh_approx(a.y)); }

static inline GPUOPT_H atomicAdd(GPUOPT_H *address, GPUOPT_H value) {
  return gpuopt_emu::atomically(address, [value](GPUOPT_H old) { return __hadd(old, value); });
}
static inline GPUOPT_H2 atomicAdd(GPUOPT_H2 *address, GPUOPT_H2 value) {
  return gpuopt_emu::atomically(address, [value](GPUOPT_H2 old) { return __hadd2(old, value); });
}

GPUOPT_EMU_SHUFFLES(GPUOPT_H)
GPUOPT_EMU_SHUFFLES(GPUOPT_H2)

#undef GPUOPT_AT_ONCE
#undef GPUOPT_DEFINE
