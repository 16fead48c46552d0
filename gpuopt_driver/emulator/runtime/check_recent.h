// Plain accesses that need no look: those that would leave what is remembered as it is. Reads of what so many have read that
// one more makes no difference, and what a thread does again.
#ifndef GPUOPT_EMU_CHECK_RECENT_H
#define GPUOPT_EMU_CHECK_RECENT_H

#include <string.h>

#include "check_shadow.h"

namespace gpuopt_emu {

// What is noted holds until barriers, fences, meetings of lanes, freed memory, and leaving the block for another one: all
// these forget everything. Small and atomic accesses, and any of another thread that is not clearly ordered (a conflict),
// forget what is noted of the sixteen bytes around them.
static inline unsigned recent_place(uintptr_t address) {  // an array's elements follow each other, arrays begin anywhere
  return (unsigned)(address / 4 + address / (4 * BlockCheck::READS) * 0x9e5) % BlockCheck::READS;
}
static inline unsigned own_place(uintptr_t address) { return recent_place(address) % BlockCheck::OWN; }

// Reads by everybody, and what is another bit for those by a warp alone; a thread's own. Marks are above addresses, sizes,
// and warps or threads.
static inline uintptr_t read_of(uintptr_t address, unsigned size) { return address ^ (uintptr_t)(size / 8) << 48; }
static inline uintptr_t by_warp() { return (uintptr_t)1 << 50 | (uintptr_t)(current->linear / WARP) << 51; }
static inline uintptr_t by_thread() { return (uintptr_t)current->linear << 50; }
// A thread's own store from a place.
static inline BlockCheck::Store store_of(const BlockCheck *check, uintptr_t address, unsigned size, const Spot *place) {
  return {address ^ (uintptr_t)size << 58 ^ (uintptr_t)current->linear << 48, (uintptr_t)place ^ check->store_mark};
}

static inline void forget_recent(BlockCheck *check) {
  check->read_mark += (uintptr_t)1 << 56;
  if (!check->read_mark) memset(check->reads, 0, sizeof check->reads);
  check->own_mark += (uintptr_t)1 << 60;
  if (!check->own_mark) memset(check->own_reads, 0, sizeof check->own_reads);
  check->store_mark += (uintptr_t)1 << 48;
  if (!check->store_mark) memset(check->own_stores, 0, sizeof check->own_stores);
}
static inline void forget_recent(BlockCheck *check, uintptr_t address) {
  for (uintptr_t at = address & ~(uintptr_t)15; at < (address | 15); at += 4) {
    check->reads[recent_place(at)] = check->own_reads[own_place(at)] = 0;
    check->own_stores[own_place(at)].what = 0;
  }
}

template <unsigned Size> static inline bool is_recent_read(const BlockCheck *check, uintptr_t address) {
  const uintptr_t read = read_of(address, Size), noted = check->reads[recent_place(address)] ^ check->read_mark;
  return noted == read || (check->own_reads[own_place(address)] ^ check->own_mark) == (read ^ by_thread()) || noted == (read ^ by_warp());
}
template <unsigned Size> static inline bool is_recent_store(const BlockCheck *check, uintptr_t address, const Spot *place) {
  const BlockCheck::Store &noted = check->own_stores[own_place(address)], one = store_of(check, address, Size, place);
  return noted.what == one.what && noted.who == one.who;
}

// An access that has left the cells as they were, or that is to none.
template <unsigned Size, bool Writes> static inline void note_own(BlockCheck *check, uintptr_t address, const Spot *place) {
  if (Writes) check->own_stores[own_place(address)] = store_of(check, address, Size, place);
  else check->own_reads[own_place(address)] = read_of(address, Size) ^ by_thread() ^ check->own_mark;
}
// A read that is well: whom else it would be for who changes nothing by it. `again`: it has left the cells as they were.
template <unsigned Size>
static inline void note_recent(BlockCheck *check, uint32_t first, uintptr_t address, const Cell *cell, bool again) {
  if (check->wandering) return;
  bool all = true, warp = true;
  for (unsigned i = 0; i < Size / 4; ++i) {
    const Stamp read = cell[i].read;
    const uint32_t wrote = era_of(cell[i].write);
    const bool now = read & MANY_THREADS && era_of(read) == check->base && !(read & ALL_STRONG);
    const bool by_all = wrote < first || wrote - check->run_first < check->run_span;
    all &= by_all && ((read & MANY_BLOCKS && era_of(read) >= first && !(read & ALL_STRONG)) || (now && read & MANY_WARPS));
    warp &= by_all && now && thread_of(read) / WARP == current->linear / WARP;
  }
  if (all || warp)
    check->reads[recent_place(address)] = read_of(address, Size) ^ (all ? 0 : by_warp()) ^ check->read_mark;
  else if (again)
    note_own<Size, false>(check, address, nullptr);
}

// See note_quiet.
template <unsigned Size> static inline bool is_quiet(const BlockCheck *check, uintptr_t address) {
  if (address >= ADDRESS_LIMIT || address % Size) return false;
  const Region &region = regions[address >> REGION_SHIFT];
  return region.quiet && region.quiet[(address & REGION_MASK) / LINE] == check->grid_first && !check->pending;
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
__attribute__((noinline)) static bool note_read(BlockCheck *check, uint32_t first, uintptr_t address, const Cell *cell, bool again) {
  note_recent<Size>(check, first, address, cell, again);
  if (cell->read & MANY_BLOCKS && address - check->shared >= check->shared_bytes)
    note_quiet<Size>(regions[address >> REGION_SHIFT], first, address & REGION_MASK);
  return true;
}

}  // namespace gpuopt_emu

#endif
