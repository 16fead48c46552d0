// Model mode, as the rest of the runtime sees it. In other modes nothing here is called, `modelling` is false.
#ifndef GPUOPT_EMU_MODEL_H
#define GPUOPT_EMU_MODEL_H

#include <stddef.h>

#include "worker.h"

namespace gpuopt_emu {

struct Allocation;

extern bool modelling;  // GPUOPT_EMU_MODE=model; known once the settings were read
extern double modelled_seconds;  // that all launches took so far, in the model

void begin_modelling();
bool is_to_be_modelled(const Grid &grid);  // asked once for each launch
// Runs the grid with the caches and the time of the GPU that is played. `fast`: the kernel's loop without events.
void run_modelled(Grid &grid, ThreadLoop fast);

// The host's memory as the model sees it.
void model_allocated(const Allocation &allocation);
void model_released(const Allocation &allocation);

// A device thread that is modelled: it runs on a stack that all of them share, and leaves it to wait.
inline bool is_lane(const Fiber *fiber) { return fiber && fiber->next_touch; }
void leave_lane();                             // the current one may go on whenever the model lets it
void lane_ends(Fiber *lane);                   // it has returned from the kernel; leave_lane() comes next
void lanes_may_go(FiberList &lanes);           // they waited for each other, and have met
void lane_may_go(Fiber *lane);
void yield_lane();                             // the current one lets others go on
void lane_waits();                             // the current one is in some list
// All have come to the barrier: they go on when the model says so. The current one, too, unless it has ended.
void hold_lanes(Block *block, Barrier *barrier);
void hold_waiting(Block *block, Barrier *barrier);  // only those who wait
// The current one comes to a barrier for so many threads where it does not wait: counted when the model has come so far.
void hold_arriving(Block *block, Barrier *barrier, unsigned threads);
// Counts one thread that does not wait; whether all have come.
bool has_arrived(Block *block, const Fiber *fiber, Barrier *barrier, unsigned threads);
// Dynamic shared memory, by __syncthreads(op, &base, bytes): asked for before the barrier, there behind it.
void ask_for_shared(int op, unsigned base, unsigned bytes);
unsigned shared_base_of(const Block *block);
unsigned multiprocessor_of(const Block *block);  // that the block is on
[[noreturn]] void report_deadlock(Block *block);  // says who waits for what, and ends the launch

}  // namespace gpuopt_emu

#endif
