#include "model_lane.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "settings.h"

namespace gpuopt_emu {

static const size_t PAGE_BYTES = 4096, SLAB = 128;
static Worker *lane_worker;
static char *lane_stack;  // lowest usable address
static size_t lane_stack_bytes, copied_bytes;
static std::vector<Lane *> free_lanes;

void use_lanes(Worker *worker) {
  lane_worker = worker;
  if (lane_stack) return;
  lane_stack_bytes = settings().stack_bytes;
  void *memory = mmap(nullptr, lane_stack_bytes + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fatal("no memory for the stack of device threads (%zu bytes)", lane_stack_bytes);
  mprotect(memory, PAGE_BYTES, PROT_NONE);
  lane_stack = static_cast<char *>(memory) + PAGE_BYTES;
}

static void lane_main() {
  const Grid *grid = current->block->grid;
  grid->loop(grid->closure);
  __builtin_unreachable();  // thread_exited does not return
}

bool taking_back;
namespace {
struct Stored {
  void *at;
  unsigned bytes;
  unsigned char before[16];
};
}  // namespace
static std::vector<Stored> stored;

void remember_for_taking_back(const volatile void *pointer, unsigned bytes) {
  Stored one;
  one.at = const_cast<void *>(pointer);
  one.bytes = bytes;
  memcpy(one.before, one.at, bytes);
  stored.push_back(one);
}

static void take_back() {
  for (size_t i = stored.size(); i-- > 0;) memcpy(stored[i].at, stored[i].before, stored[i].bytes);
  stored.clear();
}

Lane *new_lane(Block *block, unsigned linear) {
  if (free_lanes.empty()) {
    Lane *slab = static_cast<Lane *>(take_memory(SLAB * sizeof(Lane)));
    memset(static_cast<void *>(slab), 0, SLAB * sizeof(Lane));
    for (size_t i = SLAB; i-- > 0;) free_lanes.push_back(slab + i);
  }
  Lane *lane = free_lanes.back();
  free_lanes.pop_back();
  lane->block = block;
  lane->linear = linear;
  lane->path = nullptr;
  lane->spins = 0;
  lane->stack = lane_stack;
  lane->stack_bytes = lane_stack_bytes;
  lane->state = LaneState::runs;
  lane->yielded = false;
  lane->live_bytes = 0;
  lane->barrier_at = nullptr;
  return lane;
}

static Lane awaited_lane, ended_lane;  // of all warps

void await_lanes(ModelWarp *warp, unsigned width, const TellingLanes *telling) {
  awaited_lane.state = LaneState::runs;
  warp->width = width;
  warp->telling = telling;
  const unsigned count = warp->count = telling ? telling->count : width;
  warp->begun = warp->over = false;
  for (unsigned i = 0; i < count; ++i) warp->lanes[i] = &awaited_lane;
}

void begin_lanes(ModelWarp *warp) {
  warp->begun = true;
  for (unsigned i = 0; i < warp->count; ++i) 
    warp->lanes[i] = new_lane(warp->block->block, warp->number * WARP + (warp->telling ? warp->telling->lane[i] : i));
}

void end_lanes(ModelWarp *warp) {
  for (unsigned i = 0; i < warp->count; ++i)
    if (warp->lanes[i]->state != LaneState::done) return;
  ended_lane.state = LaneState::done;
  warp->over = true;
  for (unsigned i = 0; i < warp->count; ++i) {
    free_lane(warp->lanes[i]);
    warp->lanes[i] = &ended_lane;
  }
}

void skip_lanes(ModelWarp *warp) {
  ended_lane.state = LaneState::done;
  warp->begun = warp->over = true;
  for (unsigned i = 0; i < warp->count; ++i) warp->lanes[i] = &ended_lane;
}

void free_lane(Lane *lane) {
  if (lane == &awaited_lane || lane == &ended_lane) return;
  lane->next_touch = nullptr;
  free_lanes.push_back(lane);
}

static __attribute__((noinline)) void enlarge(Lane *lane, unsigned bytes) {
  copied_bytes -= lane->capacity;
  if (lane->live) give_memory(lane->live, lane->capacity);
  lane->capacity = (bytes + 63) & ~63u;
  copied_bytes += lane->capacity;
  lane->live = static_cast<char *>(take_memory(lane->capacity));
}

size_t lane_bytes() { return copied_bytes; }

void run_lane(Lane *lane, void (*entry)()) {
  char *const top = lane_stack + lane_stack_bytes;
#ifdef GPUOPT_EMU_SWITCH_ASM
  if (lane->live_bytes) {
    memcpy(top - lane->live_bytes, lane->live, lane->live_bytes);
  } else {
    lane->block->started = lane->linear;  // the kernel's loop takes this thread
    begin_at(lane, top, entry);
  }
  lane_worker->home.block = current_block = lane->block;
  current = lane;
  switch_fiber(&lane_worker->home, lane);
  current = nullptr;
  // A thread that failed never goes on, and may have left from the stack of a signal.
  if (lane->state == LaneState::done || lane->block->grid->error.load(std::memory_order_relaxed)) return;
  const char *const lowest = static_cast<char *>(lane->stack_pointer) - 128;  // the red zone may be in use, too
  const unsigned bytes = (unsigned)(top - lowest);
  if (bytes > lane->capacity) enlarge(lane, bytes);
  memcpy(lane->live, lowest, bytes);
  lane->live_bytes = bytes;
#else
  (void)entry, (void)top;
  fatal("GPUOPT_EMU_MODE=model needs a runtime for x86-64 with g++ (not GPUOPT_EMU_PORTABLE)");
#endif
}

void run_lane(Lane *lane) {
  run_lane(lane, lane_main);
  if (!stored.empty()) take_back();
}

void leave_lane() { switch_fiber(current, &lane_worker->home); }

void touches_are_full() { leave_lane(); }

void lane_waits() {
  Lane *me = static_cast<Lane *>(current);
  if (me->state == LaneState::runs) me->state = LaneState::waits;
}

void lanes_may_go(FiberList &lanes) {
  for (Fiber *fiber = lanes.head; fiber; fiber = fiber->next) static_cast<Lane *>(fiber)->state = LaneState::runs;
  lanes.head = nullptr;
}

void lane_may_go(Fiber *lane) { static_cast<Lane *>(lane)->state = LaneState::runs; }

void yield_lane() {
  static_cast<Lane *>(current)->yielded = true;
  leave_lane();
}

static void hold(Lane *lane, const Barrier *barrier, unsigned arrives) {
  lane->state = LaneState::held;
  lane->held_by = (unsigned char)(barrier - lane->block->barriers);
  lane->arrives = arrives;
}

void hold_waiting(Block *block, Barrier *barrier) {
  block->model->holds = true;
  for (Fiber *fiber = barrier->waiting.head; fiber; fiber = fiber->next) hold(static_cast<Lane *>(fiber), barrier, 0);
  barrier->waiting.head = nullptr;
}

void hold_lanes(Block *block, Barrier *barrier) {
  hold_waiting(block, barrier);
  Lane *me = static_cast<Lane *>(current);
  if (me->state == LaneState::done) return;
  hold(me, barrier, 0);
  leave_lane();
}

void hold_arriving(Block *block, Barrier *barrier, unsigned threads) {
  block->model->holds = true;
  hold(static_cast<Lane *>(current), barrier, threads);
  leave_lane();
}

void lane_ends(Fiber *lane) { static_cast<Lane *>(lane)->state = LaneState::done; }

void touch_range(const void *pointer, size_t bytes, Access kind, const Spot *spot, const void *pc) {
  const char *at = static_cast<const char *>(pointer), *const end = at + bytes;
  while (at < end) {
    unsigned step = 4;  // device compilers go by the alignment of the type, which is mostly that of its parts
    while (step > 1 && (((uintptr_t)at & (step - 1)) || step > (size_t)(end - at))) step /= 2;
    touch(at, step, kind, spot, pc);
    at += step;
  }
  // The lane may have left in between, before it has stored anything.
  if (writes(kind) && taking_back)
    for (at = static_cast<const char *>(pointer); at < end; ++at) remember_for_taking_back(at, 1);
}

}  // namespace gpuopt_emu
