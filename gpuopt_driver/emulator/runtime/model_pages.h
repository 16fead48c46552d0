// Memory for what the model looks at all the time, in large pages: it is tens of megabytes, and most of the time of a
// modelled launch would go into finding out where its pages are.
#ifndef GPUOPT_EMU_MODEL_PAGES_H
#define GPUOPT_EMU_MODEL_PAGES_H

#include <stddef.h>

#include <vector>

namespace gpuopt_emu {

void *take_memory(size_t bytes);  // at a multiple of 64
void give_memory(void *memory, size_t bytes);

// Brings what will be needed soon into the processor's caches. It is a load that nobody waits for: where its page has to
// be looked up first, as with so much memory it mostly has, processors drop prefetches.
inline __attribute__((always_inline)) void fetch_early(const void *at) { asm volatile("" : : "r"(*static_cast<const char *>(at))); }

template <class T> struct Packed {
  typedef T value_type;
  Packed() = default;
  template <class U> Packed(const Packed<U> &) {}
  T *allocate(size_t count) { return static_cast<T *>(take_memory(count * sizeof(T))); }
  void deallocate(T *memory, size_t count) { give_memory(memory, count * sizeof(T)); }
  bool operator==(const Packed &) const { return true; }
  bool operator!=(const Packed &) const { return false; }
};
template <class T> using PackedVector = std::vector<T, Packed<T>>;

}  // namespace gpuopt_emu

#endif
