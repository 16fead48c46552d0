// What floating-point numbers become as integers in device code: PTX's cvt goes to the nearest one that there is, where C++ leaves
// it undefined and processors answer in their own ways. Of NaN it makes 0, of a double's or for 64 bits the top bit alone.
#ifndef GPUOPT_EMU_CONVERSIONS_H
#define GPUOPT_EMU_CONVERSIONS_H

#include <type_traits>

#include "early.h"

namespace gpuopt_emu {

#define GPUOPT_EMU_AT_ONCE __attribute__((always_inline)) constexpr inline

template <class To, class From> struct Ends {
  static constexpr bool SIGNED = (To)-1 < (To)0, EXACT = sizeof(From) > sizeof(To), NAN_IS_ZERO = sizeof(From) < 8 && sizeof(To) < 8;
  static constexpr To TOP = (To)(1ull << (8 * sizeof(To) - 1));
  static constexpr From BEYOND = (From)(1ull << (8 * sizeof(To) - 1)) * (SIGNED ? 1 : 2);
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) all(bool set) { return set ? (To)-1 : (To)0; }
};
// What is too large is replaced before the conversion, by the greatest integer if From has it, and what that makes is mended bit
// by bit: so nothing depends on the processor but what is said to, no branch is left, and loops of conversions become vectors.
template <class To, class From, bool Signed = ((To)-1 < (To)0), bool Small = (sizeof(To) < 4)> struct Saturation;
template <class To, class From> struct Saturation<To, From, true, false> {
  typedef Ends<To, From> Its;
#if defined(__x86_64__) && !defined(__clang__)
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(From) above(From x) { return x; }  // the processor makes the least integer of what lies below, and of NaN
#else
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(From) above(From x) { return x > -Its::BEYOND ? x : -Its::BEYOND; }
#endif
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) of(From x) {
    return Its::EXACT         ? (To)above(Its::BEYOND - 1 < x ? Its::BEYOND - 1 : x)
           : Its::NAN_IS_ZERO ? ((To)above(x < Its::BEYOND ? x : -Its::BEYOND) ^ Its::all(x >= Its::BEYOND)) & Its::all(x == x)
                            : (To)above(x < Its::BEYOND ? x : -Its::BEYOND) ^ Its::all(x >= Its::BEYOND);
  }
};
template <class To, class From> struct Saturation<To, From, false, false> {
  typedef Ends<To, From> Its;
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) below(From x) {
    return Its::EXACT ? (To)(Its::BEYOND - 1 < x ? Its::BEYOND - 1 : 0 < x ? x : 0)
                    : (To)(0 < x && x < Its::BEYOND ? x : 0) | Its::all(x >= Its::BEYOND);
  }
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) of(From x) { return Its::NAN_IS_ZERO ? below(x) : below(x) | (Its::all(x != x) & Its::TOP); }
};
template <class To, class From, bool Signed> struct Saturation<To, From, Signed, true> {
  typedef typename std::conditional<Signed, int, unsigned>::type Wide;
  static constexpr Wide TOP = (Wide)1 << (8 * sizeof(To) - 1), MOST = Signed ? TOP - 1 : 2 * TOP - 1;
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) kept(Wide value) { return (To)(value > MOST ? MOST : Signed && value < -TOP ? -TOP : value); }
  static GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) of(From x) { return sizeof(From) == 8 && x != x ? (To)TOP : kept(Saturation<Wide, From>::of(x)); }
};
// cvt.rzi with a destination of To's size.
template <class To, class From> GPUOPT_EMU_AT_ONCE GPUOPT_EMU_EARLY(To) saturated(From x) { return Saturation<To, From>::of(x); }

// What a conversion in the source makes: bytes and halves of words are the lower bits of a word.
template <class To> struct Word {
  typedef typename std::conditional<((To)-1 < (To)0), int, unsigned>::type narrow;
  typedef typename std::conditional<(sizeof(To) < 4), narrow, To>::type type;
};
template <class To, class From, typename std::enable_if<std::is_floating_point<From>::value, int>::type = 0>
GPUOPT_EMU_AT_ONCE To converted(const From &x) {
  return (To)saturated<typename Word<To>::type, typename std::remove_cv<From>::type>(x);
}
template <class To, class From, typename std::enable_if<!std::is_floating_point<From>::value, int>::type = 0>
GPUOPT_EMU_AT_ONCE To converted(const From &x) { return (To)x; }

// (int)(Cast<int>)x, as emulator/conversions.py writes (int)x; int i = Into<int>() = x, as it writes int i = x.
#define GPUOPT_EMU_OF_NUMBERS template <class From, typename std::enable_if<!std::is_class<From>::value, int>::type = 0>
#define GPUOPT_EMU_OF_OBJECTS \
  template <class From, typename std::enable_if<std::is_class<typename std::decay<From>::type>::value, int>::type = 0>
template <class To> struct Cast {
  To value;
  GPUOPT_EMU_OF_NUMBERS GPUOPT_EMU_AT_ONCE Cast(const From &x) : value(converted<To>(x)) {}
  GPUOPT_EMU_OF_OBJECTS GPUOPT_EMU_AT_ONCE Cast(From &&x) : value((To)static_cast<From &&>(x)) {}
  GPUOPT_EMU_AT_ONCE operator To() const { return value; }
};
template <class To> struct Into {
  GPUOPT_EMU_OF_NUMBERS GPUOPT_EMU_AT_ONCE To operator=(const From &x) const { return converted<To>(x); }
  GPUOPT_EMU_OF_OBJECTS GPUOPT_EMU_AT_ONCE To operator=(From &&x) const { return (To)static_cast<From &&>(x); }
};
#undef GPUOPT_EMU_OF_NUMBERS
#undef GPUOPT_EMU_OF_OBJECTS
#undef GPUOPT_EMU_AT_ONCE

}  // namespace gpuopt_emu

#endif
