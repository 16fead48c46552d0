// Room for static shared variables, taken before main starts.
#include "gpuopt_emu/shared.h"

#include "check.h"

namespace gpuopt_emu {

unsigned reserve_shared(SharedLayout &layout, size_t bytes, size_t alignment, const char *name) {
  const size_t aligned = bytes >= 16 && alignment < 16 ? 16 : alignment;  // arrays are read as wider vectors
  const unsigned offset = (unsigned)((layout.bytes + aligned - 1) / aligned * aligned);
  const unsigned gap = check_shared_variable(&layout, offset, bytes, name);
  layout.bytes = offset + (unsigned)bytes + gap;
  layout.gaps += gap;
  return offset;
}

}  // namespace gpuopt_emu
