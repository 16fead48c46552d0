// Which operators of float3 and its kind a program defines member by member, and their products.
#ifndef GPUOPT_EMU_VECTOR_MEMBERS_H
#define GPUOPT_EMU_VECTOR_MEMBERS_H

#include "rounding.h"
#include "vector_types.h"

namespace gpuopt_emu {

// What is known of an operator ('*', '+', '-'; 'p' for +=, 'm' for -=) that the program defines for these types:
// emulator/vector_operators.py specializes this where it is member by member.
template <char Op, class A, class B> struct MemberWise { static const bool value = false; };

template <class V> struct Members { static const bool are = false; };
#define GPUOPT_EMU_MEMBERS(V, T, Y, Z, W)                                                                       \
  template <> struct Members<V> {                                                                               \
    static const bool are = true;                                                                               \
    typedef T Element;                                                                                          \
    static GPUOPT_EMU_AT_ONCE V splat(T s) { V v; v.x = s; Y(v.y = s;) Z(v.z = s;) W(v.w = s;) return v; }        \
    static GPUOPT_EMU_AT_ONCE V negated(V a) { V v; v.x = -a.x; Y(v.y = -a.y;) Z(v.z = -a.z;) W(v.w = -a.w;) return v; } \
    static GPUOPT_EMU_AT_ONCE V product(V a, V b) {                                                             \
      V v; v.x = a.x * b.x; Y(v.y = a.y * b.y;) Z(v.z = a.z * b.z;) W(v.w = a.w * b.w;) return v;                \
    }                                                                                                           \
    static GPUOPT_EMU_AT_ONCE V alone(V a, V b) {                                                               \
      V v; v.x = rounded(a.x, b.x); Y(v.y = rounded(a.y, b.y);) Z(v.z = rounded(a.z, b.z);) W(v.w = rounded(a.w, b.w);) return v; \
    }                                                                                                           \
    static GPUOPT_EMU_AT_ONCE V sum(V a, V b, V c) {                                                            \
      V v; v.x = fused(a.x, b.x, c.x); Y(v.y = fused(a.y, b.y, c.y);) Z(v.z = fused(a.z, b.z, c.z);) W(v.w = fused(a.w, b.w, c.w);) return v; \
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
template <class T, class R, bool Number = std::is_arithmetic<T>::value> struct Operand_ { typedef T type; };
template <class T, class R> struct Operand_<T, R, true> { typedef typename Members<R>::Element type; };
template <class T, class R> using OperandFor = typename Operand_<typename std::decay<T>::type, R>::type;
template <class R> GPUOPT_EMU_AT_ONCE R as_vector(R v) { return v; }
template <class R> GPUOPT_EMU_AT_ONCE R as_vector(typename Members<R>::Element s) { return Members<R>::splat(s); }

template <char Op, class R, class A, class B, bool = Members<R>::are> struct IsMemberWise { static const bool value = false; };
template <char Op, class R, class A, class B> struct IsMemberWise<Op, R, A, B, true> {
  static const bool value = MemberWise<Op, OperandFor<A, R>, OperandFor<B, R>>::value;
};

template <class R> struct VectorProduct {
  R x, y;
  GPUOPT_EMU_AT_ONCE operator R() const { return Members<R>::product(x, y); }
  GPUOPT_EMU_AT_ONCE VectorProduct operator-() const { return {Members<R>::negated(x), y}; }
  template <class A, class B> static GPUOPT_EMU_AT_ONCE VectorProduct of(const A &a, const B &b) {
    return {as_vector<R>(a), as_vector<R>(b)};
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
  typedef typename Multiplied<T, Uu>::type R;
  return Members<R>::alone(as_vector<R>(x), as_vector<R>(y));
}

}  // namespace gpuopt_emu

#endif
