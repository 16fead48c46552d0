// OS threads: their stacks for fibers, and the sharing out of a grid's blocks.
#include "worker.h"

#include <condition_variable>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "settings.h"

namespace gpuopt_emu {

// Stacks start at different offsets in their pages, or the same cache sets would serve them all.
static const size_t STAGGER = 192, PAGE = 4096;

static void fiber_main() {
  Fiber *me = current;
  Block *block = me->block;
  block->grid->loop(block->grid->closure);
  switch_fiber(me, next_fiber(block));
  __builtin_unreachable();
}

static Fiber *new_fiber(Worker *worker) {
  const size_t bytes = settings().stack_bytes;
  void *memory = mmap(nullptr, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fatal("no memory for the stack of a device thread (%zu bytes)", bytes);
  mprotect(memory, PAGE, PROT_NONE);  // where the kernel refuses (too many mappings) overflows go unnoticed
  Fiber *fiber = new Fiber();
  fiber->stack = static_cast<char *>(memory) + PAGE;
  fiber->stack_bytes = bytes - worker->fibers.size() * STAGGER % PAGE / 64 * 64;
  worker->fibers.push_back(fiber);
  return fiber;
}

Fiber *start_fiber(Worker *worker) {
  Fiber *fiber =
      worker->fibers_used < worker->fibers.size() ? worker->fibers[worker->fibers_used] : new_fiber(worker);
  ++worker->fibers_used;
  fiber->block = &worker->block;
#ifdef GPUOPT_EMU_SWITCH_X86_64
  void **top = reinterpret_cast<void **>(fiber->stack + fiber->stack_bytes - 24);
  top[0] = reinterpret_cast<void *>(&fiber_main);
  top[1] = nullptr;  // frame pointer
  fiber->stack_pointer = top;
#else
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = fiber->stack_bytes;
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, fiber_main, 0);
#endif
  return fiber;
}

Worker::Worker() : home(), block(), fibers_used(0), free_groups(nullptr), shared(nullptr), shared_bytes(0) {
  block.worker = this;
  block.yielded.head = block.ready.head = nullptr;
  home.block = &block;
  signal_stack = catch_faults_on_this_thread();
}

Worker::~Worker() {
  for (Fiber *fiber : fibers) {
    munmap(fiber->stack - PAGE, settings().stack_bytes + PAGE);
    delete fiber;
  }
  for (Group *group : groups) delete group;
  free(shared);
  release_signal_stack(signal_stack);
}

void Worker::prepare(Grid &grid) {
  const size_t own = (grid.static_shared + 127) / 128 * 128 + (grid.dynamic_shared + 127) / 128 * 128;
  const size_t need = own + common_layout.bytes + 128;
  if (shared_bytes < need) {
    free(shared);
    void *memory = nullptr;
    if (posix_memalign(&memory, 128, need)) fatal("no memory for %zu bytes of shared memory", need);
    shared = static_cast<char *>(memory);
    shared_bytes = need;
    memset(shared, 0, need);
  }
  block.grid = &grid;
  block.size = grid.block;
  block.grid_size = grid.size;
  block.threads = grid.threads;
  block.shared = shared;
  block.dynamic_shared = shared + (grid.static_shared + 15) / 16 * 16;
  block.common_shared = shared + own;
  warps.resize((grid.threads + WARP - 1) / WARP);
  block.warps = warps.data();
}

void Worker::recover() {
  free_groups = nullptr;
  for (Group *group : groups) {
    group->next = free_groups;
    free_groups = group;
  }
  block.named_barriers = ~0u;  // all of them may be in use
}

void Worker::run_block(Grid &grid, unsigned long long number) {
  block.index.x = (unsigned)(number % grid.size.x);
  block.index.y = (unsigned)(number / grid.size.x % grid.size.y);
  block.index.z = (unsigned)(number / grid.size.x / grid.size.y);
  block.started = 0;
  block.suspended = false;
  block.ready.head = block.yielded.head = nullptr;
  block.barriers[0] = Barrier();
  if (block.named_barriers) memset(block.barriers, 0, sizeof block.barriers);
  block.named_barriers = 0;
  fibers_used = 0;
  switch_fiber(&home, start_fiber(this));
  current = nullptr;
}

// Other OS threads that help with a grid. One grid at a time has them.
class Helpers {
 public:
  static Helpers &get() {
    static Helpers *helpers = new Helpers;  // never destroyed: the threads may outlive static objects
    return *helpers;
  }

  // Offers the grid to the helpers; false if they are busy with another one, or there are none.
  bool offer(Grid &grid) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (grid_) return false;
    while (threads_ + 1 < settings().workers) {
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
    if (!threads_) return false;
    grid_ = &grid;
    ++round_;
    changed_.notify_all();
    return true;
  }

  // Takes the grid back once nobody works on it.
  void withdraw() {
    std::unique_lock<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [this] { return working_ == 0; });
    closed_ = false;
    grid_ = nullptr;
  }

 private:
  void serve() {
    unsigned long long seen = 0;
    for (;;) {
      Grid *grid;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return grid_ && !closed_ && round_ != seen; });
        seen = round_;
        grid = grid_;
        ++working_;
      }
      this_worker().run(*grid);
      std::lock_guard<std::mutex> lock(mutex_);
      if (--working_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Grid *grid_ = nullptr;
  bool closed_ = false;
  unsigned threads_ = 0, working_ = 0;
  unsigned long long round_ = 0;
};

void Worker::run(Grid &grid) {
  prepare(grid);
  while (!grid.error.load(std::memory_order_relaxed)) {
    const unsigned long long number = grid.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= grid.blocks) return;
    run_block(grid, number);
  }
  recover();
}

void run_grid(Grid &grid) {
  Worker &worker = this_worker();
  // Waking other OS threads takes longer than most small grids: first see how far one gets alone.
  const double start = seconds();
  bool offered = false, alone = settings().workers == 1 || grid.blocks == 1;
  worker.prepare(grid);
  while (!alone && !offered && !grid.error.load(std::memory_order_relaxed)) {
    const unsigned long long number = grid.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= grid.blocks) return;
    worker.run_block(grid, number);
    if (seconds() - start > 30e-6) {
      offered = Helpers::get().offer(grid);
      alone = !offered;
    }
  }
  worker.run(grid);
  if (offered) Helpers::get().withdraw();
}

Worker &this_worker() {
  static thread_local Worker worker;
  return worker;
}

}  // namespace gpuopt_emu
