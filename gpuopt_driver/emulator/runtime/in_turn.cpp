// Who waits where in a block: lists say it, or nothing has to, where all threads come to the block's barrier in turn.
#include "check.h"
#include "gpuopt_emu/sync.h"
#include "model.h"
#include "worker.h"

namespace gpuopt_emu {

// Barriers that open by lists where something else came in between each time: then rings, which cost a little, are rarely tried.
static const unsigned MOST_PAUSED = 63;

static void suspend_first(Block *block) {
  // Until now threads ran to their end one after another; the last that was started is the one that must wait.
  const unsigned exited = block->started - 1;
  block->suspended = true;
  block->live = block->threads - exited;
  const unsigned warps = (block->threads + WARP - 1) / WARP;
  for (unsigned w = 0; w < warps; ++w) {
    Warp &warp = block->warps[w];
    warp.groups = nullptr;
    warp.exited = 0;
    const unsigned first = w * WARP;
    if (exited > first) warp.exited |= exited - first >= WARP ? ~0u : (1u << (exited - first)) - 1;
    if (block->threads - first < WARP) warp.exited |= ~0u << (block->threads - first);
  }
}

// All have come to the block's barrier, `me` last. Those who wait go on one behind the other, and come to the next one in that
// order, if nothing else happens: the list, closed to a ring, stays as it is. (Named barriers may count who does not wait.)
static void go_in_turn(Block *block, Fiber *me, Barrier *barrier) {
  if (barrier != block->barriers || barrier->grid_wide || block->named_barriers || !block->ready.empty()) return;
  if (checking || is_lane(me)) return;
  if (block->pause) {
    --block->pause;
    return;
  }
  FiberList &others = barrier->waiting;
  me->next = others.empty() ? me : others.head;
  block->last_in_turn = others.empty() ? me : others.tail;
  block->last_in_turn->next = me;
  others.head = nullptr;
  block->first_in_turn = me;
  block->listed = false;
}

// Those between the first and the one that runs wait, those behind it can go on.
void keep_lists(Block *block) {
  block->listed = true;
  if (!block->suspended) return suspend_first(block);
  Fiber *const me = current, *const first = block->first_in_turn, *last = nullptr;
  Barrier *barrier = block->barriers;
  block->first_in_turn = nullptr;
  for (Fiber *fiber = first; fiber != me; fiber = next_in_turn(fiber), ++barrier->arrived) last = fiber;
  if (last) {
    barrier->waiting = FiberList{first, last};
    last->next = nullptr;
  }
  if (me->next == first) return;
  last = block->last_in_turn;
  if (last) {  // before all have come once: the ring has gained nothing
    if (block->paused_for < MOST_PAUSED) block->paused_for = (unsigned char)(2 * block->paused_for + 1);
    block->pause = block->paused_for;
  } else {
    for (last = me; last->next != first;) last = next_in_turn(last);
  }
  block->ready = FiberList{me->next, last};
  last->next = nullptr;
}

void arrived_last(Block *block, Fiber *me, Barrier *barrier) {
  go_in_turn(block, me, barrier);
  release(block, barrier);
  if (!checking || barrier != block->barriers || is_lane(me)) return;
  // In the order of their numbers again, as in loops over them: so findings are the same.
  block->ready.append(me);
  wait(block, me);
}

Fiber *come_to_barrier(Block *block, Fiber *me) {
  if (block->first_in_turn) {  // all have come
    block->first_in_turn = me;
    block->last_in_turn = nullptr;
    block->paused_for = 0;
    have_met(block);
    return me;
  }
  if (!block->listed) keep_lists(block);
  Barrier *barrier = block->barriers;
  if (++barrier->arrived == block->live) {
    arrived_last(block, me, barrier);
    return me;
  }
  barrier->waiting.append(me);
  return block->ready.empty() ? next_fiber(block) : block->ready.take();
}

}  // namespace gpuopt_emu
