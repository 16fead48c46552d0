#include "model_sm.h"

#include <algorithm>

#include "model_replay.h"

namespace gpuopt_emu {

void Multiprocessor::set_up(unsigned which, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device,
                            BlockEvents *events) {
  number = which;
  figures_ = &figures;
  events_ = events;
  blocks = warps = 0;
  counted_to = busy_cycles = warp_cycles = issued = ended = 0;
  memory.set_up(which, figures, l1_bytes, device);
  schedulers_.assign(figures.schedulers, Scheduler());
  for (unsigned i = 0; i < figures.schedulers; ++i) schedulers_[i].number = i, schedulers_[i].only = -1;
  wanting_.clear();
  issue_cycles_ = figures.issue_cycles;
  loads_in_flight_ = figures.loads_in_flight;
  each_ = std::max(figures.alu_latency * figures.dependent_part, (double)figures.issue_cycles);
}

void Multiprocessor::add(ModelBlock *block, uint64_t now) {
  ++blocks;
  for (ModelWarp *warp : block->warps) {
    Scheduler *fewest = &schedulers_[0];
    for (Scheduler &scheduler : schedulers_)
      if (scheduler.used < fewest->used) fewest = &scheduler;
    Slots &slots = fewest->slots;
    size_t slot = 0;
    while (slot < slots.size() && slots.warp(slot)) ++slot;
    if (slot == slots.size()) slots.add();
    take_wait_back(*fewest);
    if (!fewest->used++) fewest->now = std::max(fewest->now, now);
    slots.set_warp(slot, warp);
    slots.set_ready(slot, now);
    fewest->only = -1;
    slots.set_age(slot, warp->age);
    slots.set_asks_l1(slot, false);
    warp->slot = (unsigned)slot * (unsigned)schedulers_.size() + fewest->number;
    ++warps;
  }
}

// Of a scheduler that waits for a warp, where another one may be ready sooner. Before its turn to wait came it has not
// begun to; later it looks again where a window begins.
void Multiprocessor::take_wait_back(Scheduler &scheduler) const {
  if (!scheduler.waited) return;
  const uint64_t since = scheduler.waited - 1, turn = turn_at_ + (scheduler.number <= turn_of_);
  const uint64_t again = since >= turn ? since : std::max(since / WINDOW + 1, (turn + WINDOW - 1) / WINDOW) * WINDOW;
  if (again >= scheduler.now) return;
  scheduler.now = again;
  scheduler.waited = 0;
}

void Multiprocessor::set_ready(const ModelWarp *warp, uint64_t when) {
  const unsigned n = (unsigned)schedulers_.size();
  Scheduler &scheduler = schedulers_[warp->slot % n];
  take_wait_back(scheduler);
  scheduler.only = -1;
  scheduler.slots.set_ready(warp->slot / n, when);
}

void Multiprocessor::remove(ModelBlock *block, uint64_t now) {
  const unsigned n = (unsigned)schedulers_.size();
  for (const ModelWarp *warp : block->warps) {
    set_ready(warp, NEVER);
    schedulers_[warp->slot % n].slots.set_warp(warp->slot / n, nullptr);
    --schedulers_[warp->slot % n].used;
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

void Multiprocessor::fetch_slots() const {
  for (size_t i = 0; i < sizeof *this; i += 64) fetch_early(reinterpret_cast<const char *>(this) + i);
  for (const Scheduler &scheduler : schedulers_) scheduler.slots.fetch_all_early();
}

void Multiprocessor::fetch_warps(uint64_t until, Soon *soon) const {
  size_t slots = 0, count = 0;
  for (const Scheduler &scheduler : schedulers_) slots += scheduler.slots.size();
  if (soon->warps.size() <= slots) soon->warps.resize(slots + 1);
  const ModelWarp **const warps = soon->warps.data();
  for (const Scheduler &scheduler : schedulers_)
    for (size_t slot = 0; slot < scheduler.slots.size(); ++slot) {  // without branches
      warps[count] = scheduler.slots.warp(slot);
      count += scheduler.slots.ready(slot) < until;
    }
  soon->count = count;
  for (size_t i = 0; i < count; ++i) {
    fetch_early(warps[i]);
    fetch_early(warps[i]->loads);
    fetch_early(warps[i]->moves);
  }
}

void Multiprocessor::fetch_queues(const Soon &soon) const {
  for (size_t i = 0; i < soon.count; ++i) {
    const ModelWarp &warp = *soon.warps[i];
    if (warp.replays()) {
      fetch_early(warp.kinds + warp.taken);
      fetch_early(warp.words + warp.taken);
    } else if (warp.taken != warp.end) {
      fetch_early(warp.words + warp.taken);
    } else {  // its lanes will run
      fetch_early(&warp.count);
      fetch_early(&warp.flops_before);
      fetch_early(warp.lanes);
      fetch_early(warp.block);
    }
  }
}

void Multiprocessor::fetch_tags(const Soon &soon) const {
  for (size_t i = 0; i < soon.count; ++i) {
    const ModelWarp &warp = *soon.warps[i];
    if (warp.at_window_end()) {
      if (warp.replays()) continue;
      for (unsigned lane = 0; lane < std::min(warp.count, 3u); ++lane) fetch_early(warp.lanes[lane]), fetch_early(&warp.lanes[lane]->live);
      fetch_early(warp.block->block);
      continue;
    }
    const NextInstruction next = instruction_at(warp.words + warp.taken);
    if (next.what.parts <= FETCHED) memory.fetch_tags(parts_of(warp, next), next.what.parts);
  }
}

}  // namespace gpuopt_emu
