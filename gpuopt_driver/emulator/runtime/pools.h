// Memory pools: what each was made for, its counters, and where its allocations would lie in a GPU's memory.
#ifndef GPUOPT_EMU_POOLS_H
#define GPUOPT_EMU_POOLS_H

#include <map>
#include <set>

#include "state.h"

struct CUmemPoolHandle_st {
  cudaMemAllocationType kind = cudaMemAllocationTypePinned;
  cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
  size_t most = 0;  // bytes; 0: any number
  bool standard = true, destroyed = false, for_device = true;  // whether kernels may use what comes from it
  unsigned long long used = 0, used_high = 0, reserved_high = 0, threshold = 0;
  int reuse[4] = {0, 1, 1, 1};
  std::map<size_t, size_t> places;  // of allocations in the pool's range of addresses: offset, bytes
  std::set<size_t> blocks;          // of that range, that have memory

  static const size_t BLOCK = 32 << 20, UNIT = 512;  // bytes, as on an H200
  unsigned long long reserved() const { return blocks.size() * BLOCK; }
  // The first gap that is wide enough; the offset is what `leave` needs.
  size_t place(size_t bytes);
  void leave(size_t offset);
  // Gives blocks back that nothing lies in, the last ones first, until no more than this is reserved.
  void shrink(unsigned long long bytes);
};

namespace gpuopt_emu {
// The program has waited for a stream, an event or the device: pools give back what is beyond their threshold.
void pools_waited();
}  // namespace gpuopt_emu

#endif
