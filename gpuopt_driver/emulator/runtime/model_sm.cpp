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

// Of a scheduler whose turn to wait would only come now.
void Multiprocessor::take_wait_back(Scheduler &scheduler) const {
  if (scheduler.waited <= turn_at_ + (scheduler.number <= turn_of_)) return;
  scheduler.now = scheduler.waited - 1;
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

template <class Visit> void Multiprocessor::each_ready(uint64_t until, Visit visit) const {
  for (const Scheduler &scheduler : schedulers_)
    for (size_t slot = 0; slot < scheduler.slots.size(); ++slot)
      if (scheduler.slots.ready(slot) < until) visit(*scheduler.slots.warp(slot));
}

void Multiprocessor::fetch_slots() const {
  for (size_t i = 0; i < sizeof *this; i += 64) fetch_early(reinterpret_cast<const char *>(this) + i);
  for (const Scheduler &scheduler : schedulers_) scheduler.slots.fetch_all_early();
}

void Multiprocessor::fetch_warps(uint64_t until) const {
  each_ready(until, [](const ModelWarp &warp) {
    fetch_early(&warp);
    fetch_early(warp.loads);
    fetch_early(warp.moves);
  });
}

void Multiprocessor::fetch_queues(uint64_t until) const {
  each_ready(until, [](const ModelWarp &warp) {
    if (warp.replays() && warp.taken != warp.end) fetch_early(warp.kinds + warp.taken);
    if (warp.taken != warp.end) return fetch_early(warp.words + warp.taken);
    if (warp.replays()) return fetch_early(warp.block);
    fetch_early(&warp.count);  // its lanes will run
    fetch_early(&warp.flops_before);
    fetch_early(warp.lanes);
    fetch_early(warp.block);
  });
}

void Multiprocessor::fetch_tags(uint64_t until) const {
  each_ready(until, [this](const ModelWarp &warp) {
    if (warp.at_window_end()) {
      if (warp.replays()) return;
      for (unsigned i = 0; i < std::min(warp.count, 3u); ++i) fetch_early(warp.lanes[i]), fetch_early(&warp.lanes[i]->live);
      fetch_early(warp.block->block);
      return;
    }
    const NextInstruction next = instruction_at(&warp.words[warp.taken]);
    if (next.what.parts <= FETCHED) memory.fetch_tags(parts_of(warp, next), next.what.parts);
  });
}

}  // namespace gpuopt_emu
