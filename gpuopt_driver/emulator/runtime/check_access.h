// What happens at each access to memory in check mode: the quick part, for accesses that are as they should be.
#ifndef GPUOPT_EMU_CHECK_ACCESS_H
#define GPUOPT_EMU_CHECK_ACCESS_H

#include <string.h>

#include "check_only_read.h"
#include "check_recent.h"

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
__attribute__((cold, noinline)) bool admit(const Event &event);
__attribute__((cold, noinline)) void misaligned(const Event &event);
// An earlier access to (part of) the same bytes that is not known to be ordered before this one.
__attribute__((cold, noinline)) void conflict(const Event &event, Stamp earlier, bool earlier_writes);
// Looks again at what was left open: a store, now done, or a read whose value an atomic operation may yet confirm.
// `next`: what comes now.
__attribute__((cold, noinline)) void settle(BlockCheck *check, const Event &next);
void settle_all(BlockCheck *check);  // at the end of a round
void settle_before(const void *pointer, unsigned bytes, Access kind, const Spot *place);  // if that is a store
void strong_access(const Event &event);
void small_access(const Event &event, uint32_t first, Cell *cell, Cell *fine);  // of less than four bytes
__attribute__((cold, noinline)) void beside_small_accesses(const Event &event, uint32_t first, Cell *fine);      // of a whole cell which has such
// A plain store of whole cells where several warps have read since the last barrier, of a pair of places that was told
// before: true, and what is to be looked at again is noted. False: not clearly so.
__attribute__((noinline)) bool races_again(const void *pointer, unsigned bytes, const Spot *place);
Stamp joined_read(const Event &event, Stamp last);               // the read to remember where another one is
// A plain read of what another block has read in this launch, remembered as one by many blocks: false if it is not clearly so.
__attribute__((noinline)) bool join_blocks(const BlockCheck *check, Cell *cell, Stamp mine, const Spot *place);
Cell *fine_cells(const BlockCheck *check, uintptr_t address);
// What is remembered of the other block of the cluster whose shared memory is at the address; null where there is none.
BlockCheck *near_owner(const Block *block, uintptr_t address);

static inline Stamp flags_of(Access kind, const Spot *place) {
  if (!is_strong(kind)) return 0;
  return is_atomic(kind) ? STRONG | ATOMIC | (place->flags & BLOCK_SCOPE ? (Stamp)IN_BLOCK : 0) : (Stamp)STRONG;
}

// Whether an earlier access is ordered before one by the thread of `mine`, for all that can be said quickly.
// `first`: eras before that one do not matter.
static inline bool clearly_ordered(const BlockCheck *check, uint32_t first, Stamp earlier, Stamp mine) {
  const uint32_t era = era_of(earlier);
  return era < first || (earlier ^ mine) >> THREAD_SHIFT == 0 || era - check->run_first < check->run_span;
}

// A read to remember beside that of another thread: false where the slow part must say what becomes of the two.
static inline bool join_reads(Stamp *cell, Stamp read, Stamp mine) {
  if (read & MANY_BLOCKS) return true;
  if ((read ^ mine) >> 32 || read & ALL_STRONG) return false;
  // Another thread of the block since the last barrier. What counts is whether they are of one warp.
  const Stamp warps = (read ^ mine) >> (THREAD_SHIFT + 5) & 31 ? (Stamp)MANY_WARPS : 0, now = read | MANY_THREADS | warps;
  if (now != read) *cell = now;
  return true;
}

