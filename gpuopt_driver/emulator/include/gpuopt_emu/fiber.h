// A fiber runs device threads one after another; one that must wait leaves its fiber and another fiber goes on.
#ifndef GPUOPT_EMU_FIBER_H
#define GPUOPT_EMU_FIBER_H

#include <stddef.h>

#include "../vector_types.h"

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(GPUOPT_EMU_PORTABLE)
#define GPUOPT_EMU_SWITCH_ASM 1
#else
#include <ucontext.h>
#endif

namespace gpuopt_emu {

struct Block;
struct Path;
struct Touch;

// What a switch needs is in one cache line, and fibers that are run one after another mostly follow one another in memory.
// It is the same with and without assembly, so that most of the runtime is.
struct alignas(64) Fiber {
  void *stack_pointer, *frame_pointer, *goes_on;  // while it does not run; the last is the address of code
  Fiber *next;      // in the list in which it waits
  Block *block;
  unsigned linear;  // number of its thread in the block
  uint3 thread;     // threadIdx
  unsigned spins;   // turns of a loop that may wait for another thread
  const Path *path; // calls of functions with warp operations that name no mask
  char *stack;      // lowest usable address
  size_t stack_bytes;
  Touch *next_touch, *last_touch;  // of model mode: room for the next access, null otherwise
  const void *barrier_at;          // of model mode: where it came to a barrier last; null: that is not known
};

// Fibers are followed in memory by so many that can be looked at, if not used.
enum { FIBERS_AHEAD = 2 };
// The stack of one that will probably run soon; the fiber is one of a block's.
static inline __attribute__((always_inline)) void fetch_ahead(const Fiber *fiber) {
  __builtin_prefetch(fiber[FIBERS_AHEAD].stack_pointer);
}

struct FiberList {
  Fiber *head, *tail;

  bool empty() const { return head == nullptr; }
  void append(Fiber *fiber) {
    fiber->next = nullptr;
    if (head) tail->next = fiber; else head = fiber;
    tail = fiber;
  }
  void splice(FiberList &other) {
    if (!other.head) return;
    if (head) tail->next = other.head; else head = other.head;
    tail = other.tail;
    other.head = nullptr;
  }
  Fiber *take() {
    Fiber *first = head;
    head = first->next;
    return first;
  }
};

// The fiber that this OS thread runs; null in host code. An OS thread keeps its fibers, they never change over.
extern __thread Fiber *current __attribute__((tls_model("initial-exec")));
// The block of whatever fiber runs next. Found here without looking into a fiber, which may not be in the cache.
extern __thread Block *current_block __attribute__((tls_model("initial-exec")));

}  // namespace gpuopt_emu

#endif
