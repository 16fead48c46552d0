// What a warp does that accesses nothing.
#include <algorithm>

#include "model_barrier_work.h"
#include "model_load.h"
#include "model_sm.h"

namespace gpuopt_emu {

void Multiprocessor::issue_computing(Scheduler &scheduler, unsigned slot, const WarpInstruction &instruction) {
  const uint64_t now = scheduler.now;
  const unsigned slots = instruction.before + 1u, cycles = slots * issue_cycles_;
  scheduler.now = now + cycles;
  uint64_t ready = std::max(now + whole(instruction.before * each_) + 1, scheduler.now);
  if (instruction.passes != PAUSES) {
    const unsigned computed = compute(scheduler.slots.warp(slot), instruction);
    scheduler.now = now + computed * issue_cycles_;
    ready = now + (instruction.passes == REPEATS ? computed * issue_cycles_ : whole(computed * each_));
  }
  scheduler.slots.set_ready(slot, ready);
  scheduler.slots.set_asks_l1(slot, false);
}

// What a warp does that accesses nothing: how many instructions of it are issued now.
unsigned Multiprocessor::compute(ModelWarp *warp, const WarpInstruction &instruction) {
  unsigned now;
  if (instruction.passes == COMPUTES_AHEAD) {
    now = work_in_front(instruction, warp->done_ahead);
    warp->done_ahead += now;
  } else {
    now = instruction.before;
    if (instruction.passes == COMPUTES_REST) {
      now = work_behind(instruction, warp->done_ahead);
      warp->done_ahead -= instruction.before - now;
    }
    Counters &counters = launch_sources[instruction.source].counters;
    counters.of[warp_instructions] += instruction.before;
    counters.of[lane_instructions] += (uint64_t)instruction.before * instruction.lanes;
  }
  issued += now;
  return now;
}

}  // namespace gpuopt_emu