// `event` makes the Event, for which there is no time where all is well.
template <Access Kind, class Make>
static inline __attribute__((always_inline)) void check_cell(const BlockCheck *check, uint32_t first, Stamp mine,
                                                             const Spot *place, Cell *cell, Make event) {
  const Stamp written = cell->write;
  if (__builtin_expect(!clearly_ordered(check, first, written, mine), 0)) conflict(event(), written, true);
  const Stamp read = cell->read;
  if (writes(Kind)) {
    if (__builtin_expect(!clearly_ordered(check, first, read, mine) ||
                             (read & (MANY_THREADS | MANY_BLOCKS) && era_of(read) >= first), 0))
      conflict(event(), read, false);
    cell->write = mine | place_bits(place) | flags_of(Kind, place) | (written & FINE);
  }
  if (is_atomic(Kind) && reads(Kind) && (read ^ mine) >> THREAD_SHIFT == 0) {
    cell->read = read | ALL_STRONG;  // a plain read, confirmed by this: compare-and-swap loops start with one
    begins_exchange[read >> PLACE_SHIFT & PLACE_MASK] = 1;
  }
  if (reads(Kind) && (read ^ mine) >> THREAD_SHIFT) {
    if (era_of(read) < first) cell->read = mine | place_bits(place) | (is_strong(Kind) ? (Stamp)ALL_STRONG : 0);
    else if (is_strong(Kind) ? !(read & MANY_BLOCKS) : !join_reads(&cell->read, read, mine))
      cell->read = joined_read(event(), read);
  }
}

template <unsigned Size, Access Kind>
__attribute__((noinline)) static void check_thoroughly(const void *pointer, const Spot *place) {
  Fiber *const me = current;
  Block *const block = me->block;
  BlockCheck *const check = block->check;
  const uintptr_t address = (uintptr_t)pointer;
  const unsigned thread = me->linear;
  const Stamp mine = stamp(check->eras[thread], thread);
  const auto event = [=] { return Event{block, check, address, Size, Kind, mine, place}; };
  forget_recent(check, address);
  if (__builtin_expect(check->pending, 0)) settle(check, event());
  const unsigned char *written;
  Cell *cell;
  uint32_t first;
  const BlockCheck *owner = check;
  if (block->cluster && address - check->shared >= check->shared_bytes)
    if (const BlockCheck *other = near_owner(block, address)) owner = other;
  const uintptr_t at = address - owner->shared;
  if (at < owner->shared_bytes) {
    first = owner->block_first;
    written = owner->shared_written + at / 8;
    cell = owner->shared_cells + at / 4;
  } else {
    const Region &region = regions[address < ADDRESS_LIMIT ? address >> REGION_SHIFT : 0];
    const uintptr_t offset = address & REGION_MASK;
    if (__builtin_expect(!region.cells, 0)) {
      admit(event());
      return;
    }
    first = check->grid_first;
    written = region.written + offset / 8;
    cell = region.cells + offset / 4;
  }
  if (__builtin_expect((address & (Size - 1)) != 0, 0)) {
    misaligned(event());
    return;
  }
  bool good;
  if (Size == 16) good = written[0] == 255 && written[1] == 255;
  else good = (~(unsigned)*written >> (address & 7) & ((1u << (Size & 15)) - 1)) == 0;
  if (__builtin_expect(!good, 0) && !admit(event())) return;
  if (writes(Kind) && check->only_read && only_read_at(check->only_read, address)) is_written(check->only_read);
  if (is_strong(Kind)) strong_access(event());
  if (Size < 4) {
    small_access(event(), first, cell, fine_cells(owner, address));
    return;
  }
  for (unsigned i = 0; i < (Size + 3) / 4; ++i) {
    if (__builtin_expect((cell[i].write & FINE) != 0, 0))
      beside_small_accesses(event(), first, fine_cells(owner, address + 4 * i));
    check_cell<Kind>(check, first, mine, place, cell + i, event);
  }
}

// Notes a store to bytes that it may access and that were not all written, and says whether that was so.
// One byte of bits tells of memory that other blocks may write at this moment.
static inline __attribute__((always_inline)) bool first_store(unsigned char *written, const unsigned char *allowed,
                                                              unsigned mask) {
  if ((allowed[0] & mask) != (mask & 255) || (mask >> 8 && allowed[1] != 255)) return false;
  __atomic_fetch_or(written, (unsigned char)mask, __ATOMIC_RELAXED);
  if (mask >> 8) written[1] = 255;
  return true;
}

