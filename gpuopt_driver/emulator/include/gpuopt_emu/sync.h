// Block barriers. Every thread counts for itself; those that have exited are not waited for.
#ifndef GPUOPT_EMU_SYNC_H
#define GPUOPT_EMU_SYNC_H

#include "block.h"

namespace gpuopt_emu {

static inline __attribute__((always_inline)) void arrive_and_wait(Block *block, Fiber *me, Barrier *barrier,
                                                                  unsigned expected) {
  if (++barrier->arrived == expected) {
    arrived_last(block, me, barrier);
  } else {
    barrier->waiting.append(me);
    wait(block, me);
  }
}

static inline __attribute__((always_inline)) void arrive_and_wait(Block *block, Fiber *me, Barrier *barrier) {
  arrive_and_wait(block, me, barrier, barrier->expected ? barrier->expected : block->live);
}

// Comes to the block's barrier: who goes on, which is the caller where nobody else has to come.
Fiber *come_to_barrier(Block *block, Fiber *me);

// Who comes after this one, mostly the next in memory: a guess need not wait for what memory says.
static inline __attribute__((always_inline)) Fiber *next_in_turn(Fiber *fiber) {
  Fiber *next = fiber->next, *guess = fiber + 1;
  if (__builtin_expect(next == guess, 1)) {
    asm volatile("" : "+r"(guess));
    next = guess;
  }
  return next;
}

static inline __attribute__((always_inline)) void block_barrier() {
  // As with Busy, but without a word on the stack: what a thread keeps there decides how many fit into the cache.
  Block *block = current_block;
  Fiber *const me = current, *next;
  block->busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Fiber *const first = block->first_in_turn;
  if (__builtin_expect(first != nullptr, 1)) {
    next = next_in_turn(me);
    if (__builtin_expect(next == first, 0)) next = come_to_barrier(block, me);
    else fetch_ahead(next);
  } else if (__builtin_expect(block->listed && !block->ready.empty() && !(block->named_barriers & 1), 1)) {
    // Others are still to come (but where some arrive without waiting, and can go on).
    ++block->barriers[0].arrived;
    block->barriers[0].waiting.append(me);
    next = block->ready.take();
    fetch_ahead(next);
  } else {
    next = come_to_barrier(block, me);
  }
  if (next != me) switch_fiber(me, next);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  current_block->busy = false;
}

// Proposed hardware (Yang et al., PACT 2012): a barrier at which the block takes shared memory (1) or gives it back (-1).
void managed_barrier(int op, unsigned *base, unsigned bytes);

// The number of threads with a true predicate, and of threads that came.
struct BarrierVote { unsigned trues, arrived; };

static inline BarrierVote block_barrier_vote(bool predicate) {
  Fiber *me = current;
  Block *block = me->block;
  const Busy busy(block);
  if (!block->listed) keep_lists(block);
  Barrier *barrier = &block->barriers[0];
  barrier->trues += predicate;
  arrive_and_wait(block, me, barrier);
  return BarrierVote{barrier->last_trues, barrier->last_arrived};
}

// PTX bar.sync / bar.arrive: barrier `number` for `threads` threads (0: all).
void named_barrier(unsigned number, unsigned threads, bool waits);
// PTX bar.red.
BarrierVote named_barrier_vote(unsigned number, unsigned threads, bool predicate);
static inline unsigned named_barrier_count(unsigned number, unsigned threads, bool predicate) {
  return named_barrier_vote(number, threads, predicate).trues;
}
static inline bool named_barrier_and(unsigned number, unsigned threads, bool predicate) {
  const BarrierVote vote = named_barrier_vote(number, threads, predicate);
  return vote.trues == vote.arrived;
}
static inline bool named_barrier_or(unsigned number, unsigned threads, bool predicate) {
  return named_barrier_vote(number, threads, predicate).trues != 0;
}

// The threads of a tile of more than a warp (64, 128, 256, 512 or 1024 threads) wait for each other.
void tile_barrier(unsigned size);

// The values of a tile's threads, by rank, while this lives.
template <class T> class InTile {
 public:
  InTile(unsigned tile, const T &value) : block_(current->block), tile_(tile), first_(current->linear / tile * tile) {
    block_->offered[current->linear] = &value;
    tile_barrier(tile_);
  }
  ~InTile() { tile_barrier(tile_); }
  unsigned threads() const { return block_->threads - first_ < tile_ ? block_->threads - first_ : tile_; }
  const T &operator[](unsigned rank) const { return *static_cast<const T *>(block_->offered[first_ + rank]); }

 private:
  Block *block_;
  unsigned tile_, first_;
};

// A block barrier in two steps: arriving, and waiting for the others.
void all_have_arrived(Block *block);
static inline unsigned split_arrive() {
  Block *block = current->block;
  const Busy busy(block);
  if (!block->listed) keep_lists(block);
  const unsigned phase = block->split_phase;
  if (++block->split_arrived == block->live) {
    block->split_arrived = 0;
    ++block->split_phase;
    all_have_arrived(block);
  }
  return phase;
}
static inline void split_wait(unsigned phase) {
  while (current->block->split_phase == phase) yield();
}

}  // namespace gpuopt_emu

static inline __attribute__((always_inline)) void __syncthreads() { gpuopt_emu::block_barrier(); }
static inline void __syncthreads(int op, unsigned *base, unsigned bytes) { gpuopt_emu::managed_barrier(op, base, bytes); }
static inline int __syncthreads_count(int predicate) {
  return (int)gpuopt_emu::block_barrier_vote(predicate != 0).trues;
}
static inline int __syncthreads_and(int predicate) {
  const gpuopt_emu::BarrierVote vote = gpuopt_emu::block_barrier_vote(predicate != 0);
  return vote.trues == vote.arrived;
}
static inline void __barrier_sync(unsigned number) { gpuopt_emu::named_barrier(number, 0, true); }
static inline void __barrier_sync_count(unsigned number, unsigned threads) { gpuopt_emu::named_barrier(number, threads, true); }
static inline int __syncthreads_or(int predicate) { return gpuopt_emu::block_barrier_vote(predicate != 0).trues != 0; }

#endif
