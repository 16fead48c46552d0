// Windows: a warp's lanes run ahead until each has a number of touches, then these become warp instructions.
//
// Of the lanes' next touches those with the lowest address of code go first, together: so lanes that a branch has
// parted meet again behind it, without any knowledge of the program.
#ifndef GPUOPT_EMU_MODEL_WINDOW_H
#define GPUOPT_EMU_MODEL_WINDOW_H

#include "model_coalesce.h"
#include "model_lane.h"
#include "model_sites.h"

namespace gpuopt_emu {

// In a warp's queue: 16 bytes, then `parts` parts.
struct WarpInstruction {
  uint32_t source;  // whose counters
  uint16_t before;  // arithmetic instructions since the one before
  Space space;
  Access kind;
  unsigned char parts, passes, ideal, lanes;
  Operator with;
  bool waits;  // its address comes from an earlier load
  uint16_t flops;
};
static_assert(sizeof(WarpInstruction) == 16, "two words of a queue");

void begin_windows(unsigned touches, Coalescing how, unsigned banks);
// Lets the warp's lanes run and appends what they do to its queue. False: nothing came, all lanes have ended or wait.
bool fill_queue(ModelWarp *warp);
extern bool lanes_differ;  // those that were to tell of all did not do the same: a survey was wrong

}  // namespace gpuopt_emu

#endif
