// Block barriers. Every thread counts for itself; those that have exited are not waited for.
#ifndef GPUOPT_EMU_SYNC_H
#define GPUOPT_EMU_SYNC_H

#include "block.h"

namespace gpuopt_emu {

static inline __attribute__((always_inline)) void arrive_and_wait(Block *block, Fiber *me, Barrier *barrier) {
  if (++barrier->arrived == (barrier->expected ? barrier->expected : block->live)) {
    release(block, barrier);
  } else {
    barrier->waiting.append(me);
    wait(block, me);
  }
}

static inline __attribute__((always_inline)) void block_barrier() {
  Fiber *me = current;
  Block *block = me->block;
  if (!block->suspended) suspend_first(block);
  arrive_and_wait(block, me, &block->barriers[0]);
}

// The number of threads with a true predicate, and of threads that came.
struct BarrierVote { unsigned trues, arrived; };

static inline BarrierVote block_barrier_vote(bool predicate) {
  Fiber *me = current;
  Block *block = me->block;
  if (!block->suspended) suspend_first(block);
  Barrier *barrier = &block->barriers[0];
  barrier->trues += predicate;
  arrive_and_wait(block, me, barrier);
  return BarrierVote{barrier->last_trues, barrier->last_arrived};
}

// PTX bar.sync / bar.arrive: barrier `number` for `threads` threads (0: all).
void named_barrier(unsigned number, unsigned threads, bool waits);

}  // namespace gpuopt_emu

static inline __attribute__((always_inline)) void __syncthreads() { gpuopt_emu::block_barrier(); }
static inline int __syncthreads_count(int predicate) {
  return (int)gpuopt_emu::block_barrier_vote(predicate != 0).trues;
}
static inline int __syncthreads_and(int predicate) {
  const gpuopt_emu::BarrierVote vote = gpuopt_emu::block_barrier_vote(predicate != 0);
  return vote.trues == vote.arrived;
}
static inline int __syncthreads_or(int predicate) { return gpuopt_emu::block_barrier_vote(predicate != 0).trues != 0; }

#endif
