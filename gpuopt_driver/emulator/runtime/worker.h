// OS threads that run blocks, and the launches that they work on.
#ifndef GPUOPT_EMU_WORKER_H
#define GPUOPT_EMU_WORKER_H

#include <atomic>
#include <vector>

#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

// One launch. Lives on the stack of the OS thread that launched it.
struct Grid {
  Kernel *kernel;
  ThreadLoop loop;
  const void *closure;
  dim3 size, block;
  unsigned threads;       // per block
  size_t static_shared;   // bytes
  size_t dynamic_shared;  // bytes
  unsigned long long blocks;
  std::atomic<unsigned long long> next;  // block to start
  std::atomic<int> error;                // the first, a cudaError_t
};

// What an OS thread needs to run blocks: stacks, shared memory, room for warps and groups. Used for one block at a time.
struct Worker {
  Fiber home;  // the OS thread's own stack
  Block block;
  std::vector<Fiber *> fibers;
  unsigned fibers_used;
  std::vector<Warp> warps;
  Group *free_groups;
  std::vector<Group *> groups;
  char *shared;
  size_t shared_bytes;
  void *signal_stack;

  Worker();
  ~Worker();
  Worker(const Worker &) = delete;
  void run(Grid &grid);  // blocks of the grid until none is left

  // The steps of run.
  void prepare(Grid &grid);
  void run_block(Grid &grid, unsigned long long number);
  void recover();  // after a block was left in the middle
};

Fiber *start_fiber(Worker *worker);  // ready to run threads of the worker's block
Worker &this_worker();               // of the calling OS thread
void run_grid(Grid &grid);           // on this and, where it pays, other OS threads; returns when all is done

}  // namespace gpuopt_emu

#endif
