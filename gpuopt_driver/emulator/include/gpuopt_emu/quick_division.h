// a / quick / b, as emulator/quick_division.py writes a / b where -use_fast_math was given: of floats, what the special
// function unit makes of it, with numbers below the least normal one as zero; of all else the plain division.
#ifndef GPUOPT_EMU_QUICK_DIVISION_H
#define GPUOPT_EMU_QUICK_DIVISION_H

#include <type_traits>
#include <utility>

#include "special_function_unit.h"

namespace gpuopt_emu {

// Abreast: in loops over threads (emulator/vectors.py).
template <bool Abreast> struct Quick {};
static constexpr Quick<false> quick = Quick<false>();

// Without a branch, in which compilers would do what comes after it, too.
static inline float flushed_number(float x) {
  const uint32_t word = unit::bits(x), is_small = (word & 0x7fffffffu) < 0x00800000u;
  return unit::number(word & ~((0u - is_small) & 0x7fffffffu));
}
static inline float flushed_product(float a, float inverse) {
  const float result = flushed_number(flushed_number(inverse) * flushed_number(a));
  return result == result ? result : unit::no_number();
}
template <bool Abreast> struct Quotient {
  static inline float of(float a, float b) { return flushed_product(a, unit::rcp(flushed_number(b))); }
};
#ifdef GPUOPT_EMU_ABREAST
extern "C" __attribute__((const, nothrow, simd("notinbranch"))) float gpuopt_emu_vector_rcpf(float);
static constexpr Quick<true> quick_abreast = Quick<true>();
template <> struct Quotient<true> {
  static inline float of(float a, float b) { return flushed_product(a, gpuopt_emu_vector_rcpf(flushed_number(b))); }
};
#endif
template <class T, class Uu> using QuotientOf = decltype(std::declval<T>() / std::declval<Uu>());
template <class T, class Uu> struct AreFloats {
  static const bool value = std::is_same<QuotientOf<T, Uu>, float>::value;
};
template <class T, class Uu> struct AreNumbers {
  static const bool value = std::is_arithmetic<T>::value && std::is_arithmetic<Uu>::value;
};

template <class T, bool Abreast> struct Dividend { T value; };
template <class T> struct DividendThing { T &&value; };
template <class T, bool Abreast, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
constexpr Dividend<T, Abreast> operator/(T a, Quick<Abreast>) { return {a}; }
template <class T, bool Abreast, typename std::enable_if<!std::is_arithmetic<typename std::decay<T>::type>::value, int>::type = 0>
inline DividendThing<T> operator/(T &&a, Quick<Abreast>) { return {static_cast<T &&>(a)}; }

template <class T, bool Abreast, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && AreFloats<T, Uu>::value, int>::type = 0>
inline float operator/(Dividend<T, Abreast> a, Uu b) { return Quotient<Abreast>::of((float)a.value, (float)b); }
template <class T, bool Abreast, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && !AreFloats<T, Uu>::value, int>::type = 0>
constexpr QuotientOf<T, Uu> operator/(Dividend<T, Abreast> a, Uu b) { return a.value / b; }
template <class T, bool Abreast, class Uu, typename std::enable_if<!std::is_arithmetic<typename std::decay<Uu>::type>::value, int>::type = 0>
inline auto operator/(Dividend<T, Abreast> a, Uu &&b) -> decltype(a.value / static_cast<Uu &&>(b)) {
  return a.value / static_cast<Uu &&>(b);
}
template <class T, class Uu>
inline auto operator/(DividendThing<T> a, Uu &&b) -> decltype(static_cast<T &&>(a.value) / static_cast<Uu &&>(b)) {
  return static_cast<T &&>(a.value) / static_cast<Uu &&>(b);
}

// s /= Divisor() = b
template <class T> struct DivisorOf { T value; };
struct Divisor {
  template <class T> inline DivisorOf<typename std::decay<T>::type> operator=(T &&b) const { return {static_cast<T &&>(b)}; }
};
template <class Ss, class T, typename std::enable_if<AreNumbers<Ss, T>::value, int>::type = 0>
inline Ss &operator/=(Ss &s, DivisorOf<T> b) { return s = (Ss)(s / quick / b.value), s; }
template <class Ss, class T, typename std::enable_if<!AreNumbers<Ss, T>::value, int>::type = 0>
inline auto operator/=(Ss &s, DivisorOf<T> b) -> decltype(s /= b.value) { return s /= b.value; }

}  // namespace gpuopt_emu

#endif
