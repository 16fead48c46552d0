// The model's turns: launches are modelled one after another. But one may wait for the program, or for a launch that
// comes later: nobody can tell that from one that computes for long, so both are taken for it once none of its blocks
// has ended for a while.
#ifndef GPUOPT_EMU_TURNS_H
#define GPUOPT_EMU_TURNS_H

#include "background.h"
#include "worker.h"

namespace gpuopt_emu {

// Waits until no other launch is being modelled. False, with a line on stderr, where the one that is seems to wait: this
// one is then to be run without the model. Every turn that was taken is to be ended, before the grid is gone.
bool take_turn(const Grid &grid);
void end_turn();
// Whether the task's launch has the turn and seems to wait.
bool stands_still(const Task &task);

}  // namespace gpuopt_emu

#endif
