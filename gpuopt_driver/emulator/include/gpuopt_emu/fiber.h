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

struct Fiber {
#ifdef GPUOPT_EMU_SWITCH_X86_64
  void *stack_pointer;  // while it does not run
#else
  ucontext_t context;
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
};

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

// Leaves `from` and goes on where `to` was left.
static inline __attribute__((always_inline)) void switch_fiber(Fiber *from, Fiber *to) {
  current = to;
#ifdef GPUOPT_EMU_SWITCH_X86_64
  // Every register is clobbered, so that the compiler saves those that are live here and no others. The 128 bytes
  // below the stack pointer may be in use (red zone).
  void **save = &from->stack_pointer;
  void *load = to->stack_pointer;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "popq %%rax\n\t"
      "popq %%rbp\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : "+D"(save), "+S"(load)
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
