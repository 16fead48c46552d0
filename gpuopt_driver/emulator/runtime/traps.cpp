// assert and __trap in device code end the launch, not the program; what PTX registers say.
#include <stdio.h>
#include <stdlib.h>

#include "driver_types.h"
#include "gpuopt_emu/ptx.h"
#include "model.h"
#include "state.h"
#include "worker.h"

namespace gpuopt_emu {

void trap() {
  if (!current) abort();
  fail(cudaErrorLaunchFailure, "trap");
}

unsigned ptx::nsmid() { return (unsigned)gpu().sms; }
unsigned ptx::smid() {
  if (is_lane(current)) return multiprocessor_of(current->block);
  const Block *block = current->block;
  const unsigned long long plane = block->index.y + (unsigned long long)block->grid_size.y * block->index.z;
  return (unsigned)((block->index.x + block->grid_size.x * plane) % nsmid());
}

unsigned long long ptx::gridid() { return current->block->grid->number; }
unsigned ptx::dynamic_smem_size() { return (unsigned)current->block->grid->dynamic_shared; }
unsigned ptx::total_smem_size() {
  const Grid *grid = current->block->grid;
  return (unsigned)(grid->static_shared + grid->dynamic_shared);
}

}  // namespace gpuopt_emu

// Takes the place of the C library's, for device and host code alike.
extern "C" [[noreturn]] void __assert_fail(const char *assertion, const char *file, unsigned line,
                                           const char *function) noexcept {
  fflush(stdout);
  if (gpuopt_emu::current)
    gpuopt_emu::fail_assertion(file, line, function, assertion);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  abort();
}
