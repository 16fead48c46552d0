// Copies of our headers as loads and stores, which check mode sees, where it does not see inside the C library's memcpy.
#ifndef GPUOPT_EMU_COPIES_H
#define GPUOPT_EMU_COPIES_H

#include <stddef.h>

namespace gpuopt_emu {

template <class T> static inline __attribute__((always_inline)) void copy_as(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(T); ++i) static_cast<T *>(to)[i] = static_cast<const T *>(from)[i];
}
static inline __attribute__((always_inline)) void copy(void *to, const void *from, size_t bytes) {
  const size_t all = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (all % 8 == 0) copy_as<unsigned long long>(to, from, bytes);
  else if (all % 4 == 0) copy_as<unsigned>(to, from, bytes);
  else copy_as<unsigned char>(to, from, bytes);
}

}  // namespace gpuopt_emu

#endif
