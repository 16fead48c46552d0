// Scheduling of one block's threads: who goes on when a thread must wait, when barriers open, what a deadlock is.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "driver_types.h"
#include "gpuopt_emu/sync.h"
#include "model.h"
#include "warp.h"
#include "worker.h"

namespace gpuopt_emu {

__thread Fiber *current __attribute__((tls_model("initial-exec"))) = nullptr;
__thread Block *current_block __attribute__((tls_model("initial-exec"))) = nullptr;

void release(Block *block, Barrier *barrier) {
  if (checking) check_barrier(block, barrier);
  barrier->last_arrived = barrier->arrived;
  barrier->last_trues = barrier->trues;
  barrier->arrived = barrier->trues = 0;
  have_met(block);
  if (is_lane(current) && !barrier->grid_wide) return hold_lanes(block, barrier);
  if (barrier->grid_wide) {  // everybody exited but those who wait: one of them goes on to meet the other blocks
    block->leader = barrier->waiting.take();
    if (is_lane(current)) return lane_may_go(block->leader);
    block->ready.append(block->leader);
    return;
  }
  block->ready.splice(barrier->waiting);
}

void managed_barrier(int op, unsigned *base, unsigned bytes) {
  const bool lane = is_lane(current);
  current->barrier_at = __builtin_return_address(0);
  if (lane) ask_for_shared(op, base ? *base : 0, bytes);
  block_barrier();
  if (op == 1 && base) *base = lane ? shared_base_of(current->block) : 0;
}

// A thread comes to a named barrier: who else is expected there.
static void expect(Block *block, const Fiber *fiber, Barrier *barrier, unsigned threads) {
  if (barrier == block->barriers) return;
  if (!barrier->arrived) {
    barrier->expected = threads;
    barrier->warps = barrier->again = 0;
    memset(block->came[barrier - block->barriers], 0, sizeof block->came[0]);
  }
  const unsigned warp = fiber->linear / WARP;
  const bool twice = block->came[barrier - block->barriers][warp] >> fiber->linear % WARP & 1;
  unsigned &counted = twice ? barrier->again : barrier->warps;
  if (threads && !(counted >> warp & 1)) {  // hardware counts whole warps
    counted |= 1u << warp;
    barrier->expected -= __builtin_popcount(block->warps[warp].exited);
  }
}

bool has_arrived(Block *block, const Fiber *fiber, Barrier *barrier, unsigned threads) {
  expect(block, fiber, barrier, threads);
  block->came[barrier - block->barriers][fiber->linear / WARP] |= 1u << fiber->linear % WARP;
  return ++barrier->arrived == (barrier->expected ? barrier->expected : block->live);
}

static void come_to(unsigned number, unsigned threads, bool waits) {
  Fiber *me = current;
  Block *block = me->block;
  const Busy busy(block);
  if (!block->listed) keep_lists(block);
  if (number >= NAMED_BARRIERS) fail(cudaErrorIllegalInstruction, "there is no barrier %u", number);
  Barrier *barrier = &block->barriers[number];
  block->named_barriers |= 1ull << number;
  if (waits) {
    expect(block, me, barrier, threads);
    arrive_and_wait(block, me, barrier);
  } else if (is_lane(me)) {
    hold_arriving(block, barrier, threads);
  } else if (has_arrived(block, me, barrier, threads)) {
    release(block, barrier);
  }
}

void named_barrier(unsigned number, unsigned threads, bool waits) {
  current->barrier_at = __builtin_return_address(0);
  come_to(number, threads, waits);
}

void tile_barrier(unsigned size) {
  Fiber *me = current;
  me->barrier_at = nullptr;
  Block *block = me->block;
  if (size >= block->threads) return block_barrier();
  const Busy busy(block);
  if (!block->listed) keep_lists(block);
  const unsigned tile = me->linear / size, number = NAMED_BARRIERS + 2 * (16 - 1024 / size) + tile;
  Barrier *barrier = &block->barriers[number];
  block->named_barriers |= 1ull << number;
  const unsigned behind = block->threads - tile * size;
  barrier->expected = behind < size ? behind : size;
  arrive_and_wait(block, me, barrier);
}

BarrierVote named_barrier_vote(unsigned number, unsigned threads, bool predicate) {
  Fiber *me = current;
  Block *block = me->block;
  if (number >= NAMED_BARRIERS) fail(cudaErrorIllegalInstruction, "there is no barrier %u", number);
  Barrier *barrier = &block->barriers[number];
  barrier->trues += predicate;
  me->barrier_at = __builtin_return_address(0);
  come_to(number, threads, true);
  return BarrierVote{barrier->last_trues, barrier->last_arrived};
}

void thread_exited(Block *block, Fiber *fiber) {
  const bool lane = is_lane(fiber);
  if (!block->listed) keep_lists(block);
  if (lane) lane_ends(fiber);
  --block->live;
  Warp *warp = &block->warps[fiber->linear / WARP];
  warp->exited |= 1u << (fiber->linear % WARP);
  if (warp->groups) complete_groups(block, warp);
  Barrier *all = &block->barriers[0];
  if (all->arrived && all->arrived == block->live) release(block, all);
  for (unsigned long long rest = block->named_barriers & ~1ull; rest; rest &= rest - 1) {
    Barrier *barrier = &block->barriers[__builtin_ctzll(rest)];
    if (!barrier->expected && barrier->arrived && barrier->arrived == block->live) release(block, barrier);
    const unsigned number = (unsigned)__builtin_ctzll(rest), w = fiber->linear / WARP;
    if (number < NAMED_BARRIERS && block->came[number][w] >> fiber->linear % WARP & 1) continue;
    if (!barrier->arrived || !(barrier->warps >> w & 1)) continue;
    barrier->expected -= 1 + (barrier->again >> w & 1);
    if (barrier->arrived == barrier->expected) release(block, barrier);
  }
  if (lane) leave_lane();
}

// Says who waits for what, and ends the launch.
[[noreturn]] void report_deadlock(Block *block) {
  if (checking) check_deadlock(block);
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

// How often threads that wait by repeating something get their turn before other blocks get theirs.
static const unsigned ROUNDS = 4;

Fiber *next_fiber(Block *block) {
  if (is_lane(current)) {
    lane_waits();
    return &block->room->worker->home;
  }
  for (;;) {
    if (!block->ready.empty()) return block->ready.take();
    if (block->started < block->threads) return start_fiber(block->room);
    if (!block->suspended || block->live == 0 || block->asserted) return &block->room->worker->home;
    if (complete_unmasked_groups(block)) continue;
    if (block->yielded.empty()) report_deadlock(block);
    block->ready.splice(block->yielded);
    if (++block->rounds < ROUNDS) continue;  // (a signal sets them)
    block->rounds = 0;
    block->stalled = true;
    if (checking) check_left(block);
    return &block->room->worker->home;
  }
}

void yield() {
  Fiber *me = current;
  Block *block = me->block;
  const Busy busy(block);
  if (is_lane(me)) return yield_lane();
  if (!block->listed) keep_lists(block);
  ++block->yields;
  block->yielded.append(me);
  wait(block, me);
}

void all_have_arrived(Block *block) {
  if (checking) check_all_arrived(block);
}

void let_others() {
  if (!current->block->grid->kernel->never_waits) yield();
}

void let_time_pass() {
  if (!is_lane(current)) let_others();
}

void yield_to_other_blocks() {
  current->block->rounds = ROUNDS;
  yield();
}

void cluster_barrier() {
  Block *block = current->block;
  block_barrier();
  Cluster *cluster = block->cluster;
  if (!cluster) return;
  Busy busy(block);
  if (!block->cluster_led) {
    block->cluster_led = true;
    const unsigned phase = cluster->phase;
    ++cluster->arrived;
    while (cluster->phase == phase) {
      if (cluster->arrived == cluster->left) {
        cluster->arrived = 0;
        if (checking) check_cluster_barrier(cluster);
        ++cluster->phase;
      } else {
        yield_to_other_blocks();
        block->busy = true;
      }
    }
  }
  block_barrier();
  block->cluster_led = false;
}

bool is_cooperative() { return current->block->grid->cooperative; }

// The one thread that waits for the other blocks while its own block waits for it.
static void meet_other_blocks(Block *block, Fiber *me) {
  Grid *grid = block->grid;
  const unsigned phase = block->phase = grid->phase.load();
  if (grid->arrived.fetch_add(1) + 1 == grid->blocks) {
    grid->arrived = 0;
    if (checking) check_grid_barrier(grid);
    grid->phase.fetch_add(1);
    return;
  }
  while (grid->phase.load() == phase) {
    const unsigned long long ended = grid->finished.load();
    if (ended && grid->arrived.load() + ended == grid->blocks && grid->phase.load() == phase)
      fail(cudaErrorLaunchFailure, "deadlock: a barrier for the grid waits for %llu blocks that have ended", ended);
    if (is_lane(me)) {
      yield_lane();
      continue;
    }
    block->ready.append(me);
    block->stalled = true;
    switch_fiber(me, &block->room->worker->home);
  }
}

void grid_barrier() {
  Fiber *me = current;
  me->barrier_at = nullptr;
  Block *block = me->block;
  const Busy busy(block);
  if (!block->grid->cooperative) fail(cudaErrorLaunchFailure, "a barrier for the grid needs a cooperative launch");
  if (!block->listed) keep_lists(block);
  Barrier *barrier = &block->barriers[0];
  if (++barrier->arrived == block->live) {
    block->leader = me;
  } else {
    barrier->grid_wide = true;
    barrier->waiting.append(me);
    wait(block, me);
  }
  if (block->leader != me) return;
  block->leader = nullptr;
  meet_other_blocks(block, me);
  barrier->grid_wide = false;
  release(block, barrier);
}

void fail_assertion(const char *file, unsigned line, const char *function, const char *assertion) {
  Fiber *me = current;
  Block *block = me->block;
  block->busy = true;
  int before = 0;
  if (block->grid->error.compare_exchange_strong(before, cudaErrorAssert) || before == cudaErrorAssert) {
    fflush(stdout);
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
            block->index.x, block->index.y, block->index.z, me->thread.x, me->thread.y, me->thread.z, assertion);
  }
  if (is_lane(me)) switch_fiber(me, &block->room->worker->home);
  // Every thread whose assertion fails says so: the block's others go on until they wait, the first time for each.
  if (!block->listed) keep_lists(block);
  block->asserted = true;
  switch_fiber(me, next_fiber(block));
  __builtin_unreachable();
}

void fail(int error, const char *format, ...) {
  Fiber *me = current;
  Block *block = me->block;
  block->busy = true;
  int none = 0;
  if (block->grid->error.compare_exchange_strong(none, error)) {
    fflush(stdout);
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "gpuopt emulator: %s: block (%u,%u,%u), thread (%u,%u,%u): %s\n", block->grid->kernel->name,
            block->index.x, block->index.y, block->index.z, me->thread.x, me->thread.y, me->thread.z, text);
  }
  switch_fiber(me, &block->room->worker->home);
  __builtin_unreachable();
}

}  // namespace gpuopt_emu
