// a / quick / b, as emulator/quotients.py writes a / b where -use_fast_math was given: of floats, what the special
// function unit makes of it, with numbers below the least normal one as zero; of all else the plain division.
// a / exact / b: of floats, the plain quotient, but what is no number is a GPU's.
#ifndef GPUOPT_EMU_QUOTIENTS_H
#define GPUOPT_EMU_QUOTIENTS_H

#include <type_traits>
#include <utility>

#include "early.h"
#include "special_function_unit.h"

namespace gpuopt_emu {

// A float that was computed: x86-64 gives what is no number a sign.
static inline GPUOPT_EMU_ALWAYS float without_sign(float x) {
#ifdef __x86_64__
  const uint32_t word = unit::bits(x), none = 0u - (uint32_t)((word & 0x7fffffffu) > 0x7f800000u);
  return unit::number((word & ~none) | (none & 0x7fffffffu));  // without a branch, as below
#else
  return x;
#endif
}
static constexpr inline GPUOPT_EMU_ALWAYS float of_gpu(float x) { return __builtin_is_constant_evaluated() ? x : without_sign(x); }
// What a function of doubles makes of x: where it has no number a GPU's has a minus, but is x where that is none.
static inline GPUOPT_EMU_ALWAYS double of_gpu(double x, double result) {
  return result == result ? result : x == x ? unit::number((uint64_t)0xfff8000000000000) : x;
}
template <double (*Function)(double)> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(double) of_gpu(double x) { return of_gpu(x, Function(x)); }
static inline float exact_root(float x) { return of_gpu(__builtin_sqrtf(x)); }

// How floats are divided. Abreast: in loops over threads (emulator/vectors.py).
struct Quick {};
struct QuickAbreast {};
struct Exact {};
static constexpr Quick quick = Quick();
static constexpr Exact exact = Exact();
template <class T> struct IsDivision { static const bool value = false; };
template <> struct IsDivision<Quick> { static const bool value = true; };
template <> struct IsDivision<QuickAbreast> { static const bool value = true; };
template <> struct IsDivision<Exact> { static const bool value = true; };

// Without a branch, in which compilers would do what comes after it, too.
static inline float flushed_number(float x) {
  const uint32_t word = unit::bits(x), is_small = (word & 0x7fffffffu) < 0x00800000u;
  return unit::number(word & ~((0u - is_small) & 0x7fffffffu));
}
static inline float flushed_product(float a, float inverse) {
  const float result = flushed_number(flushed_number(inverse) * flushed_number(a));
  return result == result ? result : unit::no_number();
}
template <class How> struct Quotient;
template <> struct Quotient<Quick> {
  static constexpr inline float of(float a, float b) {
    return __builtin_is_constant_evaluated() ? a / b : flushed_product(a, unit::rcp(flushed_number(b)));
  }
};
template <> struct Quotient<Exact> {
  static constexpr inline float of(float a, float b) { return of_gpu(a / b); }
};
#ifdef GPUOPT_EMU_ABREAST
extern "C" __attribute__((const, nothrow, simd("notinbranch"))) float gpuopt_emu_vector_rcpf(float);
static constexpr QuickAbreast quick_abreast = QuickAbreast();
template <> struct Quotient<QuickAbreast> {
  static constexpr inline float of(float a, float b) {
    return __builtin_is_constant_evaluated() ? a / b : flushed_product(a, gpuopt_emu_vector_rcpf(flushed_number(b)));
  }
};
#endif
template <class T, class Uu> using QuotientOf = decltype(std::declval<T>() / std::declval<Uu>());
template <class T, class Uu> struct AreFloats {
  static const bool value = std::is_same<QuotientOf<T, Uu>, float>::value;
};
template <class T, class Uu> struct AreNumbers {
  static const bool value = std::is_arithmetic<T>::value && std::is_arithmetic<Uu>::value;
};

template <class T, class How> struct Dividend { T value; };
template <class T> struct DividendThing { T &&value; };
template <class T, class How, typename std::enable_if<std::is_arithmetic<T>::value && IsDivision<How>::value, int>::type = 0>
constexpr Dividend<T, How> operator/(T a, How) { return {a}; }
template <class T, class How, typename std::enable_if<!std::is_arithmetic<typename std::decay<T>::type>::value && IsDivision<How>::value, int>::type = 0>
constexpr inline DividendThing<T> operator/(T &&a, How) { return {static_cast<T &&>(a)}; }

template <class T, class How, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && AreFloats<T, Uu>::value, int>::type = 0>
constexpr inline float operator/(Dividend<T, How> a, Uu b) { return Quotient<How>::of((float)a.value, (float)b); }
template <class T, class How, class Uu, typename std::enable_if<std::is_arithmetic<Uu>::value && !AreFloats<T, Uu>::value, int>::type = 0>
constexpr QuotientOf<T, Uu> operator/(Dividend<T, How> a, Uu b) { return a.value / b; }
template <class T, class How, class Uu, typename std::enable_if<!std::is_arithmetic<typename std::decay<Uu>::type>::value, int>::type = 0>
constexpr inline auto operator/(Dividend<T, How> a, Uu &&b) -> decltype(a.value / static_cast<Uu &&>(b)) {
  return a.value / static_cast<Uu &&>(b);
}
template <class T, class Uu>
constexpr inline auto operator/(DividendThing<T> a, Uu &&b) -> decltype(static_cast<T &&>(a.value) / static_cast<Uu &&>(b)) {
  return static_cast<T &&>(a.value) / static_cast<Uu &&>(b);
}

// s /= Divisor<Quick>() = b
template <class T, class How> struct DivisorOf { T value; };
template <class How> struct Divisor {
  template <class T> constexpr inline DivisorOf<typename std::decay<T>::type, How> operator=(T &&b) const { return {static_cast<T &&>(b)}; }
};
template <class Ss, class T, class How, typename std::enable_if<AreNumbers<Ss, T>::value, int>::type = 0>
constexpr inline Ss &operator/=(Ss &s, DivisorOf<T, How> b) { return s = (Ss)(s / How() / b.value), s; }
template <class Ss, class T, class How, typename std::enable_if<!AreNumbers<Ss, T>::value, int>::type = 0>
constexpr inline auto operator/=(Ss &s, DivisorOf<T, How> b) -> decltype(s /= b.value) { return s /= b.value; }

}  // namespace gpuopt_emu

#endif
