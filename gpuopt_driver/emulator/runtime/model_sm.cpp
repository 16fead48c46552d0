#include "model_sm.h"

#include <string.h>

#include <algorithm>

#include "model_schedule.h"
#include "trace.h"

namespace gpuopt_emu {

static const uint64_t BARRIER_CYCLES = 20;
static const uint64_t DECAY_SEEN = 8;  // cycles between looks at scores while no warp can go on (CCWS)
static const unsigned TURNS_AT_ONCE = 4;  // turns of a loop that a device compiler does at once

void Multiprocessor::set_up(unsigned which, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device,
                            BlockEvents *events) {
  number = which;
  figures_ = &figures;
  events_ = events;
  blocks = warps = 0;
  counted_to = busy_cycles = warp_cycles = issued = ended = 0;
  memory.set_up(which, figures, l1_bytes, device);
  schedulers_.assign(figures.schedulers, Scheduler());
  for (unsigned i = 0; i < figures.schedulers; ++i) schedulers_[i].number = i;
  wanting_.clear();
}

void Multiprocessor::add(ModelBlock *block, uint64_t now) {
  ++blocks;
  for (ModelWarp *warp : block->warps) {
    Scheduler *fewest = &schedulers_[0];
    size_t least = ~(size_t)0;
    for (Scheduler &scheduler : schedulers_) {
      size_t used = 0;
      for (size_t slot = 0; slot < scheduler.slots.size(); ++slot) used += scheduler.slots.warp(slot) != nullptr;
      if (used < least) least = used, fewest = &scheduler;
    }
    Slots &slots = fewest->slots;
    size_t slot = 0;
    while (slot < slots.size() && slots.warp(slot)) ++slot;
    if (slot == slots.size()) slots.add();
    if (!least) fewest->now = std::max(fewest->now, now);
    slots.set_warp(slot, warp);
    slots.set_ready(slot, now);
    slots.set_age(slot, warp->age);
    slots.set_asks_l1(slot, false);
    warp->slot = (unsigned)slot * (unsigned)schedulers_.size() + fewest->number;
    ++warps;
  }
}

void Multiprocessor::set_ready(const ModelWarp *warp, uint64_t when) {
  const unsigned n = (unsigned)schedulers_.size();
  schedulers_[warp->slot % n].slots.set_ready(warp->slot / n, when);
}

void Multiprocessor::remove(ModelBlock *block, uint64_t now) {
  const unsigned n = (unsigned)schedulers_.size();
  for (const ModelWarp *warp : block->warps) {
    set_ready(warp, NEVER);
    schedulers_[warp->slot % n].slots.set_warp(warp->slot / n, nullptr);
  }
  --blocks;
  if (!block->managed) return;
  shared.give_back(block);
  serve_others(now);
}

uint64_t Multiprocessor::next() const {
  uint64_t soonest = NEVER;
  for (const Scheduler &scheduler : schedulers_)
    for (size_t slot = 0; slot < scheduler.slots.size(); ++slot)
      if (scheduler.slots.ready(slot) != NEVER) soonest = std::min(soonest, std::max(scheduler.slots.ready(slot), scheduler.now));
  return soonest;
}

void Multiprocessor::advance(uint64_t to) {
  if (to <= counted_to) return;
  if (warps) {
    busy_cycles += to - counted_to;
    warp_cycles += (to - counted_to) * warps;
  }
  counted_to = to;
}

template <class Visit> void Multiprocessor::each_ready(uint64_t until, Visit visit) const {
  for (const Scheduler &scheduler : schedulers_)
    for (size_t slot = 0; slot < scheduler.slots.size(); ++slot)
      if (scheduler.slots.ready(slot) < until) visit(*scheduler.slots.warp(slot));
}

void Multiprocessor::fetch_slots() const {
  for (const Scheduler &scheduler : schedulers_) scheduler.slots.fetch_all_early();
}

void Multiprocessor::fetch_warps(uint64_t until) const {
  each_ready(until, [](const ModelWarp &warp) {
    fetch_early(&warp);
    fetch_early(warp.loads + 1);
  });
}

void Multiprocessor::fetch_queues(uint64_t until) const {
  each_ready(until, [](const ModelWarp &warp) {
    if (warp.taken != warp.queue.size()) return fetch_early(warp.queue.data() + warp.taken);
    fetch_early(&warp.count);  // its lanes will run
    fetch_early(&warp.flops_before);
    fetch_early(warp.lanes);
    fetch_early(warp.block);
  });
}

void Multiprocessor::fetch_tags(uint64_t until) const {
  each_ready(until, [this](const ModelWarp &warp) {
    if (warp.taken == warp.queue.size()) {
      for (unsigned i = 0; i < std::min(warp.count, 3u); ++i) fetch_early(warp.lanes[i]), fetch_early(&warp.lanes[i]->live);
      fetch_early(warp.block->block);
      return;
    }
    WarpInstruction next;
    memcpy(&next, &warp.queue[warp.taken], sizeof next);
    memory.fetch_tags(&warp.queue[warp.taken + 2], std::min((unsigned)next.parts, 4u));
  });
}

void Multiprocessor::run(uint64_t until) {
  runs_until_ = until;
  while (warps) {
    Scheduler *first = nullptr;
    for (Scheduler &scheduler : schedulers_) {
      if (scheduler.now >= until) continue;
      if (!first || scheduler.now < first->now) first = &scheduler;
    }
    if (!first) return;
    const bool behind = memory.is_behind(first->now);
    uint64_t next;
    const int slot = pick_warp(*first, policy, behind, &next);
    if (slot < 0) wait_for(*first, next);
    else if (!turns_away(*first, (unsigned)slot, behind)) issue(*first, (unsigned)slot);
  }
}

// Warps that are ready and were passed over stay so until another one is; those of CCWS until scores have decayed.
void Multiprocessor::wait_for(Scheduler &scheduler, uint64_t next) const {
  const uint64_t latest = policy.issue == Issue::ccws ? std::min(runs_until_, scheduler.now + DECAY_SEEN) : runs_until_;
  scheduler.now = std::max(std::min(next, latest), scheduler.now + 1);
}

// Whether the slot's warp comes to L1 while as many wait there as can. Its own state is not looked at for that, which is
// what most of the time would go into.
bool Multiprocessor::turns_away(Scheduler &scheduler, unsigned slot, bool behind) {
  uint64_t until, next;
  if (!scheduler.slots.asks_l1(slot) || !memory.is_full(scheduler.number, scheduler.now, &until)) return false;
  scheduler.last = slot;
  if (behind || !memory.serves_in_turns() || policy.issue != Issue::longest) scheduler.slots.ready(slot) = until;
  else if (!scheduler.slots.hold_back(scheduler.now, until, &next)) wait_for(scheduler, next);  // the same will be said to all
  return true;
}

// Loads do not wait for each other, up to a number of them; what may use their results does.
bool Multiprocessor::must_wait(ModelWarp *warp, const WarpInstruction &instruction, uint64_t now, uint64_t *until) {
  const bool plain_load = !writes(instruction.kind) && !instruction.waits && instruction.space != Space::nothing;
  if (!plain_load) {
    *until = warp->loads_done;
  } else if (warp->turns >= TURNS_AT_ONCE && warp->loop == instruction.source) {
    *until = warp->loads_done;  // the results of an unrolled loop's loads are used before the next ones begin
  } else if (warp->loads_begun >= figures_->loads_in_flight) {
    *until = warp->loads[warp->loads_begun % figures_->loads_in_flight];
  } else {
    return false;
  }
  return *until > now;
}

void Multiprocessor::issue(Scheduler &scheduler, unsigned slot) {
  Slots &own = scheduler.slots;
  ModelWarp *warp = own.warp(slot);
  const uint64_t now = scheduler.now;
  scheduler.last = slot;
  const bool fresh = warp->taken == warp->queue.size();
  if (fresh && !fill_queue(warp)) {
    drained(scheduler, slot);
    return;
  }
  WarpInstruction instruction;
  memcpy(&instruction, &warp->queue[warp->taken], sizeof instruction);
  uint64_t until;
  if (fresh) {  // else that was looked at before
    own.set_asks_l1(slot, instruction.parts != 0);
    if (must_wait(warp, instruction, now, &until)) {
      own.set_ready(slot, until);
      return;
    }
    if (instruction.parts && memory.is_full(scheduler.number, now, &until)) {
      own.ready(slot) = until;
      return;
    }
  }
  const Part *parts = &warp->queue[warp->taken + 2];
  warp->taken += 2 + instruction.parts;
  const unsigned slots = instruction.before + 1u, cycles = slots * figures_->issue_cycles;
  scheduler.now = now + cycles;
  const double each = std::max(figures_->alu_latency * figures_->dependent_part, (double)figures_->issue_cycles);
  const uint64_t begins = now + (uint64_t)(instruction.before * each);
  uint64_t ready = std::max(begins + 1, now + cycles);
  own.set_ready(slot, ready);
  own.set_asks_l1(slot, false);
  if (instruction.space == Space::nothing) return;
  Counters &counters = sources()[instruction.source].counters;
  counters.of[warp_instructions] += slots;
  counters.of[lane_instructions] += (uint64_t)slots * instruction.lanes;
  counters.of[flops] += (uint64_t)instruction.flops * instruction.lanes;
  issued += slots;
  memory.who = warp;
  memory.from = scheduler.number;
  const uint64_t done = memory.access(instruction, parts, begins, counters);
  if (reads(instruction.kind)) {
    if (begins >= warp->loads_done) {  // nothing was on its way
      warp->loop = instruction.source;
      warp->turns = 0;
    }
    if (warp->loop == instruction.source) ++warp->turns;
    warp->loads[warp->loads_begun++ % figures_->loads_in_flight] = done;
    warp->loads_done = std::max(warp->loads_done, done);
  }
  if (warp->taken == warp->queue.size()) return;
  // It needs not be looked at again before its next instruction can begin.
  memcpy(&instruction, &warp->queue[warp->taken], sizeof instruction);
  fetch_early(&warp->queue[std::min(warp->taken + 8, warp->queue.size() - 1)]);
  own.set_asks_l1(slot, instruction.parts != 0);
  if (must_wait(warp, instruction, ready, &until)) own.set_ready(slot, ready = until);
  if (ready < runs_until_) memory.fetch_tags(&warp->queue[warp->taken + 2], std::min((unsigned)instruction.parts, 4u));
}

void Multiprocessor::drained(Scheduler &scheduler, unsigned slot) {
  ModelWarp *warp = scheduler.slots.warp(slot);
  ModelBlock *block = warp->block;
  const uint64_t now = scheduler.now;
  if (block->block->grid->error.load(std::memory_order_relaxed)) {
    scheduler.slots.ready(slot) = NEVER;
    return;
  }
  if (warp->loads_done > now) {
    scheduler.slots.ready(slot) = warp->loads_done;
    return;
  }
  scheduler.slots.ready(slot) = NEVER;
  bool all_done = true;
  for (unsigned i = 0; i < warp->count; ++i) all_done = all_done && warp->lanes[i]->state == LaneState::done;
  if (all_done) {
    advance(now);
    warp->done = true;
    --warps;
    ended = std::max(ended, now);
    if (--block->live_warps == 0) {
      events_->ended(block, now);
      return;
    }
  }
  warp->parked = !all_done;
  open_barriers(block, now);
}

// The barriers at which lanes of a warp are held (not those where they only arrive), one bit each.
static uint64_t held_by(const ModelWarp *warp) {
  uint64_t found = 0;
  for (unsigned i = 0; i < warp->count; ++i)
    if (warp->lanes[i]->state == LaneState::held) found |= 1ull << warp->lanes[i]->held_by;
  return found;
}

// Lanes that only come to a barrier do so when all before it has happened: those who wait there may go on then.
void Multiprocessor::count_arrivals(ModelBlock *block, uint64_t now) {
  for (ModelWarp *warp : block->warps) {
    if (!warp->parked) continue;
    for (unsigned i = 0; i < warp->count; ++i) {
      Lane *lane = warp->lanes[i];
      if (lane->state != LaneState::held || !lane->arrives) continue;
      Barrier *barrier = &block->block->barriers[lane->held_by];
      lane->state = LaneState::runs;
      warp->parked = false;
      set_ready(warp, now + 1);
      if (!has_arrived(block->block, lane, barrier, lane->arrives)) continue;
      barrier->arrived = barrier->trues = 0;
      hold_waiting(block->block, barrier);
    }
  }
}

// Lanes whose barrier is complete go on when all of their warps have come to the end of what was before it.
void Multiprocessor::open_barriers(ModelBlock *block, uint64_t now) {
  if (!block->holds) return;
  count_arrivals(block, now);
  uint64_t held = 0, coming = 0;  // barriers with lanes that are held, and those of them to which some are on their way
  for (const ModelWarp *warp : block->warps) {
    const uint64_t by = held_by(warp);
    held |= by;
    if (!warp->parked) coming |= by;
  }
  const uint64_t open = held & ~coming;
  block->holds = held != 0;
  if (!open) return;
  if (block->asks && !serve(block)) {
    wanting_.push_back(block);
    return;
  }
  const bool freed = block->asks == -1;
  if (block->asks == 1) block->took = now;
  if (freed && block->took) block->held_cycles += now - block->took;
  block->asks = 0;
  block->holds = coming != 0;
  if (tracing) trace_barrier(block);
  for (ModelWarp *warp : block->warps) {
    if (!(held_by(warp) & open)) continue;
    warp->parked = false;
    warp->recent.clear();
    for (unsigned i = 0; i < warp->count; ++i)
      if (warp->lanes[i]->state == LaneState::held && open >> warp->lanes[i]->held_by & 1)
        warp->lanes[i]->state = LaneState::runs;
    set_ready(warp, now + BARRIER_CYCLES);
  }
  if (freed) serve_others(now);
}

// Takes or gives back what the block asks for at its barrier. False: it has to wait.
bool Multiprocessor::serve(ModelBlock *block) {
  if (!block->managed) return true;  // it has what it asks for all the time
  if (block->asks == 1 && !shared.take(block, block->asked_bytes, &block->base)) return false;
  if (block->asks == -1) shared.give_back(block);
  block->holds_shared = block->asks == 1;
  return true;
}

// There may be room now for those that wait.
void Multiprocessor::serve_others(uint64_t now) {
  std::vector<ModelBlock *> waiting;
  waiting.swap(wanting_);
  for (ModelBlock *block : waiting) open_barriers(block, now);
}

}  // namespace gpuopt_emu
