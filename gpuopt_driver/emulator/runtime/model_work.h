// How much a kernel computes between two accesses.
#ifndef GPUOPT_EMU_MODEL_WORK_H
#define GPUOPT_EMU_MODEL_WORK_H

#include "model_sites.h"

namespace gpuopt_emu {

// Sets site.before and site.flops for coming from the instruction at `from` (null: from the kernel's start).
void look_at_work(CodeSite &site, const void *from);

}  // namespace gpuopt_emu

#endif
