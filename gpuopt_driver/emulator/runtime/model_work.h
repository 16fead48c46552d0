// How much a kernel computes between two accesses.
#ifndef GPUOPT_EMU_MODEL_WORK_H
#define GPUOPT_EMU_MODEL_WORK_H

#include "model_sites.h"

namespace gpuopt_emu {

constexpr unsigned UNROLLED = 4;  // turns of a loop that device compilers make one, which saves most of the work on counters

struct WorkBetween {
  unsigned instructions, flops;  // arithmetic ones
  bool known;                    // the code at both ends is
};

// What is computed from the instruction at `from` (null: from the kernel's start) to the one at `to`.
WorkBetween work_between(const void *from, const void *to);
// Sets site.before and site.flops for coming from the instruction at `from`.
void look_at_work(CodeSite &site, const void *from);

}  // namespace gpuopt_emu

#endif
