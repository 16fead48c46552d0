// A fiber runs device threads one after another; one that must wait leaves its fiber and another fiber goes on.
#ifndef GPUOPT_EMU_FIBER_H
#define GPUOPT_EMU_FIBER_H

#include <stddef.h>

#include "../vector_types.h"

#if defined(__x86_64__) && !defined(GPUOPT_EMU_PORTABLE)
#define GPUOPT_EMU_SWITCH_X86_64 1
#else
#include <ucontext.h>
#endif

namespace gpuopt_emu {

struct Block;
struct Path;
struct Touch;

// What a switch needs is in one cache line, and fibers that are run one after another mostly follow one another in memory.
struct alignas(64) Fiber {
#ifdef GPUOPT_EMU_SWITCH_X86_64
  void *stack_pointer, *frame_pointer, *goes_on;  // while it does not run; the last is the address of code
#endif
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
#ifndef GPUOPT_EMU_SWITCH_X86_64
  ucontext_t context;
#endif
};

// Fibers are followed in memory by so many that can be looked at, if not used.
enum { FIBERS_AHEAD = 2 };

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

// Leaves `from` and goes on where `to` was left.
static inline __attribute__((always_inline)) void switch_fiber(Fiber *from, Fiber *to) {
  current = to;
#ifdef GPUOPT_EMU_SWITCH_X86_64
  // Every register is clobbered, so that the compiler saves those that are live here and no others. The stack is left as
  // it is, also what lies below its pointer (red zone): nobody else uses it meanwhile.
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq (%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmp *16(%1)\n"
      "1:\n\t"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15"
#ifdef __AVX512F__
        , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#endif
  );
#else
  swapcontext(&from->context, &to->context);
#endif
}

}  // namespace gpuopt_emu

#endif
