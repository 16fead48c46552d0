// s += a * fuse * b, as emulator/products.py writes s += a * b: rounded once where it is a sum of float or of double.
#ifndef GPUOPT_EMU_PRODUCTS_H
#define GPUOPT_EMU_PRODUCTS_H

#include "vector_members.h"

namespace gpuopt_emu {

#define GPUOPT_EMU_CONSTANT constexpr GPUOPT_EMU_AT_ONCE  // in whose place numbers may have to be constants

struct Fuse {};
static constexpr Fuse fuse = Fuse();

template <class T> struct IsReal {
  static const bool value = std::is_same<T, float>::value || std::is_same<T, double>::value;
};
template <class T> struct IsPlain { static const bool value = std::is_arithmetic<typename std::decay<T>::type>::value; };

// The first factor, a number or anything else; a product whose sum is not known yet.
template <class T> struct Factor { T value; };
template <class T> struct FactorThing { T &&value; };
template <class T> struct Product {
  T x, y;
  GPUOPT_EMU_CONSTANT operator T() const { return x * y; }
  GPUOPT_EMU_CONSTANT Product operator-() const { return {-x, y}; }
};

template <class T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT Factor<T> operator*(T a, Fuse) { return {a}; }
template <class T, typename std::enable_if<!IsPlain<T>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT FactorThing<T> operator*(T &&a, Fuse) { return {static_cast<T &&>(a)}; }

template <class T, class Uu> using ProductOf = decltype(std::declval<T>() * std::declval<Uu>());
template <class T, class Uu> using SumOf = decltype(std::declval<T>() + std::declval<Uu>());

template <class T, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && IsReal<ProductOf<T, Uu>>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT Product<ProductOf<T, Uu>> operator*(Factor<T> a, Uu b) {
  typedef ProductOf<T, Uu> Real;
  return {(Real)a.value, (Real)b};
}
template <class T, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && !IsReal<ProductOf<T, Uu>>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT ProductOf<T, Uu> operator*(Factor<T> a, Uu b) { return a.value * b; }
template <class T, class Uu, typename std::enable_if<!IsPlain<Uu>::value && !AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT auto operator*(Factor<T> a, Uu &&b) -> decltype(a.value * static_cast<Uu &&>(b)) {
  return a.value * static_cast<Uu &&>(b);
}
template <class T, class Uu, typename std::enable_if<!AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT auto operator*(FactorThing<T> a, Uu &&b) -> decltype(static_cast<T &&>(a.value) * static_cast<Uu &&>(b)) {
  return static_cast<T &&>(a.value) * static_cast<Uu &&>(b);
}
template <class T, class Uu, typename std::enable_if<!IsPlain<Uu>::value && AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT VectorProductOf<T, Uu> operator*(Factor<T> a, Uu &&b) { return VectorProductOf<T, Uu>::of(a.value, b); }
template <class T, class Uu, typename std::enable_if<AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT VectorProductOf<T, Uu> operator*(FactorThing<T> a, Uu &&b) { return VectorProductOf<T, Uu>::of(a.value, b); }

// a * alone * b is rounded by itself, whatever is made of it; a * FuseIf{c} * b with its sum where c is true.
struct Alone {};
static constexpr Alone alone = Alone();
struct FuseIf { bool fuses; };
template <class T, class Uu, typename std::enable_if<!AreMultiplied<T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT auto rounded(T x, Uu y) -> decltype(x * y) { return x * y; }
template <class T> struct FactorAlone { T value; };
template <class T> struct FactorIf { T value; bool fuses; };
template <class T> struct ProductIf {
  T x, y;
  bool fuses;
  GPUOPT_EMU_CONSTANT operator T() const { return rounded(x, y); }
};
template <class T> GPUOPT_EMU_CONSTANT FactorAlone<T> operator*(T a, Alone) { return {a}; }
template <class T> GPUOPT_EMU_CONSTANT FactorIf<T> operator*(T a, FuseIf when) { return {a, when.fuses}; }
template <class T, class Uu> GPUOPT_EMU_CONSTANT ProductOf<T, Uu> operator*(FactorAlone<T> a, Uu b) {
  typedef typename std::conditional<IsReal<ProductOf<T, Uu>>::value, ProductOf<T, Uu>, T>::type First;
  typedef typename std::conditional<IsReal<ProductOf<T, Uu>>::value, ProductOf<T, Uu>, Uu>::type Second;
  return rounded((First)a.value, (Second)b);
}
template <class T, class Uu, typename std::enable_if<IsReal<ProductOf<T, Uu>>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT ProductIf<ProductOf<T, Uu>> operator*(FactorIf<T> a, Uu b) {
  typedef ProductOf<T, Uu> Real;
  return {(Real)a.value, (Real)b, a.fuses};
}
template <class T, class Uu, typename std::enable_if<!IsReal<ProductOf<T, Uu>>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT ProductOf<T, Uu> operator*(FactorIf<T> a, Uu b) { return a.value * b; }
#define GPUOPT_EMU_SUM_IF(op, minus_right)                                                                            \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT SumOf<Ss, T> operator op(Ss s, ProductIf<T> p) {                                                 \
    return p.fuses ? fused(minus_right p.x, p.y, (SumOf<Ss, T>)s) : s op(T) p;                                        \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT SumOf<Ss, T> operator op(ProductIf<T> p, Ss s) {                                                 \
    return p.fuses ? fused(p.x, p.y, minus_right(SumOf<Ss, T>)s) : (T)p op s;                                         \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT Ss &operator op##=(Ss &s, ProductIf<T> p) { return s = (Ss)(s op p), s; }
GPUOPT_EMU_SUM_IF(+, +)
GPUOPT_EMU_SUM_IF(-, -)
#undef GPUOPT_EMU_SUM_IF

// a * fuse_sixteen * b: halves, bfloat16 and pairs of them, whose sums are defined with them (sixteen.h); fuse_all: those
// as well as what `fuse` is for. Before sm_90 bfloat16 has no product that could be fused: fuse_half, fuse_all_half.
template <bool Bfloats, bool Reals> struct FuseSixteen {};
static constexpr FuseSixteen<true, false> fuse_sixteen = {};
static constexpr FuseSixteen<true, true> fuse_all_sixteen = {};
static constexpr FuseSixteen<false, false> fuse_half = {};
static constexpr FuseSixteen<false, true> fuse_all_half = {};
template <class T> struct Sixteen { static const bool is = false, bfloat = false; };  // defined with the types
template <class T> struct SixteenProduct {
  T x, y;
  GPUOPT_EMU_CONSTANT operator T() const { return x * y; }
};
template <bool Bfloats, class T> struct FactorSixteen { T &&value; };
template <class T> struct FactorPlain { T value; };
template <class T, bool Bfloats, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT Factor<T> operator*(T a, FuseSixteen<Bfloats, true>) { return {a}; }
template <class T, bool Bfloats, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT FactorPlain<T> operator*(T a, FuseSixteen<Bfloats, false>) { return {a}; }
template <class T, bool Bfloats, bool All, typename std::enable_if<!IsPlain<T>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT FactorSixteen<Bfloats, T> operator*(T &&a, FuseSixteen<Bfloats, All>) { return {static_cast<T &&>(a)}; }
template <class T, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT ProductOf<T, Uu> operator*(FactorPlain<T> a, Uu b) { return a.value * b; }
template <class T, class Uu, typename std::enable_if<!IsPlain<Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT auto operator*(FactorPlain<T> a, Uu &&b) -> decltype(a.value * static_cast<Uu &&>(b)) {
  return a.value * static_cast<Uu &&>(b);
}
template <bool Bfloats, class T, class Uu> struct AreSixteen {
  typedef typename std::decay<T>::type One;
  static const bool value = std::is_same<One, typename std::decay<Uu>::type>::value && Sixteen<One>::is && (Bfloats || !Sixteen<One>::bfloat);
};
template <bool Bfloats, class T, class Uu, typename std::enable_if<AreSixteen<Bfloats, T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT SixteenProduct<typename std::decay<T>::type> operator*(FactorSixteen<Bfloats, T> a, Uu &&b) { return {a.value, b}; }
template <bool Bfloats, class T, class Uu, typename std::enable_if<!AreSixteen<Bfloats, T, Uu>::value, int>::type = 0>
GPUOPT_EMU_CONSTANT auto operator*(FactorSixteen<Bfloats, T> a, Uu &&b) -> decltype(static_cast<T &&>(a.value) * static_cast<Uu &&>(b)) {
  return static_cast<T &&>(a.value) * static_cast<Uu &&>(b);
}
// Their sums with what is of another type, as that has them.
#define GPUOPT_EMU_SUM(op)                                                                                            \
  template <class Ss, class T, typename std::enable_if<!std::is_same<typename std::decay<Ss>::type, T>::value, int>::type = 0> \
  GPUOPT_EMU_CONSTANT auto operator op(Ss &&s, SixteenProduct<T> p) -> decltype(static_cast<Ss &&>(s) op p.x) {        \
    return static_cast<Ss &&>(s) op(T) p;                                                                             \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<!std::is_same<typename std::decay<Ss>::type, T>::value, int>::type = 0> \
  GPUOPT_EMU_CONSTANT auto operator op(SixteenProduct<T> p, Ss &&s) -> decltype(p.x op static_cast<Ss &&>(s)) {        \
    return (T)p op static_cast<Ss &&>(s);                                                                             \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<!std::is_same<Ss, T>::value, int>::type = 0>                   \
  GPUOPT_EMU_CONSTANT auto operator op##=(Ss &s, SixteenProduct<T> p) -> decltype(s op##= p.x) { return s op##= (T)p; }
GPUOPT_EMU_SUM(+)
GPUOPT_EMU_SUM(-)
#undef GPUOPT_EMU_SUM

// A variable's value where it stands for a product that is fused: the product, if that is of the variable's type.
template <class T, class Pp> GPUOPT_EMU_CONSTANT const T &again(const T &value, const Pp &) { return value; }
template <class T> GPUOPT_EMU_CONSTANT Product<T> again(const T &, const Product<T> &product) { return product; }
template <class T> GPUOPT_EMU_CONSTANT SixteenProduct<T> again(const T &, const SixteenProduct<T> &product) { return product; }

// Sums: of two numbers in the type that C++ gives them, of anything else as it is defined for the product's value.
#define GPUOPT_EMU_SUM(op, minus_right)                                                                               \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT SumOf<Ss, T> operator op(Ss s, Product<T> p) {                                                   \
    return fused(minus_right p.x, p.y, (SumOf<Ss, T>)s);                                                              \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT SumOf<Ss, T> operator op(Product<T> p, Ss s) {                                                   \
    return fused(p.x, p.y, minus_right(SumOf<Ss, T>)s);                                                               \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<!IsPlain<Ss>::value, int>::type = 0>                           \
  GPUOPT_EMU_CONSTANT auto operator op(Ss &&s, Product<T> p) -> decltype(static_cast<Ss &&>(s) op p.x) {               \
    return static_cast<Ss &&>(s) op(T) p;                                                                             \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<!IsPlain<Ss>::value, int>::type = 0>                           \
  GPUOPT_EMU_CONSTANT auto operator op(Product<T> p, Ss &&s) -> decltype(p.x op static_cast<Ss &&>(s)) {               \
    return (T)p op static_cast<Ss &&>(s);                                                                             \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<std::is_arithmetic<Ss>::value, int>::type = 0>                 \
  GPUOPT_EMU_CONSTANT Ss &operator op##=(Ss &s, Product<T> p) {                                                        \
    return s = (Ss)fused(minus_right p.x, p.y, (SumOf<Ss, T>)s), s;                                                   \
  }                                                                                                                   \
  template <class Ss, class T, typename std::enable_if<!std::is_arithmetic<Ss>::value, int>::type = 0>                \
  GPUOPT_EMU_CONSTANT auto operator op##=(Ss &s, Product<T> p) -> decltype(s op##= p.x) { return s op##= (T)p; }
GPUOPT_EMU_SUM(+, +)
GPUOPT_EMU_SUM(-, -)
#undef GPUOPT_EMU_SUM

// Of two such products the first is fused.
#define GPUOPT_EMU_SUM_OF_TWO(op, First, Second)                                                                      \
  template <class T, class Uu> GPUOPT_EMU_CONSTANT SumOf<T, Uu> operator op(First<T> p, Second<Uu> q) {                \
    return p op(Uu) q;                                                                                                \
  }
GPUOPT_EMU_SUM_OF_TWO(+, Product, Product)
GPUOPT_EMU_SUM_OF_TWO(-, Product, Product)
GPUOPT_EMU_SUM_OF_TWO(+, Product, ProductIf)
GPUOPT_EMU_SUM_OF_TWO(-, Product, ProductIf)
GPUOPT_EMU_SUM_OF_TWO(+, ProductIf, Product)
GPUOPT_EMU_SUM_OF_TWO(-, ProductIf, Product)
GPUOPT_EMU_SUM_OF_TWO(+, ProductIf, ProductIf)
GPUOPT_EMU_SUM_OF_TWO(-, ProductIf, ProductIf)
#undef GPUOPT_EMU_SUM_OF_TWO
#undef GPUOPT_EMU_CONSTANT

}  // namespace gpuopt_emu

#endif
