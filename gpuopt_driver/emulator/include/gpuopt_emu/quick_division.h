// a / quick / b, as emulator/quick_division.py writes a / b where -use_fast_math was given: of floats, what the special
// function unit makes of it, with numbers below the least normal one as zero; of all else the plain division.
#ifndef GPUOPT_EMU_QUICK_DIVISION_H
#define GPUOPT_EMU_QUICK_DIVISION_H

#include <type_traits>
#include <utility>

#include "special_function_unit.h"

namespace gpuopt_emu {

struct Quick {};
static constexpr Quick quick = Quick();

static inline float flushed_number(float x) { return fabsf(x) < 1.1754944e-38f ? copysignf(0.0f, x) : x; }
static inline float quick_quotient(float a, float b) {
  const float result = flushed_number(flushed_number(unit::rcp(flushed_number(b))) * flushed_number(a));
  return result == result ? result : unit::no_number();
}
template <class T, class Uu> using QuotientOf = decltype(std::declval<T>() / std::declval<Uu>());
template <class T, class Uu> struct AreFloats {
  static const bool value = std::is_same<QuotientOf<T, Uu>, float>::value;
};
template <class T, class Uu> struct AreNumbers {
  static const bool value = std::is_arithmetic<T>::value && std::is_arithmetic<Uu>::value;
};

template <class T> struct Dividend { T value; };
template <class T> struct DividendThing { T &&value; };
template <class T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
constexpr Dividend<T> operator/(T a, Quick) { return {a}; }
template <class T, typename std::enable_if<!std::is_arithmetic<typename std::decay<T>::type>::value, int>::type = 0>
inline DividendThing<T> operator/(T &&a, Quick) { return {static_cast<T &&>(a)}; }

template <class T, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && AreFloats<T, Uu>::value, int>::type = 0>
inline float operator/(Dividend<T> a, Uu b) { return quick_quotient((float)a.value, (float)b); }
template <class T, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && !AreFloats<T, Uu>::value, int>::type = 0>
constexpr QuotientOf<T, Uu> operator/(Dividend<T> a, Uu b) { return a.value / b; }
template <class T, class Uu, typename std::enable_if<!std::is_arithmetic<typename std::decay<Uu>::type>::value, int>::type = 0>
inline auto operator/(Dividend<T> a, Uu &&b) -> decltype(a.value / static_cast<Uu &&>(b)) {
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
