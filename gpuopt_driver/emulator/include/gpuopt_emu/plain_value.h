// A number as it is, of which host compilers do not know what it comes from.
#ifndef GPUOPT_EMU_PLAIN_VALUE_H
#define GPUOPT_EMU_PLAIN_VALUE_H

#include "early.h"

namespace gpuopt_emu {

namespace plain {
template <class T> static inline GPUOPT_EMU_EARLY(T) value(T x) { return x; }
#if defined(__x86_64__)
static inline float value(float x) { asm("" : "+x"(x)); return x; }
static inline double value(double x) { asm("" : "+x"(x)); return x; }
#elif defined(__aarch64__)
static inline float value(float x) { asm("" : "+w"(x)); return x; }
static inline double value(double x) { asm("" : "+w"(x)); return x; }
#endif
}

}  // namespace gpuopt_emu

#endif
