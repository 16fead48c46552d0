// The switch between two fibers.
#ifndef GPUOPT_EMU_SWITCH_H
#define GPUOPT_EMU_SWITCH_H

#include "fiber.h"

namespace gpuopt_emu {

#ifdef GPUOPT_EMU_SWITCH_ASM
// The fiber will begin with this function, on a stack that ends there. If it has parameters, they are the fiber that was
// left last and the function's own.
template <class Function> static inline void begin_at(Fiber *fiber, char *top, Function *function) {
#if defined(__x86_64__)
  top -= 8;  // as behind a call
#endif
  fiber->stack_pointer = top;
  fiber->frame_pointer = nullptr;
  fiber->goes_on = reinterpret_cast<void *>(function);
}

// Leaves `from` and goes on where `to` was left. Returns the fiber that goes on here, `from`, but from a register.
// Every register is clobbered, so that the compiler saves those that are live here and no others. The stack is left as it
// is, also what lies below its pointer (red zone): nobody else uses it meanwhile.
static inline __attribute__((always_inline)) Fiber *leave(Fiber *from, Fiber *to) {
#if defined(__x86_64__)
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
  return to;
#else
  register Fiber *left asm("x0") = from;
  register Fiber *here asm("x1") = to;
  // There is nobody to return to (x30) where a fiber begins. Jumps by x16 may end at functions and at `bti j` (hint #36).
  asm volatile(
      "adr x16, 1f\n\t"
      "mov x2, sp\n\t"
      "stp x2, x29, [%0]\n\t"
      "str x16, [%0, #16]\n\t"
      "ldp x2, x29, [%1]\n\t"
      "ldr x16, [%1, #16]\n\t"
      "mov x30, xzr\n\t"
      "mov sp, x2\n\t"
      "br x16\n"
      "1:\n\t"
      "hint #36\n\t"
      : "+r"(left), "+r"(here)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
#if !defined(__APPLE__) && !defined(__ANDROID__) && !defined(_WIN32)  // there it is the system's
        "x18",
#endif
        "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc", "v0", "v1", "v2", "v3",
        "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#ifdef __ARM_FEATURE_SVE
        , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#endif
  );
  return here;
#endif
}
#else
// Where a fiber was left: at the lowest end of its stack, where that begins (runtime/room.cpp); of an OS thread's own
// stack, which goes on when all others wait, in the thread's storage.
inline ucontext_t *context_of(Fiber *fiber) {
  static thread_local ucontext_t own;
  if (!fiber->stack_pointer) fiber->stack_pointer = &own;
  return static_cast<ucontext_t *>(fiber->stack_pointer);
}
#endif

static inline __attribute__((always_inline)) void switch_fiber(Fiber *from, Fiber *to) {
#ifdef GPUOPT_EMU_SWITCH_ASM
  current = leave(from, to);  // set by whom it is about, who has it at hand: nobody waits for a store
#else
  current = to;
  swapcontext(context_of(from), context_of(to));
#endif
}

}  // namespace gpuopt_emu

#endif
