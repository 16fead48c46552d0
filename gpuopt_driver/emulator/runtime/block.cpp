// Scheduling of one block's threads: who goes on when a thread must wait, when barriers open, what a deadlock is.
#include <stdarg.h>
#include <stdio.h>

#include "driver_types.h"
#include "gpuopt_emu/sync.h"
#include "warp.h"
#include "worker.h"

namespace gpuopt_emu {

__thread Fiber *current = nullptr;

void suspend_first(Block *block) {
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

void release(Block *block, Barrier *barrier) {
  barrier->last_arrived = barrier->arrived;
  barrier->last_trues = barrier->trues;
  barrier->arrived = barrier->trues = 0;
  block->ready.splice(barrier->waiting);
}

void named_barrier(unsigned number, unsigned threads, bool waits) {
  Fiber *me = current;
  Block *block = me->block;
  if (!block->suspended) suspend_first(block);
  if (number >= NAMED_BARRIERS) fail(cudaErrorIllegalInstruction, "there is no barrier %u", number);
  Barrier *barrier = &block->barriers[number];
  block->named_barriers |= 1u << number;
  if (number) barrier->expected = threads;
  if (waits) {
    arrive_and_wait(block, me, barrier);
  } else if (++barrier->arrived == (barrier->expected ? barrier->expected : block->live)) {
    release(block, barrier);
  }
}

void thread_exited(Block *block, Fiber *fiber) {
  --block->live;
  Warp *warp = &block->warps[fiber->linear / WARP];
  warp->exited |= 1u << (fiber->linear % WARP);
  if (warp->groups) complete_groups(block, warp);
  Barrier *all = &block->barriers[0];
  if (all->arrived && all->arrived == block->live) release(block, all);
  for (unsigned rest = block->named_barriers & ~1u; rest; rest &= rest - 1) {
    Barrier *barrier = &block->barriers[__builtin_ctz(rest)];
    if (!barrier->expected && barrier->arrived && barrier->arrived == block->live) release(block, barrier);
  }
}

// Says who waits for what, and ends the launch.
[[noreturn]] static void report_deadlock(Block *block) {
  char text[512];
  int at = 0;
  const auto say = [&](const char *format, unsigned a, unsigned b) {
    if (at < (int)sizeof text) at += snprintf(text + at, sizeof text - at, format, a, b);
  };
  say("deadlock: of %u threads that have not exited", block->live, 0);
  for (unsigned i = 0; i < NAMED_BARRIERS; ++i)
    if (block->barriers[i].arrived) say(", %u wait at barrier %u", block->barriers[i].arrived, i);
  const unsigned warps = (block->threads + WARP - 1) / WARP;
  for (unsigned w = 0, said = 0; w < warps && said < 4; ++w)
    for (Group *group = block->warps[w].groups; group && said < 4; group = group->next, ++said) {
      say(", lanes %08x of warp %u", group->arrived, w);
      say(" wait for lanes %08x", group->mask & ~group->arrived & ~block->warps[w].exited, 0);
    }
  fail(cudaErrorLaunchFailure, "%s", text);
}

Fiber *next_fiber(Block *block) {
  for (;;) {
    if (!block->ready.empty()) return block->ready.take();
    if (block->started < block->threads) return start_fiber(block->worker);
    if (!block->suspended || block->live == 0) return &block->worker->home;
    if (complete_unmasked_groups(block)) continue;
    if (block->yielded.empty()) report_deadlock(block);
    block->ready.splice(block->yielded);
  }
}

void yield() {
  Fiber *me = current;
  Block *block = me->block;
  if (!block->suspended) suspend_first(block);
  block->yielded.append(me);
  wait(block, me);
}

void fail(int error, const char *format, ...) {
  Fiber *me = current;
  Block *block = me->block;
  int none = 0;
  if (block->grid->error.compare_exchange_strong(none, error)) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "gpuopt emulator: %s: block (%u,%u,%u), thread (%u,%u,%u): %s\n", block->grid->kernel->name,
            block->index.x, block->index.y, block->index.z, me->thread.x, me->thread.y, me->thread.z, text);
  }
  switch_fiber(me, &block->worker->home);
  __builtin_unreachable();
}

}  // namespace gpuopt_emu
