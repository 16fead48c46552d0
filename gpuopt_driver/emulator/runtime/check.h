// Check mode, as the rest of the runtime sees it. In other modes nothing here is called, `checking` is false.
#ifndef GPUOPT_EMU_CHECK_H
#define GPUOPT_EMU_CHECK_H

#include <stddef.h>

#include <functional>
#include <string>

#include "events.h"
#include "worker.h"

namespace gpuopt_emu {

struct Allocation;

extern bool checking;  // GPUOPT_EMU_MODE=check; known once the settings were read
extern __thread BlockCheck *current_check __attribute__((tls_model("initial-exec")));  // of the block that runs; null in other modes

void begin_checking();
// The instrumented twin of a kernel's loop; ends the program with one line where it was built without.
ThreadLoop checked_loop(const Kernel &kernel, ThreadLoop loop);
ThreadLoop unchecked_loop(ThreadLoop loop);  // the other way round; null where there is none

// Launches, blocks, and what orders the accesses of their threads.
void check_grid(Grid &grid);
void check_block(Block *block);                          // begins
void check_left(Block *block);                           // for another block
void check_block_end(Block *block);
void check_all_arrived(Block *block);  // at a barrier in two steps: what threads did before is ordered before what comes
void check_barrier(Block *block, const Barrier *barrier);  // all have come; the lists are as they were
void check_grid_barrier(Grid *grid);                     // all blocks have come
void check_cluster_barrier(Cluster *cluster);            // all its blocks have come
void check_meeting(Block *block, unsigned warp, unsigned lanes, bool orders);  // lanes met in a warp operation
void check_mask(Block *block, unsigned mask);            // a lane comes to a warp operation with this mask
void check_deadlock(Block *block);

// Memory by the host.
void check_allocated(const Allocation &allocation);
void check_released(const Allocation &allocation);  // keeps the memory; it is freed later
void check_bad_free(const void *pointer);
void check_filled(const void *address, size_t bytes);
void check_copied(const void *to, const void *from, size_t bytes);

// What both check and model mode know of the program: the place of the call in it that led here, or null; and the
// device's variables (space: 0 __device__, 1 __constant__, 2 __managed__).
const Spot *calling_place();
void each_variable(const std::function<void(const char *address, size_t bytes, const std::string &name, size_t space)> &visit);

// Names a shared variable of the layout at this address, and keeps room behind it free. Returns the bytes kept free.
unsigned check_shared_variable(const void *layout, unsigned offset, size_t bytes, const char *name);

}  // namespace gpuopt_emu

#endif
