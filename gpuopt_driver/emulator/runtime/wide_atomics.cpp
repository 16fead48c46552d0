// Atomic operations on 16 bytes: one at a time. They are atomic among each other, as CUDA has no others of that size.
#include <mutex>
#include <string.h>

#include "gpuopt_emu/atomics.h"

namespace gpuopt_emu {

// Held by no thread that waits for another: neither a signal nor a fiber's switch comes between.
static void alone(void *address, const void *expected, const void *value, void *old) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  memcpy(old, address, 16);
  if (!expected || memcmp(old, expected, 16) == 0) memcpy(address, value, 16);
}

void exchange_wide(void *address, const void *value, void *old) {
  maybe_waiting();
  const Busy busy(current->block);
  alone(address, nullptr, value, old);
}

void compare_exchange_wide(void *address, const void *expected, const void *value, void *old) {
  {
    const Busy busy(current->block);
    alone(address, expected, value, old);
  }
  if (memcmp(old, expected, 16) != 0) maybe_waiting();
}

}  // namespace gpuopt_emu
