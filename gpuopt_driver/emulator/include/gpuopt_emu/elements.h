// v[i] += x of volatile memory, as emulator/lockstep.py splits it: {value = element(v[i]) + (x); store(v[i], value);}
// Elements that are objects are left to their own operators: nothing says that computing and storing are apart there.
#ifndef GPUOPT_EMU_ELEMENTS_H
#define GPUOPT_EMU_ELEMENTS_H

#include <type_traits>

namespace gpuopt_emu {

#define GPUOPT_EMU_AT_ONCE __attribute__((always_inline)) inline

struct Stored {};  // by the object's own operator

template <class T> struct Object {
  T &it;
#define GPUOPT_EMU_OPERATOR(op)                                             \
  template <class Other> GPUOPT_EMU_AT_ONCE Stored operator op(Other &&x) { \
    it op##= static_cast<Other &&>(x);                                     \
    return Stored();                                                        \
  }
  GPUOPT_EMU_OPERATOR(+)
  GPUOPT_EMU_OPERATOR(-)
  GPUOPT_EMU_OPERATOR(*)
  GPUOPT_EMU_OPERATOR(/)
  GPUOPT_EMU_OPERATOR(|)
  GPUOPT_EMU_OPERATOR(&)
  GPUOPT_EMU_OPERATOR(^)
#undef GPUOPT_EMU_OPERATOR
};

template <class T, typename std::enable_if<!std::is_class<T>::value, int>::type = 0>
GPUOPT_EMU_AT_ONCE typename std::remove_cv<T>::type element(T &it) { return it; }
template <class T, typename std::enable_if<std::is_class<T>::value, int>::type = 0>
GPUOPT_EMU_AT_ONCE Object<T> element(T &it) { return {it}; }

template <class T, class Value> GPUOPT_EMU_AT_ONCE void store(T &it, const Value &value) { it = value; }
template <class T> GPUOPT_EMU_AT_ONCE void store(T &, const Stored &) {}
#undef GPUOPT_EMU_AT_ONCE

}  // namespace gpuopt_emu

#endif
