// Shared memory that blocks take while they use it (Yang et al., PACT 2012, section 5): a multiprocessor's table of pieces.
#ifndef GPUOPT_EMU_MODEL_SMM_H
#define GPUOPT_EMU_MODEL_SMM_H

#include <stddef.h>

#include <vector>

#include "model_lane.h"

namespace gpuopt_emu {

struct ModelFigures;
struct Residency;

// What a kernel's program has said of it: bytes of a block that it always has, and that it takes by __syncthreads(1, ...).
struct SharedParts {
  bool dynamic;
  size_t own, taken;
};
SharedParts shared_parts_of(const Kernel &kernel);

// `statically`: how the kernel fits where all of its shared memory is its own. Returns the blocks that a multiprocessor
// takes on instead: some more (GPUOPT_EMU_SMM), as their own parts leave room for one part that is taken.
unsigned blocks_with_smm(const Grid &grid, const SharedParts &parts, const Residency &statically);

// The pieces that are taken, of one multiprocessor. They have one size in a kernel, so that any gap that is large enough serves.
class SharedTable {
 public:
  // Of `capacity` bytes the first `owned` are blocks' own.
  void set_up(size_t capacity, size_t owned);
  // False: there is no room now.
  bool take(const ModelBlock *block, size_t bytes, unsigned *start);
  void give_back(const ModelBlock *block);  // what it holds

 private:
  struct Entry {
    const ModelBlock *block;
    size_t start, bytes;
  };
  std::vector<Entry> entries_;  // by start
  size_t capacity_ = 0, owned_ = 0;
};

}  // namespace gpuopt_emu

extern "C" {
// From the kernel's next launch on, a block always has `own` bytes of shared memory, and takes `taken` bytes by
// __syncthreads(1, &base, bytes); `taken` 0: as the GPU does. `kernel` as cudaLaunchKernel takes it.
void gpuopt_emu_shared_parts(const void *kernel, unsigned own, unsigned taken);
}

#endif
