// What a multiprocessor does in a window of time: its schedulers pick warps and issue their instructions.
#include <algorithm>

#include "model_load.h"
#include "model_replay.h"
#include "model_schedule.h"

namespace gpuopt_emu {

static const uint64_t DECAY_SEEN = 8;  // cycles between looks at scores while no warp can go on (CCWS)
static const size_t NEARLY_ALL = 3;  // words of a queue that are left when its warp's next window is prepared
static const uint64_t FAR_AWAY = 1ull << 54;  // none of its warps is ready before another one says so
static const unsigned TURNS_AT_ONCE = 4;  // turns of a loop that a device compiler does at once

void Multiprocessor::count_window(uint64_t *issued_before) {
  if (issued != *issued_before) issued_windows |= 1ull << runs_until_ / WINDOW % 64;
  *issued_before = issued;
}

// Nothing begins any more before `runs_until_`. Whether that is all: what a multiprocessor does without L2, and without
// beginning or ending a block, can be done at once, while its state is near.
bool Multiprocessor::ends_window(uint64_t soonest, uint64_t until, uint64_t *issued_before) {
  count_window(issued_before);
  next_turn = soonest;
  if (!goes_ahead || soonest >= until + MOST_AHEAD) return true;
  runs_until_ = (soonest / WINDOW + 1) * WINDOW;
  return false;
}

// Whether an instruction concerns nothing but this multiprocessor.
bool Multiprocessor::is_alone(const WarpInstruction &what, const ModelWarp &warp, Parts parts) {
  if (what.space == Space::nothing) return what.passes == PAUSES || what.passes == REPEATS;  // others learn of work at barriers
  if (what.space == Space::shared) return true;
  return !writes(what.kind) && memory.has_all(what, warp, parts);
}

// The same of what a warp begins its next window with.
bool Multiprocessor::begins_alone(const ModelWarp &warp) {
  const size_t at = warp.taken + 1;
  if (at >= warp.end) return false;
  const NextInstruction next = instruction_at(warp.words + at);
  return is_alone(next.what, warp, parts_of(warp, next));
}

// A scheduler none of whose warps is ready waits; that can be seen before its turn comes. So can who alone is ready then.
GPUOPT_EMU_INLINED void Multiprocessor::look_ahead(Scheduler &scheduler) const {
  const Pair two = scheduler.slots.first_two();
  if (two.low > Slots::turn_at(scheduler.now)) {
    scheduler.waited = scheduler.now + 1;
    scheduler.now = lower_of(Slots::when(two.low), FAR_AWAY);
  }
  scheduler.only = two.high > Slots::turn_at(scheduler.now) ? (int)Slots::slot_of(two.low) : -1;
}

// Warps that are ready and were passed over stay so until another one is; those of CCWS until scores have decayed.
inline void Multiprocessor::wait_for(Scheduler &scheduler, uint64_t next) const {
  const uint64_t latest = policy.issue == Issue::ccws ? std::min(runs_until_, scheduler.now + DECAY_SEEN) : runs_until_;
  scheduler.now = std::max(std::min(next, latest), scheduler.now + 1);
}

// Whether the slot's warp, which comes to L1, finds as many waiting there as can. Its own state is not looked at for that,
// which is what most of the time would go into.
GPUOPT_EMU_INLINED bool Multiprocessor::turns_away(Scheduler &scheduler, unsigned slot, bool behind) {
  uint64_t until;
  const uint64_t now = scheduler.now;
  if (!memory.is_full(scheduler.number, now, behind, &until)) return false;
  scheduler.last = slot;
  if (behind || !memory.serves_in_turns() || policy.issue != Issue::longest) scheduler.slots.ready(slot) = until;
  else if (!scheduler.slots.hold_back(now, until)) wait_for(scheduler, scheduler.slots.next_ready(now));  // the same will be said to all
  return true;
}

// When the instruction can begin: loads do not wait for each other, up to a number of them; what may use their results does.
static inline uint64_t when_it_can(const ModelWarp &warp, const WarpInstruction &instruction) {
  const bool plain_load = !writes(instruction.kind) && (instruction.space != Space::nothing || instruction.passes == REPEATS);
  // The results of an unrolled loop's loads are used before the next ones begin.
  if (!plain_load || (warp.turns >= TURNS_AT_ONCE && warp.loop == instruction.source)) return warp.loads_done;
  return warp.loads[warp.next_load];
}

// What a warp needs when its lanes run next.
static void fetch_for_window(const ModelWarp &warp) {
  fetch_early(&warp.flops_before);
  fetch_early(&warp.recent);
  for (unsigned i = 0; i < std::min(warp.count, 3u); ++i) fetch_early(warp.lanes[i]);
}

// `alone`: only what concerns nothing but this multiprocessor. False: that is not so, and nothing was done.
GPUOPT_EMU_INLINED bool Multiprocessor::issue(Scheduler &scheduler, unsigned slot, bool alone) {
  ModelWarp *const warp = scheduler.slots.warp(slot);
  const uint64_t now = scheduler.now;
  if (__builtin_expect(warp->at_window_end(), 0)) {  // else that was looked at before
    if (alone && !begins_alone(*warp)) return false;
    scheduler.last = slot;
    if (!begins_window(scheduler, slot, warp)) return true;
    alone = false;
  }
  const NextInstruction next = instruction_at(warp->words + warp->taken);
  const WarpInstruction &instruction = next.what;
  const Parts parts = parts_of(*warp, next);
  Issuing *const how = issuing_of(instruction);
  if (__builtin_expect(!how || !how->simple, 0)) return issue_other(scheduler, slot, next, parts, alone);
  const MemoryPath::Found found = memory.look_for(instruction, *warp, parts);
  if (alone && !found.all && (instruction.parts == 1 || !memory.has_lines(parts, instruction.parts))) return false;
  scheduler.last = slot;
  scheduler.now = now + how->cycles;
  ++how->times;
  issued += instruction.before + 1u;
  memory.who = warp;
  memory.from = scheduler.number;
  const uint64_t begins = now + how->computes;
  const uint64_t done = memory.load_simply(instruction, found, parts, how->first_out, memory.take_l1(how->lookup, begins));
  reads(warp, instruction, begins, done);
  goes_on(scheduler, slot, warp, instruction, std::max(begins + 1, scheduler.now));
  return true;
}

// The warp has begun to load something.
GPUOPT_EMU_INLINED void Multiprocessor::reads(ModelWarp *warp, const WarpInstruction &instruction, uint64_t begins, uint64_t done) const {
  if (begins >= warp->loads_done) {  // nothing was on its way
    warp->loop = instruction.source;
    warp->turns = 0;
  }
  warp->turns += warp->loop == instruction.source;
  warp->loads[warp->next_load] = done;
  warp->next_load = warp->next_load + 1 == loads_in_flight_ ? 0 : warp->next_load + 1;
  warp->loads_done = std::max(warp->loads_done, done);
}

// To the warp's next instruction, which needs not be looked at again before it can begin.
GPUOPT_EMU_INLINED void Multiprocessor::goes_on(Scheduler &scheduler, unsigned slot, ModelWarp *warp, const WarpInstruction &instruction, uint64_t ready) {
  Slots &own = scheduler.slots;
  warp->taken += instruction.words;
  if (__builtin_expect(warp->at_window_end(), 0)) {
    own.set_ready(slot, ready);
    own.set_asks_l1(slot, false);
    return;
  }
  const NextInstruction then = instruction_at(warp->words + warp->taken);
  const unsigned parts = then.what.parts;
  ready = std::max(ready, when_it_can(*warp, then.what));
  own.set_ready(slot, ready);
  own.set_asks_l1(slot, parts != 0);
  if (parts <= FETCHED && ready < runs_until_) memory.fetch_tags(parts_of(*warp, then), parts);
  if (!warp->replays() && warp->end - warp->taken <= NEARLY_ALL) fetch_for_window(*warp);
}

// What is no simple load, or has not been looked at.
bool Multiprocessor::issue_other(Scheduler &scheduler, unsigned slot, const NextInstruction &next, Parts parts, bool alone) {
  const WarpInstruction &instruction = next.what;
  ModelWarp *const warp = scheduler.slots.warp(slot);
  Issuing *const how = issuing_of(instruction);
  if (how && !how->looked_at) {
    look_at(instruction, how);
    if (how->simple) return issue(scheduler, slot, alone);
  }
  if (alone && !is_alone(instruction, *warp, parts)) return false;
  scheduler.last = slot;
  if (instruction.space == Space::nothing) {
    warp->taken += instruction.words;
    issue_computing(scheduler, slot, instruction);
    return true;
  }
  const uint64_t now = scheduler.now, begins = now + whole(instruction.before * each_);
  const unsigned slots = instruction.before + 1u;
  scheduler.now = now + slots * issue_cycles_;
  if (how) ++how->times;
  else add_issued(instruction, 1);
  issued += slots;
  memory.who = warp;
  memory.from = scheduler.number;
  const bool plain_load = instruction.space != Space::shared && !writes(instruction.kind);
  const uint64_t done = plain_load ? memory.load(instruction, parts, begins)
                                   : memory.access(instruction, parts, begins, launch_sources[instruction.source].counters);
  if (gpuopt_emu::reads(instruction.kind)) reads(warp, instruction, begins, done);
  goes_on(scheduler, slot, warp, instruction, std::max(begins + 1, scheduler.now));
  return true;
}

void Multiprocessor::look_at(const WarpInstruction &instruction, Issuing *how) const {
  how->looked_at = true;
  how->simple = memory.is_simple(instruction);
  how->computes = whole(instruction.before * each_);
  how->cycles = (instruction.before + 1u) * issue_cycles_;
  how->lookup = memory.lookup_cycles(instruction.passes, instruction.parts);
  how->first_out = figures_->operators[(size_t)instruction.with].first_out;
}

// Lets a warp's lanes run if its queue is empty. Whether the first instruction that comes of it begins now.
bool Multiprocessor::begins_window(Scheduler &scheduler, unsigned slot, ModelWarp *warp) {
  Slots &own = scheduler.slots;
  if (warp->taken != warp->end) ++warp->taken;
  if (warp->taken == warp->end && (warp->replays() || !fill_queue(warp))) {
    drained(scheduler, slot);
    return false;
  }
  const WarpInstruction &instruction = instruction_at(&warp->words[warp->taken]).what;
  own.set_asks_l1(slot, instruction.parts != 0);
  uint64_t until = when_it_can(*warp, instruction);
  if (until > scheduler.now) {
    own.set_ready(slot, until);
    return false;
  }
  if (!instruction.parts || !memory.is_full(scheduler.number, scheduler.now, memory.is_behind(scheduler.now), &until)) return true;
  own.ready(slot) = until;
  return false;
}

void Multiprocessor::drained(Scheduler &scheduler, unsigned slot) {
  ModelWarp *warp = scheduler.slots.warp(slot);
  ModelBlock *block = warp->block;
  const uint64_t now = scheduler.now;
  turn_at_ = now;
  turn_of_ = scheduler.number;
  if (!warp->replays() && block->block->grid->error.load(std::memory_order_relaxed)) {
    scheduler.slots.ready(slot) = NEVER;
    return;
  }
  if (warp->loads_done > now) {
    scheduler.slots.ready(slot) = warp->loads_done;
    return;
  }
  scheduler.slots.ready(slot) = NEVER;
  bool all_done = true;
  for (unsigned i = 0; i < warp->count && !warp->replays(); ++i) all_done = all_done && warp->lanes[i]->state == LaneState::done;
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

// The scheduler that is free first.
static GPUOPT_EMU_INLINED Scheduler *whose_turn(Scheduler *schedulers, Scheduler *end) {
  if (end - schedulers == 4) {
    const auto turn = [=](unsigned i) { return schedulers[i].now * 4 + i; };
    return schedulers + (lower_of(lower_of(turn(0), turn(1)), lower_of(turn(2), turn(3))) & 3);
  }
  Scheduler *first = schedulers;
  for (Scheduler *other = schedulers + 1; other < end; ++other)
    if (other->now < first->now) first = other;
  return first;
}

GPUOPT_EMU_WIDE void Multiprocessor::run(uint64_t until) {
  runs_until_ = until;
  issued_windows = 0;
  uint64_t issued_before = issued;
  const bool looks_ahead = goes_ahead && policy.issue != Issue::groups;  // which may pass over who is ready
  Scheduler *const schedulers = schedulers_.data(), *const end = schedulers + schedulers_.size();
  while (warps) {
    Scheduler *const first = whose_turn(schedulers, end);
    const uint64_t soonest = first->now;
    if (__builtin_expect(soonest >= runs_until_, 0) && ends_window(soonest, until, &issued_before)) return;
    const bool behind = memory.is_behind(soonest);
    const int slot = first->only >= 0 ? first->only : pick_warp(*first, policy, behind);
    first->only = -1;
    first->waited = 0;
    if (slot < 0) {
      wait_for(*first, first->slots.next_ready(soonest));
      continue;
    }
    if (!first->slots.asks_l1((size_t)slot) || !turns_away(*first, (unsigned)slot, behind)) {
      if (__builtin_expect(!issue(*first, (unsigned)slot, runs_until_ != until), 0)) {
        next_turn = soonest;
        count_window(&issued_before);
        return;
      }
    }
    if (looks_ahead && first->slots.are_few()) look_ahead(*first);
  }
  for (Scheduler *other = schedulers; other != end; ++other) take_wait_back(*other), other->waited = 0;
  count_window(&issued_before);
}

}  // namespace gpuopt_emu