// The stack of the thread that runs, and what loops between barriers keep of each thread.
static inline bool is_on_stack(uintptr_t address) {
  const Fiber *const me = current;
  const Room *const room = me->block->room;
  return address - (uintptr_t)me->stack < me->stack_bytes || address - (uintptr_t)room->kept < room->kept_bytes;
}

template <unsigned Size, bool Writes> __attribute__((noinline)) static bool is_own_stack(uintptr_t address, const Spot *place) {
  if (!is_on_stack(address)) return false;
  note_own<Size, Writes>(current_check, address, place);
  return true;
}

// Whether an access of bytes that were not all written is in order so far: on the thread's own stack, or a first store.
template <unsigned Size, bool Writes>
__attribute__((noinline)) static bool is_first(uintptr_t address) {
  if (is_on_stack(address)) return true;
  if (!Writes) return false;
  const BlockCheck *const check = current->block->check;
  uintptr_t at = address - check->shared;
  unsigned char *written = check->shared_written;
  const unsigned char *allowed = check->shared_allowed;
  if (at >= check->shared_bytes) {
    const Region &region = regions[address >> REGION_SHIFT];
    at = address & REGION_MASK, written = region.written, allowed = region.allowed;
  }
  return first_store(written + at / 8, allowed + at / 8, ((1u << Size) - 1) << (address & 7));
}
// Whether all is well with a plain access of a whole cell by the thread of `mine`.
template <bool Writes>
static inline __attribute__((always_inline)) bool cell_is_well(const BlockCheck *check, uint32_t first, Stamp mine, const Spot *place,
                                                               Cell *cell) {
  const Stamp write = cell->write, read = cell->read;
  if (write & FINE || !clearly_ordered(check, first, write, mine)) return false;
  if (Writes) {
    if (era_of(read) >= first && ((read ^ mine) >> THREAD_SHIFT || read & (MANY_THREADS | MANY_BLOCKS))) {
      const bool before_barrier = era_of(read) - check->run_first < check->run_span;
      if (read & MANY_BLOCKS || !(before_barrier || (!(read & MANY_THREADS) && clearly_ordered(check, first, read, mine))))
        return false;
    }
    if (__builtin_expect(!place->id, 0)) return false;
    cell->write = mine | (Stamp)(place->id & PLACE_MASK) << PLACE_SHIFT;
  } else if ((read ^ mine) >> THREAD_SHIFT) {
    // What this block read before a barrier is ordered before all that is ordered before this read.
    const bool over = era_of(read) < first || (!(read & MANY_BLOCKS) && era_of(read) - check->run_first < check->run_span);
    if (over) {
      if (__builtin_expect(!place->id, 0)) return false;
      cell->read = mine | (Stamp)(place->id & PLACE_MASK) << PLACE_SHIFT;
    } else if (!join_reads(&cell->read, read, mine)) {
      return join_blocks(check, cell, mine, place);
    }
  }
  return true;
}
enum class Well { no, yes, again };  // again: and the cells said so before
template <unsigned Count, bool Writes>
__attribute__((noinline)) static Well cells_are_well(const BlockCheck *check, uint32_t first, Stamp mine, const Spot *place, Cell *cell) {
  Stamp changed = 0;
  for (unsigned i = 0; i < Count; ++i) {
    const Cell before = cell[i];
    if (!cell_is_well<Writes>(check, first, mine, place, cell + i)) return Well::no;
    changed |= (cell[i].write ^ before.write) | (cell[i].read ^ before.read);
  }
  return changed ? Well::yes : Well::again;
}

