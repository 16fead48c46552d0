// What happens at each access to memory in check mode: the quick part, for accesses that are as they should be.
#ifndef GPUOPT_EMU_CHECK_ACCESS_H
#define GPUOPT_EMU_CHECK_ACCESS_H

#include <string.h>

#include "check_shadow.h"

namespace gpuopt_emu {

// One access as the slow parts see it.
struct Event {
  Block *block;
  BlockCheck *check;
  uintptr_t address;
  unsigned bytes;
  Access kind;
  Stamp mine;  // era and thread
  const Spot *place;
};

// The slow parts. admit: memory that must not be accessed, or was never written; false: nothing more to look at.
bool admit(const Event &event);
void misaligned(const Event &event);
// An earlier access to (part of) the same bytes that is not known to be ordered before this one.
void conflict(const Event &event, Stamp earlier, bool earlier_writes);
// Looks again at what was left open: a store, now done, or a read whose value an atomic operation may yet confirm.
// `next`: what comes now, null at the end of a round.
void settle(BlockCheck *check, const Event *next);
void strong_access(const Event &event);
void small_access(const Event &event, uint32_t first, Cell *cell, Cell *fine);  // of less than four bytes
void beside_small_accesses(const Event &event, uint32_t first, Cell *fine);      // of a whole cell which has such
Stamp joined_read(const Event &event, Stamp last);               // the read to remember where another one is
Cell *fine_cells(const BlockCheck *check, uintptr_t address);

static inline Stamp flags_of(const Event &event) {
  if (!is_strong(event.kind)) return 0;
  return is_atomic(event.kind) ? STRONG | ATOMIC | (event.place->flags & BLOCK_SCOPE ? (Stamp)IN_BLOCK : 0) : (Stamp)STRONG;
}

// Whether an earlier access is ordered before one by the thread of `mine`, for all that can be said quickly.
// `first`: eras before that one do not matter.
static inline bool clearly_ordered(const BlockCheck *check, uint32_t first, Stamp earlier, Stamp mine) {
  const uint32_t era = era_of(earlier);
  return era < first || (earlier ^ mine) >> THREAD_SHIFT == 0 || era - check->run_first < check->run_span;
}

template <Access Kind> static inline __attribute__((always_inline)) void check_cell(const Event &event, uint32_t first, Cell *cell) {
  const BlockCheck *check = event.check;
  const Stamp written = cell->write;
  if (__builtin_expect(!clearly_ordered(check, first, written, event.mine), 0)) conflict(event, written, true);
  const Stamp read = cell->read;
  if (writes(Kind)) {
    if (__builtin_expect(!clearly_ordered(check, first, read, event.mine) ||
                             (read & (MANY_THREADS | MANY_BLOCKS) && era_of(read) >= first), 0))
      conflict(event, read, false);
    cell->write = event.mine | place_bits(event.place) | flags_of(event) | (written & FINE);
  }
  if (is_atomic(Kind) && reads(Kind) && (read ^ event.mine) >> THREAD_SHIFT == 0)
    cell->read = read | ALL_STRONG;  // a plain read, confirmed by this: compare-and-swap loops start with one
  if (reads(Kind) && (read ^ event.mine) >> THREAD_SHIFT) {
    if (era_of(read) < first)
      cell->read = event.mine | place_bits(event.place) | (is_strong(Kind) ? (Stamp)ALL_STRONG : 0);
    else if (!(read & MANY_BLOCKS))
      cell->read = joined_read(event, read);
  }
}

template <unsigned Size, Access Kind>
static inline __attribute__((always_inline)) void check_access(const void *pointer, const Spot *place) {
  Fiber *const me = current;
  Block *const block = me->block;
  BlockCheck *const check = block->check;
  const uintptr_t address = (uintptr_t)pointer;
  const unsigned thread = me->linear;
  const Event event = {block, check, address, Size, Kind, stamp(check->eras[thread], thread), place};
  if (__builtin_expect(check->pending, 0)) settle(check, &event);
  const unsigned char *written;
  Cell *cell;
  uint32_t first;
  const uintptr_t at = address - check->shared;
  if (at < check->shared_bytes) {
    first = check->block_first;
    written = check->shared_written + at / 8;
    cell = check->shared_cells + at / 4;
  } else {
    const Region &region = regions[address < ADDRESS_LIMIT ? address >> REGION_SHIFT : 0];
    const uintptr_t offset = address & REGION_MASK;
    if (__builtin_expect(!region.cells, 0)) {
      admit(event);
      return;
    }
    first = check->grid_first;
    written = region.written + offset / 8;
    cell = region.cells + offset / 4;
  }
  if (__builtin_expect((address & (Size - 1)) != 0, 0)) {
    misaligned(event);
    return;
  }
  bool good;
  if (Size == 16) good = written[0] == 255 && written[1] == 255;
  else good = (~(unsigned)*written >> (address & 7) & ((1u << (Size & 15)) - 1)) == 0;
  if (__builtin_expect(!good, 0) && !admit(event)) return;
  if (is_strong(Kind)) strong_access(event);
  if (Size < 4) {
    small_access(event, first, cell, fine_cells(check, address));
    return;
  }
  for (unsigned i = 0; i < (Size + 3) / 4; ++i) {
    if (__builtin_expect((cell[i].write & FINE) != 0, 0)) 
      beside_small_accesses(event, first, fine_cells(check, address + 4 * i));
    check_cell<Kind>(event, first, cell + i);
  }
}

}  // namespace gpuopt_emu

#endif
