// Rows of cells of the shadow as a batch of accesses finds and leaves them. See check_survey.h.
#ifndef GPUOPT_EMU_CHECK_CELLS_H
#define GPUOPT_EMU_CHECK_CELLS_H

#include "check_survey.h"

namespace gpuopt_emu {

using surveys::READ;
using surveys::UPDATE;
using surveys::WRITE;

// The shadow of the memory that a batch is in.
struct Shadow {
  uintptr_t base;
  unsigned char *written, *allowed;
  Cell *cells;
  uint32_t first;  // eras before that one do not matter
  bool shared;
};

// Accesses of neighbouring threads, or turns, to neighbouring cells.
struct Run {
  uintptr_t at;
  unsigned cells, per_thread;
  unsigned thread, last;  // of the first cells and of the last ones; behind them it is the first again if `around`
  Stamp flags;      // of reads
  bool around;
};

inline bool find_shadow(const SurveyWork &work, uintptr_t low, uintptr_t high, Shadow *shadow) {
  const BlockCheck *check = work.check;
  if (low - check->shared < check->shared_bytes) {
    if (high - check->shared > check->shared_bytes) return false;
    // Nobody else uses it, so what came before the last barrier does not matter.
    *shadow = {check->shared, check->shared_written, check->more->allowed.data(), check->shared_cells, check->base, true};
    return true;
  }
  if (high >= ADDRESS_LIMIT || low >> REGION_SHIFT != (high - 1) >> REGION_SHIFT) return false;
  const Region &region = regions[low >> REGION_SHIFT];
  if (!region.cells) return false;
  *shadow = {low & ~REGION_MASK, region.written, region.allowed, region.cells, check->grid_first, false};
  return true;
}

class Cells {
 public:
  Cells(SurveyWork &w, const Batch &b, const Shadow &s)
      : work(w), check(w.check), batch(b), shadow(s), place(place_bits(b.place)), base(w.check->base),
        first(s.first), run_first(w.check->run_first), run_span(w.check->run_span), limit((Stamp)s.first << 32),
        now((Stamp)base << 32) {}

  bool run(const Run &run) {
    const size_t offset = run.at - shadow.base;
    const size_t bytes = 4 * (size_t)run.cells;
    if (!all_set(shadow.written, offset, bytes)) {
      if (batch.how != WRITE || !all_set(shadow.allowed, offset, bytes)) return false;
      if (!flushing_reads()) return false;
      work.marked.push_back(Marked{shadow.written, offset, bytes});
      set_range(shadow.written, offset, bytes, true);
    }
    Cell *const cell = shadow.cells + offset / 4;
    if (batch.how == READ && shadow.shared && work.ending) return look(cell, run);
    if (batch.how == READ) return run.per_thread == 1 ? read<1>(cell, run) : read<0>(cell, run);
    if (batch.how == WRITE) return write(cell, run);
    return update(cell, run);
  }

 private:
  SurveyWork &work;
  BlockCheck *const check;
  const Batch &batch;
  const Shadow &shadow;
  const Stamp place;
  const uint32_t base, first, run_first, run_span;
  const Stamp limit, now;
  mutable uint32_t foreign = ~0u;

  // Reads of what is about to count as written are looked at before.
  bool flushing_reads() {
    for (Batch &other : work.batches) {
      if (!other.turns || other.done) continue;
      const Batch one = other;
      other.turns = 0;
      if (!apply(work, one)) return false;
    }
    return true;
  }

  // Before the launch, or before this block's last barrier.
  bool is_old(Stamp stamp) const {
    const uint32_t era = era_of(stamp);
    return era < first || era - run_first < run_span || (era < run_first && era != foreign && is_of_block(era));
  }
  __attribute__((noinline)) bool is_of_block(uint32_t era) const {
    const Owner &owner = owner_of(era);
    if (owner.grid == check->more->grid && owner.block == check->more->block) return true;
    foreign = era;  // mostly asked again for the next cell
    return false;
  }
  static bool same_thread(Stamp a, Stamp b) { return (a ^ b) >> THREAD_SHIFT == 0; }
  Event event(const Cell *cell, Access kind, Stamp mine) const {
    return Event{work.block, check, shadow.base + 4 * (uintptr_t)(cell - shadow.cells), 4, kind, mine, batch.place};
  }

  // What is known of eight cells at once. Eras have 31 bits, so that differences tell by their sign which one is less.
  struct Eight {
    Stamp writes_less, reads_less, any_less, writes, reads, others;
    Eight(const Cell *cell, Stamp limit, Stamp now)
        : writes_less(~(Stamp)0), reads_less(~(Stamp)0), any_less(0), writes(0), reads(~(Stamp)0), others(0) {
      for (unsigned i = 0; i < 8; ++i) {
        const Stamp w = cell[i].write, r = cell[i].read;
        writes |= w;
        reads &= r;
        writes_less &= w - limit;
        reads_less &= r - limit;
        any_less |= r - limit;
        others |= r ^ now;
      }
    }
    bool unwritten() const { return writes_less >> 63 && !(writes & FINE); }  // since the limit
    bool unread() const { return reads_less >> 63; }
    bool read_by_blocks() const { return !(any_less >> 63) && reads & MANY_BLOCKS; }
    // By several warps since the last barrier: one more changes nothing.
    bool read_by_warps() const {
      const Stamp many = MANY_THREADS | MANY_WARPS;
      return !(others >> 32 || others & (MANY_BLOCKS | ALL_STRONG)) && (reads & many) == many;
    }
  };

