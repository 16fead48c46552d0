// How a modelled launch deals its blocks out to multiprocessors, and what becomes of them when they have ended.
#include <algorithm>
#include <iterator>

#include "model_grid.h"
#include "trace.h"

namespace gpuopt_emu {

static const uint64_t nothing_yet = WINDOW_ENDS;  // in a warp's queue
static const uint64_t PAIR_CYCLES = 8;  // from the start of two blocks to that of the next two

void ModelledLaunch::start(unsigned sm, unsigned long long number, uint64_t now) {
  if (free_rooms_.empty()) {
    free_rooms_.push_back(new Room(&worker_));
    free_rooms_.back()->prepare(grid_);
  }
  if (free_blocks_.empty()) free_blocks_.push_back(new ModelBlock());
  ModelBlock *model = free_blocks_.back();
  free_blocks_.pop_back();
  model->room = free_rooms_.back();
  free_rooms_.pop_back();
  Block *block = model->block = &model->room->block;
  model->room->start_modelled(grid_, number);
  block->model = model;
  model->number = number;
  model->sm = sm;
  model->began = now;
  model->warps.clear();
  block->live = 0;
  for (unsigned first = 0; first < grid_.threads; first += WARP) {
    if (free_warps_.empty()) {
      free_warps_.push_back(new ModelWarp());
      all_warps_.push_back(free_warps_.back());
    }
    ModelWarp *warp = free_warps_.back();
    free_warps_.pop_back();
    await_lanes(warp, std::min((unsigned)WARP, grid_.threads - first),
                uniform_.holds(*block, first / WARP) ? &uniform_.lanes : nullptr);
    warp->block = model;
    warp->number = first / WARP;
    warp->age = ++ages_;
    warp->queue.clear();
    warp->words = &nothing_yet;
    warp->taken = warp->end = 0;
    warp->kinds = nullptr;
    for (std::vector<Touch> &left : warp->left) left.clear();
    warp->accessed_much = warp->has_left = warp->parked = warp->done = false;
    warp->waits_for_laggards = warp->next_load = 0;
    std::fill(std::begin(warp->loads), std::end(warp->loads), 0);
    warp->last_pc = nullptr;
    warp->work_before = warp->flops_before = warp->barrier = warp->done_ahead = 0;
    warp->at_barrier = false;
    warp->recent.clear();
    warp->loads_done = 0;
    warp->victims.clear();
    warp->score = 0;
    warp->scored = now;
    model->warps.push_back(warp);
    if (!replays_.take(warp, *block)) block->live += warp->count;
  }
  model->holds = false;
  model->managed = parts_.dynamic;
  model->holds_shared = false;
  model->asks = 0;
  model->takes = parts_.taken;
  model->took = model->held_cycles = 0;
  model->live_warps = (unsigned)model->warps.size();
  live_.push_back(model);
  if (tracing) trace_block(model);
  sms_[sm].advance(now);
  sms_[sm].add(model, now);
}

void ModelledLaunch::ended(ModelBlock *model, uint64_t now) {
  Multiprocessor &sm = sms_[model->sm];
  sm.remove(model, now);
  block_cycles_ += now - model->began;
  held_cycles_ += model->held_cycles;
  if (tracing) trace_block_ends(model);
  for (ModelWarp *warp : model->warps) {
    for (unsigned i = 0; i < warp->count; ++i) free_lane(warp->lanes[i]);
    free_warps_.push_back(warp);
  }
  free_rooms_.push_back(model->room);
  live_.erase(std::find(live_.begin(), live_.end(), model));
  free_blocks_.push_back(model);
  grid_.finished.fetch_add(1, std::memory_order_relaxed);
  const unsigned long long number = queue_.take(sm.number);
  if (number != BlockQueue::NONE) start(sm.number, number, now);
}

// At the start: one block for each multiprocessor, then a second one for each, and so on.
void ModelledLaunch::deal(uint64_t now) {
  uint64_t started = 0;  // blocks so far: they are not all started at once
  for (unsigned round = 0; round < residency_.blocks && !queue_.empty(); ++round) {
    std::vector<unsigned> with_room;
    for (unsigned i = 0; i < sms_.size(); ++i) with_room.push_back(i);
    while (!with_room.empty() && !queue_.empty()) {
      const unsigned sm = queue_.first_of(with_room);
      with_room.erase(std::find(with_room.begin(), with_room.end(), sm));
      const unsigned long long number = queue_.take(sm);
      if (number == BlockQueue::NONE) continue;
      start(sm, number, now + started / 2 * PAIR_CYCLES);
      ++started;
    }
  }
}

}  // namespace gpuopt_emu
