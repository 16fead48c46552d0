// What a block runs in: fibers with their stacks, shared memory, and how it is entered and left.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "settings.h"
#include "worker.h"

namespace gpuopt_emu {

// Stacks start at different offsets in their pages, or the same cache sets would serve them all.
static const size_t STAGGER = 192, PAGE = 4096;
static const unsigned PER_SLAB = 32;
// Every guard page is a mapping, of which a process may have some ten thousands.
static std::atomic<int> guards_left{8192};

static void fiber_main(Fiber *, Fiber *me) {
  current = me;
  Block *block = me->block;
  block->grid->loop(block->grid->closure);
  switch_fiber(me, next_fiber(block));
  __builtin_unreachable();
}

// As many as a block can have threads, one behind the other: who comes next can be guessed. Untouched pages cost nothing.
static const size_t FIBERS_BYTES = (1024 + PER_SLAB + FIBERS_AHEAD) * sizeof(Fiber);

// Memory that costs nothing before it is used.
static void *reserve(size_t bytes, const char *what) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fatal("no memory for %s (%zu bytes)", what, bytes);
  return memory;
}

static void new_fibers(Room *room) {
  const size_t bytes = settings().stack_bytes, each = bytes + PAGE;
  char *const slab = static_cast<char *>(reserve(each * PER_SLAB, "the stacks of device threads"));
  room->slabs.push_back(slab);
  if (!room->fibers) room->fibers = static_cast<Fiber *>(reserve(FIBERS_BYTES, "device threads"));
  for (unsigned i = 0; i < PER_SLAB; ++i) {
    char *lowest = slab + i * each;
    if (guards_left.fetch_sub(1, std::memory_order_relaxed) > 0) mprotect(lowest, PAGE, PROT_NONE);
    Fiber *fiber = room->fibers + room->fibers_made;
    fiber->stack = lowest + PAGE;
    fiber->stack_bytes = bytes - room->fibers_made++ * STAGGER % PAGE / 64 * 64;
  }
}

Fiber *start_fiber(Room *room) {
  if (room->fibers_used == room->fibers_made) new_fibers(room);
  Fiber *fiber = room->fibers + room->fibers_used++;
  fiber->block = &room->block;
  fiber->path = nullptr;
#ifdef GPUOPT_EMU_SWITCH_ASM
  begin_at(fiber, fiber->stack + fiber->stack_bytes, fiber_main);
#else
  const size_t taken = (sizeof(ucontext_t) + 63) / 64 * 64;
  ucontext_t *const context = reinterpret_cast<ucontext_t *>(fiber->stack);
  fiber->stack_pointer = context;
  getcontext(context);
  context->uc_stack.ss_sp = fiber->stack + taken;
  context->uc_stack.ss_size = fiber->stack_bytes - taken;
  context->uc_link = nullptr;
  makecontext(context, [] { fiber_main(nullptr, current); }, 0);
#endif
  return fiber;
}

// As much as the stacks of a block's threads could hold.
static size_t keepable_bytes() { return 1024 * settings().stack_bytes; }

void open_kept(Block *block, size_t bytes) {
  Room *room = block->room;
  if (room->kept || bytes > keepable_bytes())
    fatal("the threads of a block keep more than %zu bytes across barriers (GPUOPT_EMU_STACK_KB)", keepable_bytes());
  block->kept = room->kept = static_cast<char *>(reserve(keepable_bytes(), "what threads keep across barriers"));
  room->kept_bytes = keepable_bytes();
  block->kept_end = room->kept + room->kept_bytes;
}

Room::Room(Worker *owner)
    : block(), worker(owner), fibers(nullptr), fibers_made(0), fibers_used(0), free_groups(nullptr), shared(nullptr),
      shared_bytes(0), kept(nullptr), kept_bytes(0) {
  block.room = this;
}

