// p[i] = settled = x, as emulator/quotients.py writes p[i] = x where x is a sum or a product of floats: one that is no number
// becomes a GPU's, which has no sign. Nothing that a GPU does (emulator/instrument.py).
#ifndef GPUOPT_EMU_STORES_H
#define GPUOPT_EMU_STORES_H

#include "quotients.h"

namespace gpuopt_emu {

struct Settles {
  constexpr GPUOPT_EMU_ALWAYS float operator=(float x) const { return of_gpu(x); }
  // By value, since bit-fields and members of packed objects can be bound to no reference.
  template <class T, typename std::enable_if<std::is_arithmetic<T>::value && !std::is_same<T, float>::value, int>::type = 0>
  constexpr GPUOPT_EMU_ALWAYS T operator=(T x) const { return x; }
  template <class T, typename std::enable_if<!std::is_arithmetic<typename std::decay<T>::type>::value, int>::type = 0>
  constexpr GPUOPT_EMU_ALWAYS T &&operator=(T &&x) const { return static_cast<T &&>(x); }
};
static constexpr Settles settled = Settles();

}  // namespace gpuopt_emu

#endif
