// Whether a program has one OS thread: then atomic functions need no locks.
#ifndef GPUOPT_EMU_ALONE_H
#define GPUOPT_EMU_ALONE_H

#include "target.h"
#if defined(__has_include) && !defined(GPUOPT_EMU_PORTABLE)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define GPUOPT_EMU_SINGLE_THREADED 1
#endif
#endif

namespace gpuopt_emu {

#ifdef GPUOPT_EMU_SINGLE_THREADED
// The C library's own, a char, which an assignment to any object might change: loops would ask for it in each turn.
extern bool has_one_thread __asm__("__libc_single_threaded");
#endif

// Then nobody can come between a load and a store, and no signal switches device threads there, either
// (runtime/preempt.cpp: another OS thread sends it). To instrumented code atomics are atomics.
// While a thread of a kernel that never waits is under way, this stays as it is (runtime/worker.cpp).
static inline bool is_alone() {
#ifdef GPUOPT_EMU_SINGLE_THREADED
  return !INSTRUMENTED && has_one_thread;
#else
  return false;
#endif
}

}  // namespace gpuopt_emu

#endif