Room::~Room() {
  if (fibers) munmap(static_cast<void *>(fibers), FIBERS_BYTES);
  for (char *slab : slabs) munmap(slab, (settings().stack_bytes + PAGE) * PER_SLAB);
  guards_left.fetch_add((int)(slabs.size() * PER_SLAB), std::memory_order_relaxed);
  for (Group *group : groups) delete group;
  free(shared);
  if (kept) munmap(kept, kept_bytes);
}

void Room::prepare(Grid &grid) {
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
  block.shared_bytes = need;
  block.dynamic_shared = shared + (grid.static_shared + 15) / 16 * 16;
  block.common_shared = shared + own;
  offered.resize(grid.threads);
  block.offered = offered.data();
  block.cluster = nullptr;
  block.cluster_rank = 0;
  warps.resize((grid.threads + WARP - 1) / WARP);
  block.warps = warps.data();
}

void Room::recover() {
  free_groups = nullptr;
  for (Group *group : groups) {
    group->next = free_groups;
    free_groups = group;
  }
  block.named_barriers = ~0ull;  // all of them may be in use
}

void Room::place(Grid &grid, unsigned long long number) {
  block.index.x = (unsigned)(number % grid.size.x);
  block.index.y = (unsigned)(number / grid.size.x % grid.size.y);
  block.index.z = (unsigned)(number / grid.size.x / grid.size.y);
  block.exact = grid.exact;
}

void Room::place_in_cluster(Grid &grid, unsigned long long number, unsigned rank, Cluster *cluster) {
  const dim3 &size = grid.cluster;
  const unsigned across = grid.size.x / size.x, down = grid.size.y / size.y;
  block.index.x = (unsigned)(number % across) * size.x + rank % size.x;
  block.index.y = (unsigned)(number / across % down) * size.y + rank / size.x % size.y;
  block.index.z = (unsigned)(number / across / down) * size.z + rank / size.x / size.y;
  block.exact = grid.exact;
  block.cluster = cluster;
  block.cluster_rank = rank;
  cluster->blocks[rank] = &block;
}

void Room::start_modelled(Grid &grid, unsigned long long number) {
  place(grid, number);
  reset();
  block.started = 1;  // keep_lists counts the first thread as the one that waits
  keep_lists(&block);
}

unsigned long long Room::start(Grid &grid, unsigned long long number, unsigned long long behind) {
  place(grid, number);
  block.followers = (unsigned)(behind - number - 1);
  run();
  const unsigned left = block.followers;
  block.followers = 0;
  return behind - left;
}

void Room::run() {
  do {
    enter();
  } while (block.again);
}

void Room::reset() {
  block.started = 0;
  block.suspended = block.listed = block.stalled = block.again = block.asserted = false;
  block.busy = true;
  block.rounds = block.yields = 0;
  block.pause = block.paused_for = 0;
  block.leader = block.first_in_turn = nullptr;
  block.cluster_led = false;
  block.kept = kept;
  block.rest = nullptr;
  block.split_arrived = block.split_phase = 0;
  block.ready.head = block.yielded.head = nullptr;
  block.barriers[0] = Barrier();
  if (block.named_barriers) {
    memset(block.barriers, 0, sizeof block.barriers);
    memset(block.came, 0, sizeof block.came);
  }
  block.named_barriers = 0;
  fibers_used = 0;
}

void Room::enter() {
  reset();
  if (checking) check_block(&block);
  current_check = block.check;
  worker->home.block = current_block = &block;
  ++worker->turns;
  switch_fiber(&worker->home, start_fiber(this));
  current = nullptr;
  if (checking && !block.stalled) check_block_end(&block);
}

void Room::resume() {
  block.stalled = false;
  block.yields = 0;
  current_check = block.check;
  worker->home.block = current_block = &block;
  ++worker->turns;
  switch_fiber(&worker->home, next_fiber(&block));
  current = nullptr;
  if (checking && !block.stalled) check_block_end(&block);
}

}  // namespace gpuopt_emu
