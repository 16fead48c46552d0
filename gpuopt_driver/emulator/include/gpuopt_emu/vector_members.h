// Which operators of float3 and its kind a program defines member by member, and their products.
#ifndef GPUOPT_EMU_VECTOR_MEMBERS_H
#define GPUOPT_EMU_VECTOR_MEMBERS_H

#include "rounding.h"
#include "vector_types.h"

namespace gpuopt_emu {

// What is known of an operator ('*', '+', '-'; 'p' for +=, 'm' for -=) that the program defines for these types:
// emulator/vector_operators.py specializes this where it is member by member.
template <char Op, class Aa, class Bb> struct MemberWise { static const bool value = false; };

template <class Vv> struct Members { static const bool are = false; };
#define GPUOPT_EMU_MEMBERS(Vv, T, Y, Z, W)                                                                       \
  template <> struct Members<Vv> {                                                                               \
    static const bool are = true;                                                                               \
    typedef T Element;                                                                                          \
    static GPUOPT_EMU_AT_ONCE Vv splat(T s) { Vv v; v.x = s; Y(v.y = s;) Z(v.z = s;) W(v.w = s;) return v; }        \
    static GPUOPT_EMU_AT_ONCE Vv negated(Vv a) { Vv v; v.x = -a.x; Y(v.y = -a.y;) Z(v.z = -a.z;) W(v.w = -a.w;) return v; } \
    static GPUOPT_EMU_AT_ONCE Vv product(Vv a, Vv b) {                                                             \
      Vv v; v.x = a.x * b.x; Y(v.y = a.y * b.y;) Z(v.z = a.z * b.z;) W(v.w = a.w * b.w;) return v;                \
    }                                                                                                           \
    static GPUOPT_EMU_AT_ONCE Vv alone(Vv a, Vv b) {                                                               \
      Vv v; v.x = rounded(a.x, b.x); Y(v.y = rounded(a.y, b.y);) Z(v.z = rounded(a.z, b.z);) W(v.w = rounded(a.w, b.w);) return v; \
    }                                                                                                           \
    static GPUOPT_EMU_AT_ONCE Vv sum(Vv a, Vv b, Vv c) {                                                            \
      Vv v; v.x = fused(a.x, b.x, c.x); Y(v.y = fused(a.y, b.y, c.y);) Z(v.z = fused(a.z, b.z, c.z);) W(v.w = fused(a.w, b.w, c.w);) return v; \
    }                                                                                                           \
  };
#define GPUOPT_EMU_HAS(...) __VA_ARGS__
#define GPUOPT_EMU_LACKS(...)
#define GPUOPT_EMU_ALL_MEMBERS(T)                                                        \
  GPUOPT_EMU_MEMBERS(::T##2, T, GPUOPT_EMU_HAS, GPUOPT_EMU_LACKS, GPUOPT_EMU_LACKS)       \
  GPUOPT_EMU_MEMBERS(::T##3, T, GPUOPT_EMU_HAS, GPUOPT_EMU_HAS, GPUOPT_EMU_LACKS)         \
  GPUOPT_EMU_MEMBERS(::T##4, T, GPUOPT_EMU_HAS, GPUOPT_EMU_HAS, GPUOPT_EMU_HAS)
GPUOPT_EMU_ALL_MEMBERS(float)
GPUOPT_EMU_ALL_MEMBERS(double)
#undef GPUOPT_EMU_ALL_MEMBERS
#undef GPUOPT_EMU_MEMBERS
#undef GPUOPT_EMU_HAS
#undef GPUOPT_EMU_LACKS

// An operand as the operator takes it: numbers are converted to the vector's.
template <class T, class Rr, bool Number = std::is_arithmetic<T>::value> struct Operand_ { typedef T type; };
template <class T, class Rr> struct Operand_<T, Rr, true> { typedef typename Members<Rr>::Element type; };
template <class T, class Rr> using OperandFor = typename Operand_<typename std::decay<T>::type, Rr>::type;
template <class Rr> GPUOPT_EMU_AT_ONCE Rr as_vector(Rr v) { return v; }
template <class Rr> GPUOPT_EMU_AT_ONCE Rr as_vector(typename Members<Rr>::Element s) { return Members<Rr>::splat(s); }

template <char Op, class Rr, class Aa, class Bb, bool = Members<Rr>::are> struct IsMemberWise { static const bool value = false; };
template <char Op, class Rr, class Aa, class Bb> struct IsMemberWise<Op, Rr, Aa, Bb, true> {
  static const bool value = MemberWise<Op, OperandFor<Aa, Rr>, OperandFor<Bb, Rr>>::value;
};

template <class Rr> struct VectorProduct {
  Rr x, y;
  GPUOPT_EMU_AT_ONCE operator Rr() const { return Members<Rr>::product(x, y); }
  GPUOPT_EMU_AT_ONCE VectorProduct operator-() const { return {Members<Rr>::negated(x), y}; }
  template <class Aa, class Bb> static GPUOPT_EMU_AT_ONCE VectorProduct of(const Aa &a, const Bb &b) {
    return {as_vector<Rr>(a), as_vector<Rr>(b)};
  }
};

// Whether a * b is such a product, and it.
template <class T, class Uu, class = void> struct Multiplied { typedef void type; };
template <class T, class Uu>
struct Multiplied<T, Uu, decltype((void)(std::declval<T>() * std::declval<Uu>()))> {
  typedef typename std::decay<decltype(std::declval<T>() * std::declval<Uu>())>::type type;
};
template <class T, class Uu> struct AreMultiplied {
  static const bool value = IsMemberWise<'*', typename Multiplied<T, Uu>::type, T, Uu>::value;
};
template <class T, class Uu> using VectorProductOf = VectorProduct<typename Multiplied<T, Uu>::type>;
template <class T, class Uu, typename std::enable_if<AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_AT_ONCE typename Multiplied<T, Uu>::type rounded(const T &x, const Uu &y) {
  typedef typename Multiplied<T, Uu>::type Rr;
  return Members<Rr>::alone(as_vector<Rr>(x), as_vector<Rr>(y));
}

}  // namespace gpuopt_emu

#endif
