// Barriers of the blocks on a multiprocessor, and shared memory that they ask for there.
#include "model_sm.h"
#include "trace.h"

namespace gpuopt_emu {

static const uint64_t BARRIER_CYCLES = 20;

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
