// OS threads that run blocks, and the launches that they work on.
#ifndef GPUOPT_EMU_WORKER_H
#define GPUOPT_EMU_WORKER_H

#include <atomic>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <stdint.h>
#include <vector>

#include "background.h"
#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

class Helpers;

// An allocation or variable.
struct Piece {
  uintptr_t base = 0;
  size_t bytes = 0;
  bool by_host = false;  // it was allocated there
};
// Of check mode: those that a launch only reads; see check_only_read.h.
struct OnlyRead {
  enum { MOST = 12 };
  std::atomic<int> told{0};
  unsigned count = 0;  // none any more once a store has come to one of them
  Piece at[MOST];
};

// One launch. Lives on the stack of the OS thread that launched it.
struct Grid {
  Kernel *kernel;
  ThreadLoop loop;
  ThreadLoop fast;            // of check mode: the loop without checks, null where there is none
  const void *closure;
  dim3 size, block;
  void *stream;
  unsigned threads;           // per block
  size_t static_shared;       // bytes
  size_t dynamic_shared;      // bytes
  unsigned long long blocks;
  unsigned long long number;  // of the launch
  bool exact;                 // every thread is to be known while it runs
  bool cooperative;           // its blocks may wait for each other
  dim3 cluster;               // blocks that are run together
  unsigned cluster_blocks;
  int carveout;               // percent of shared memory that the launch prefers, -1: the kernel's
  std::atomic<unsigned long long> next;      // block to start
  std::atomic<unsigned long long> finished;  // blocks that have ended
  std::atomic<unsigned long long> arrived;   // blocks that wait for the whole grid
  std::atomic<unsigned> phase;               // how often all had come
  std::atomic<int> error;                    // the first, a cudaError_t
  std::atomic<unsigned> checked_from;        // of check mode: accesses before this era are ordered before what follows
  std::atomic<int> surveyed;                 // of check mode: 0 not yet, 1 all accesses are as they should be, -1 unclear,
                                             // 2 they are but for races, which have to be told first
  OnlyRead only_read;
  Task *task = nullptr;                      // that the launch belongs to, null where the program waits for it
  Helpers *helpers = nullptr;                // that it was offered to
};

struct Worker;

// What one block needs to run: stacks, shared memory, room for warps and groups. Used for one block after another.
struct Room {
  Block block;
  Worker *worker;
  Fiber *fibers;  // one behind the other
  unsigned fibers_made, fibers_used;
  std::vector<char *> slabs;  // of stacks
  std::vector<Warp> warps;
  std::vector<const void *> offered;
  Group *free_groups;
  std::vector<Group *> groups;
  char *shared;
  size_t shared_bytes;
  char *kept;  // for the variables of split kernels, null until one needs it
  size_t kept_bytes;

  explicit Room(Worker *owner);
  ~Room();
  Room(const Room &) = delete;
  void prepare(Grid &grid);
  // From the worker's own stack: the block, and those behind it as long as none has to wait; the first that was not begun.
  unsigned long long start(Grid &grid, unsigned long long number, unsigned long long behind);
  void start_modelled(Grid &grid, unsigned long long number);  // makes the block ready for model mode
  void place(Grid &grid, unsigned long long number);
  void reset();
  void place_in_cluster(Grid &grid, unsigned long long number, unsigned rank, Cluster *cluster);
  void run();                                         // the block that was placed, as start does
  void enter();                                       // the block of start, from its first thread on
  void resume();                                      // a stalled block
  void recover();                                     // after a block was left in the middle
};

// An OS thread that runs blocks: mostly one at a time; more where blocks wait for each other.
struct Worker {
  Fiber home;  // the OS thread's own stack
  std::vector<Room *> rooms;
  std::vector<std::unique_ptr<Cluster>> clusters;
  void *signal_stack;
  pthread_t thread;
  unsigned turns;   // that it has given to blocks
  Fiber **running;  // where this thread keeps what it runs, for other OS threads to look at

  Worker();
  ~Worker();
  Worker(const Worker &) = delete;
  // Blocks of the grid until none is left; others may be asked to help.
  void run(Grid &grid, bool may_ask);
  Room *room(size_t number, Grid &grid);
};

Fiber *start_fiber(Room *room);  // ready to run threads of the room's block
Worker &this_worker();           // of the calling OS thread
void run_grid(Grid &grid);       // on this and, where it pays, other OS threads; returns when all is done
bool offer_to_helpers(Grid &grid);
void withdraw_from_helpers(Grid &grid);

// Workers that make no progress are made to switch threads by a signal; see preempt.cpp.
void watch(Worker *worker);
void watch_no_more(Worker *worker);
void wake_watch();
// While one lives, the watch looks at no fiber: they may go.
class Unwatched {
 public:
  Unwatched();

 private:
  std::lock_guard<std::mutex> lock_;
};

}  // namespace gpuopt_emu

#endif
