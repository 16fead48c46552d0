// What a warp computes between its last access in front of a barrier and its first behind it: how much of it stands in front.
//
// How much it is, is known with the access behind the barrier, so it is counted there. What stands in front of the barrier
// takes its time there, up to what there was in all when a warp came that way before.
#ifndef GPUOPT_EMU_MODEL_BARRIER_WORK_H
#define GPUOPT_EMU_MODEL_BARRIER_WORK_H

#include "model_instruction.h"
#include "model_lane.h"

namespace gpuopt_emu {

constexpr size_t MOST_WORDS_OF_WORK = 3;

void forget_barriers();  // for a launch
// Adds what a warp computes in front of the barrier to its queue, if all of its lanes have come to the same one.
void come_to_barrier(ModelWarp *warp);
// Writes, for `next`, the first access behind barriers, all that the warp computed since the one before them, whose
// ModelWarp::barrier is `before`.
uint64_t *put_work_behind(const WarpInstruction &next, unsigned before, uint64_t *to);

// Arithmetic instructions that are done when a warp comes to such an instruction. `ahead`: those done in front of barriers
// that no access has counted yet.
unsigned work_in_front(const WarpInstruction &instruction, unsigned ahead);
unsigned work_behind(const WarpInstruction &instruction, unsigned ahead);

}  // namespace gpuopt_emu

#endif
