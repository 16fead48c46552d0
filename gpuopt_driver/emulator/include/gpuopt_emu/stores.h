// p[i] = settled = x, as emulator/quotients.py writes p[i] = x where x is a sum or a product of floats: one that is no number
// becomes a GPU's, which has no sign. Nothing that a GPU does (emulator/instrument.py).
#ifndef GPUOPT_EMU_STORES_H
#define GPUOPT_EMU_STORES_H

#include "quotients.h"

namespace gpuopt_emu {

struct Settles {
  GPUOPT_EMU_ALWAYS float operator=(float x) const { return of_gpu(x); }
  template <class T, typename std::enable_if<!std::is_same<typename std::decay<T>::type, float>::value, int>::type = 0>
  GPUOPT_EMU_ALWAYS T &&operator=(T &&x) const { return static_cast<T &&>(x); }
};
static constexpr Settles settled = Settles();

}  // namespace gpuopt_emu

#endif
