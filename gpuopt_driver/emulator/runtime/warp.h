// Groups of lanes: opened by the first lane that comes, complete when all lanes of the mask have come or exited.
#ifndef GPUOPT_EMU_WARP_RUNTIME_H
#define GPUOPT_EMU_WARP_RUNTIME_H

#include "gpuopt_emu/block.h"

namespace gpuopt_emu {

// After lanes have exited: lets groups go on that waited for nobody else.
void complete_groups(Block *block, Warp *warp);
// When nobody else can run: lets one group without a mask per warp go on; false if there is none.
bool complete_unmasked_groups(Block *block);
bool complete_unmasked_group(Block *block, unsigned warp);  // the same for one warp

}  // namespace gpuopt_emu

#endif
