// cuda::aligned_size_t: a number of bytes that says how pointers are aligned.
#ifndef GPUOPT_EMU_ALIGNED_SIZE_H
#define GPUOPT_EMU_ALIGNED_SIZE_H

#include <stddef.h>

namespace cuda {
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};
}  // namespace cuda

#endif
