// a << shift << b, as emulator/shifts.py writes a << b: by as many bits as a has, or more, everything is shifted out.
#ifndef GPUOPT_EMU_SHIFTS_H
#define GPUOPT_EMU_SHIFTS_H

#include <type_traits>
#include <utility>

namespace gpuopt_emu {

struct Shift {};
static constexpr Shift shift = Shift();

template <class T> struct IsNumber {
  static const bool value = (std::is_integral<T>::value || (std::is_enum<T>::value && std::is_convertible<T, int>::value)) && sizeof(T) <= 8;
};
template <class T, bool = IsNumber<T>::value> struct Promoted { typedef decltype(+std::declval<T>()) type; };
template <class T> struct Promoted<T, false> {};

template <class T> constexpr T shifted_left(T a, unsigned count) {
  return count < 8 * sizeof(T) ? (T)((typename std::make_unsigned<T>::type)a << (count & (8 * sizeof(T) - 1))) : (T)0;
}
template <class T> constexpr T shifted_right(T a, unsigned count) {
  return count < 8 * sizeof(T) ? (T)(a >> (count & (8 * sizeof(T) - 1))) : a < (T)0 ? (T)-1 : (T)0;
}

// A number that is to be shifted, and anything else that has such operators.
template <class T> struct ShiftedNumber { T value; };
template <class T> struct ShiftedThing { T &&value; };
// The count of an assignment.
template <class Uu> struct ShiftCount { Uu value; };

#define GPUOPT_EMU_SHIFT(op, function)                                                                               \
  template <class T, typename std::enable_if<IsNumber<T>::value, int>::type = 0>                                     \
  constexpr ShiftedNumber<typename Promoted<T>::type> operator op(T a, Shift) { return {+a}; }                       \
  template <class T, typename std::enable_if<!IsNumber<typename std::decay<T>::type>::value, int>::type = 0>         \
  constexpr ShiftedThing<T> operator op(T &&a, Shift) { return {static_cast<T &&>(a)}; }                             \
  template <class T, class Uu, typename std::enable_if<IsNumber<Uu>::value, int>::type = 0>                            \
  constexpr T operator op(ShiftedNumber<T> a, Uu count) { return function<T>(a.value, (unsigned)count); }              \
  template <class T, class Uu, typename std::enable_if<!IsNumber<typename std::decay<Uu>::type>::value, int>::type = 0> \
  constexpr auto operator op(ShiftedNumber<T> a, Uu &&count)->decltype(a.value op static_cast<Uu &&>(count)) {          \
    return a.value op static_cast<Uu &&>(count);                                                                      \
  }                                                                                                                  \
  template <class T, class Uu>                                                                                        \
  constexpr auto operator op(ShiftedThing<T> a, Uu &&b)->decltype(static_cast<T &&>(a.value) op static_cast<Uu &&>(b)) { \
    return static_cast<T &&>(a.value) op static_cast<Uu &&>(b);                                                       \
  }                                                                                                                  \
  template <class Uu> constexpr ShiftCount<Uu> operator op##=(Shift, Uu count) { return {count}; }                      \
  template <class T, class Uu, typename std::enable_if<IsNumber<T>::value && IsNumber<Uu>::value, int>::type = 0>      \
  inline T &operator op##=(T &a, ShiftCount<Uu> count) {                                                              \
    return a = (T)function<typename Promoted<T>::type>(+a, (unsigned)count.value);                                    \
  }                                                                                                                  \
  template <class T, class Uu, typename std::enable_if<!(IsNumber<T>::value && IsNumber<Uu>::value), int>::type = 0>   \
  inline auto operator op##=(T &a, ShiftCount<Uu> count)->decltype(a op##= count.value) { return a op##= count.value; }
GPUOPT_EMU_SHIFT(<<, shifted_left)
GPUOPT_EMU_SHIFT(>>, shifted_right)
#undef GPUOPT_EMU_SHIFT

}  // namespace gpuopt_emu

#endif
