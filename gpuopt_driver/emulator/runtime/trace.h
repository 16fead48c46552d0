// Traces of what warps do, in files as Accel-Sim reads them or in a smaller form of our own (GPUOPT_EMU_TRACE).
//
// The model's lanes tell warp by warp; what resident warps did is spooled to a file, and written out block by block.
#ifndef GPUOPT_EMU_TRACE_H
#define GPUOPT_EMU_TRACE_H

#include "model_lane.h"
#include "model_sites.h"

namespace gpuopt_emu {

extern bool tracing;    // GPUOPT_EMU_TRACE is set; known once the settings were read
extern bool only_traces;  // and nothing is to be said of caches and time

// `modelled`: GPUOPT_EMU_MODE=model was asked for, too.
void begin_tracing(bool modelled);

void trace_launch(const Grid &grid, unsigned registers);
void trace_launch_ends();
void trace_block(ModelBlock *block);
void trace_block_ends(ModelBlock *block);
// `address`: of each lane in `lanes`, as the model sees it; in shared memory from the block's start.
void trace_access(ModelWarp *warp, const CodeSite &site, Access kind, unsigned bytes, Space space, uint32_t lanes,
                  const uintptr_t *address);
// The block's warps of which lanes are held have come to a barrier, which is about to open.
void trace_barrier(const ModelBlock *block);

}  // namespace gpuopt_emu

#endif