  // A read of shared memory at an epoch's end: all its stores are known, and who comes later does so behind a barrier.
  bool look(const Cell *cell, const Run &run) const {
    for (unsigned i = 0; i < run.cells;) {
      Stamp less = ~(Stamp)0, any = 0;
      const unsigned count = run.cells - i < 8 ? run.cells - i : 8;
      if (count == 8)
        for (unsigned k = 0; k < 8; ++k) less &= cell[i + k].write - limit, any |= cell[i + k].write;
      else
        for (unsigned k = 0; k < count; ++k) less &= cell[i + k].write - limit, any |= cell[i + k].write;
      if (any & FINE) return false;
      if (!(less >> 63)) {
        if (run.flags) return false;
        const unsigned round = run.around ? run.last - run.thread + 1 : run.cells;
        for (unsigned k = i; k < i + count; ++k) {
          const Stamp mine = stamp(base, run.thread + k / run.per_thread % round);
          if (!is_old(cell[k].write) && !same_thread(cell[k].write, mine)) return false;
        }
      }
      i += count;
    }
    return true;
  }

  template <unsigned PerThread> bool read(Cell *cell, const Run &run) {
    Stamp mine = stamp(base, run.thread) | place;
    const Stamp last = stamp(base, run.last) | place, one = (Stamp)1 << THREAD_SHIFT, behind = run.around ? mine : last;
    unsigned next = 0, wait = 1;  // when to look at eight again: later and later where that is in vain
    for (unsigned i = 0, part = 0; i < run.cells; ++i, ++cell) {
      if (i >= next && i + 8 <= run.cells && (PerThread == 1 ? mine + 7 * one <= last : run.per_thread == run.cells)) {
        const Eight eight(cell, limit, now);
        const bool fresh = eight.unread();
        if (eight.unwritten() && (fresh || eight.read_by_blocks() || eight.read_by_warps())) {
          const Stamp step = PerThread == 1 ? one : 0;
          if (fresh)
            for (unsigned k = 0; k < 8; ++k) cell[k].read = (mine + k * step) | run.flags;
          mine += 8 * step;
          if (mine > last) mine = behind;
          i += 7, cell += 7;
          wait = 1;
          continue;
        }
        next = i + wait;
        wait = wait < 8 ? 2 * wait : 8;
      }
      const Stamp w = cell->write, r = cell->read;
      if (__builtin_expect((w & FINE) || !(is_old(w) || (!run.flags && same_thread(w, mine))), 0)) return false;
      if (era_of(r) < first) cell->read = mine | run.flags;
      else if (r & MANY_BLOCKS) {}
      else if (is_old(r)) cell->read = mine | run.flags;
      else if (same_thread(r, mine)) cell->read = r | run.flags;
      else if (era_of(r) == base) {
        if (r & ALL_STRONG) return false;
        const Stamp warps = (r ^ mine) >> (THREAD_SHIFT + 5) & 31 ? (Stamp)MANY_WARPS : 0;
        cell->read = r | run.flags | MANY_THREADS | warps;
      } else if (check->more->acquired.empty() && !(r & ALL_STRONG)) {  // another block has read it
        cell->read = mine | run.flags | MANY_BLOCKS;
      } else {
        cell->read = joined_read(event(cell, Access::read, stamp_of(mine)), r) | run.flags;
      }
      if (PerThread == 1) mine = mine < last ? mine + one : behind;
      else if (++part == run.per_thread) part = 0, mine += one;
    }
    return true;
  }
  static Stamp stamp_of(Stamp mine) { return mine >> THREAD_SHIFT << THREAD_SHIFT; }

  bool write(Cell *cell, const Run &run) {
    Stamp mine = stamp(base, run.thread) | place;
    const Stamp one = (Stamp)1 << THREAD_SHIFT;
    unsigned next = 0, wait = 1;
    for (unsigned i = 0, part = 0; i < run.cells; ++i, ++cell) {
      if (i >= next && run.per_thread == 1 && i + 8 <= run.cells) {
        const Eight eight(cell, limit, now);
        if (eight.unwritten() && eight.unread()) {
          for (unsigned k = 0; k < 8; ++k, mine += one) cell[k].write = mine;
          i += 7, cell += 7;
          wait = 1;
          continue;
        }
        next = i + wait;
        wait = wait < 8 ? 2 * wait : 8;
      }
      const Stamp w = cell->write, r = cell->read;
      if (__builtin_expect((w & FINE) || !(is_old(w) || same_thread(w, mine)), 0)) return false;
      if (era_of(r) >= first) {
        if (r & MANY_BLOCKS || !(is_old(r) || (same_thread(r, mine) && !(r & MANY_THREADS)))) return false;
      }
      cell->write = mine;
      if (++part == run.per_thread) part = 0, mine += one;
    }
    return true;
  }

  bool update(Cell *cell, const Run &run) {
    Stamp mine = stamp(base, run.thread) | place;
    for (unsigned i = 0, part = 0; i < run.cells; ++i, ++cell) {
      const Stamp w = cell->write, r = cell->read;
      const bool own_write = !run.flags && same_thread(w, mine);
      if (w & FINE || !(is_old(w) || own_write || (w & STRONG && !(w & IN_BLOCK)))) return false;
      const bool own_read = !run.flags && same_thread(r, mine) && !(r & MANY_THREADS);
      if (era_of(r) >= first && !(r & ALL_STRONG) && (r & MANY_BLOCKS || !(is_old(r) || own_read))) return false;
      cell->write = mine | STRONG | ATOMIC;
      if (era_of(r) < first) cell->read = mine | ALL_STRONG;
      else if (same_thread(r, mine)) cell->read = r | ALL_STRONG;
      else if (!(r & MANY_BLOCKS)) cell->read = joined_read(event(cell, Access::atomic_update, stamp_of(mine)), r);
      if (++part == run.per_thread) part = 0, mine += (Stamp)1 << THREAD_SHIFT;
    }
    return true;
  }
};

}  // namespace gpuopt_emu

#endif