// Whether all is well with a plain access of whole cells, as it mostly is; small enough to need no stack.
template <unsigned Size, bool Writes>
static inline __attribute__((always_inline)) bool is_well(uintptr_t address, const Spot *place) {
  BlockCheck *const check = current_check;
  const unsigned char *written;
  Cell *cell;
  uint32_t first;
  uintptr_t at = address - check->shared;
  if (at < check->shared_bytes) {
    written = check->shared_written;
    cell = check->shared_cells;
    first = check->block_first;
  } else {
    const Region &region = regions[address < ADDRESS_LIMIT ? address >> REGION_SHIFT : 0];
    at = address & REGION_MASK;
    written = region.written;
    cell = region.cells;
    first = check->grid_first;
  }
  if (__builtin_expect(check->pending, 0)) return false;
  if (__builtin_expect(!cell, 0)) return is_own_stack<Size, Writes>(address, place);
  if (__builtin_expect((address & (Size - 1)) != 0, 0)) return false;
  if (__builtin_expect(Size == 16 ? written[at / 8] != 255 || written[at / 8 + 1] != 255
                                  : (~(unsigned)written[at / 8] >> (address & 7) & ((1u << (Size & 15)) - 1)) != 0, 0)) {
    if (!is_first<Size, Writes>(address)) return false;
    if (is_own_stack<Size, Writes>(address, place)) return true;
  }
  if (__builtin_expect(check->only_read != nullptr, 0)) {
    const Piece *const array = only_read_at(check->only_read, address);
    if (__builtin_expect(array != nullptr, 0)) {
      if (Writes) return false;
      note_only_read(*array, check->grid_first, address);
      return true;
    }
  }
  cell += at / 4;
  const unsigned thread = current->linear;
  const Stamp mine = stamp(check->eras[thread], thread);
  bool again;
  // Mostly what is known of both halves of eight bytes is the same: then what is found of one is that of both.
  if (Size > 8 || (Size == 8 && (cell[0].write ^ cell[1].write) | (cell[0].read ^ cell[1].read))) {
    const Well well = cells_are_well<Size / 4, Writes>(check, first, mine, place, cell);
    if (well == Well::no) return false;
    again = well == Well::again;
  } else {
    const Stamp before = Writes ? cell[0].write : cell[0].read;
    if (!cell_is_well<Writes>(check, first, mine, place, cell)) return false;
    again = (Writes ? cell[0].write : cell[0].read) == before;
    if (Size == 8 && Writes) cell[1].write = cell[0].write;
    else if (Size == 8 && !again) cell[1].read = cell[0].read;
  }
  if (Writes && again && !check->wandering) note_own<Size, Writes>(check, address, place);
  if (!Writes && (again || cell[0].read & (MANY_BLOCKS | MANY_THREADS))) return note_read<Size>(check, first, address, cell, again);
  return true;
}

template <unsigned Size, Access Kind>
__attribute__((noinline)) static void check_quickly(const void *pointer, const Spot *place) {
  if (__builtin_expect(current_check->pending, 0)) settle_before(pointer, Size, Kind, place);
  if (__builtin_expect(is_well<Size, writes(Kind)>((uintptr_t)pointer, place), 1)) return;
  if (writes(Kind) && races_again(pointer, Size, place)) return;
  check_thoroughly<Size, Kind>(pointer, place);
}

// Small enough to need no stack where nothing is to be done.
template <unsigned Size, Access Kind>
static inline __attribute__((always_inline)) void check_access(const BlockCheck *check, const void *pointer, const Spot *place) {
  const uintptr_t address = (uintptr_t)pointer;
  if (Size < 4 || is_strong(Kind)) return check_thoroughly<Size, Kind>(pointer, place);
  const bool recent = writes(Kind) ? is_recent_store<Size>(check, address, place) : is_quiet<Size>(check, address) || is_recent_read<Size>(check, address);
  if (__builtin_expect(!recent, 0)) check_quickly<Size, Kind>(pointer, place);
}

}  // namespace gpuopt_emu

#endif
