// Windows: a warp's lanes run ahead until each has a number of touches, then these become warp instructions.
//
// Of the lanes' next touches those with the lowest address of code go first, together: so lanes that a branch has
// parted meet again behind it, without any knowledge of the program.
#ifndef GPUOPT_EMU_MODEL_WINDOW_H
#define GPUOPT_EMU_MODEL_WINDOW_H

#include "model_append.h"

namespace gpuopt_emu {

void begin_windows(unsigned touches, Coalescing how, unsigned banks);
// Lets the warp's lanes run and appends what they do to its queue. False: nothing came, all lanes have ended or wait.
bool fill_queue(ModelWarp *warp);
extern bool lanes_differ;  // those that were to tell of all did not do the same: a survey was wrong

}  // namespace gpuopt_emu

#endif
