// Reads that need no look: of what was read by so many since the last barrier, or in the launch, that one more changes nothing.
#ifndef GPUOPT_EMU_CHECK_RECENT_H
#define GPUOPT_EMU_CHECK_RECENT_H

#include <string.h>

#include "check_shadow.h"

namespace gpuopt_emu {

// Where it is noted that plain reads of this address need no look for now. What could change that forgets all of it:
// barriers, conflicts (who writes what was read there runs into one), fences, meetings of lanes, freed memory.
static inline uintptr_t *recent_place(BlockCheck *check, uintptr_t address) {
  return check->recent + (uint64_t)address * 0x9e3779b97f4a7c15ull / (~0ull / BlockCheck::RECENT + 1);  // arrays begin alike
}
template <unsigned Size> static inline uintptr_t marked_recent(const BlockCheck *check, uintptr_t address) {
  return address ^ check->recent_mark ^ (uintptr_t)(Size / 4) << 48;
}
static inline void forget_recent(BlockCheck *check) {
  check->recent_mark += (uintptr_t)1 << 52;  // above addresses and sizes
  if (!check->recent_mark) memset(check->recent, 0, sizeof check->recent);
}

template <unsigned Size> static inline bool is_recent(BlockCheck *check, uintptr_t address) {
  return *recent_place(check, address) == marked_recent<Size>(check, address);
}

// Notes it where it is so: no thread's read adds anything to what the cells say, and every thread may read.
template <unsigned Size>
static inline void note_recent(BlockCheck *check, uint32_t first, uintptr_t address, const Cell *cell) {
  if (check->wandering) return;
  for (unsigned i = 0; i < Size / 4; ++i) {
    const Stamp read = cell[i].read;
    const uint32_t wrote = era_of(cell[i].write);
    if (!(read & MANY_BLOCKS) && (!(read & MANY_THREADS) || era_of(read) != check->base)) return;
    if (era_of(read) < first || read & ALL_STRONG || !(wrote < first || wrote - check->run_first < check->run_span)) return;
  }
  *recent_place(check, address) = marked_recent<Size>(check, address);
}

// A line of global memory that several blocks have read, all of it, and that nobody has written in this launch: one
// more plain read changes nothing. Whoever writes there runs into a conflict, which ends it.
template <unsigned Size> static inline void note_quiet(const Region &region, uint32_t first, uintptr_t offset) {
  if ((offset & (LINE - 1)) != LINE - Size) return;  // asked once for a line, by who reads one after another
  const uintptr_t line = offset / LINE;
  uint64_t written;
  memcpy(&written, region.written + line * (LINE / 8), 8);
  if (written != ~0ull) return;
  const Cell *const cell = region.cells + line * (LINE / 4);
  for (unsigned i = 0; i < LINE / 4; ++i) {
    const Stamp read = cell[i].read, write = cell[i].write;
    if (!(read & MANY_BLOCKS) || read & ALL_STRONG || era_of(read) < first || write & FINE || era_of(write) >= first) return;
  }
  region.quiet[line] = first;
}

template <unsigned Size>
__attribute__((noinline)) static bool note_read(BlockCheck *check, uint32_t first, uintptr_t address, const Cell *cell) {
  note_recent<Size>(check, first, address, cell);
  if (address - check->shared >= check->shared_bytes)
    note_quiet<Size>(regions[address >> REGION_SHIFT], first, address & REGION_MASK);
  return true;
}

}  // namespace gpuopt_emu

#endif
