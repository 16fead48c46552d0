// Loads and stores with cache hints, fences, clocks, and the ways to stop.
#ifndef GPUOPT_EMU_MEMORY_H
#define GPUOPT_EMU_MEMORY_H

#include <stdio.h>
#include <time.h>

#include <type_traits>

#include "atomics.h"

namespace gpuopt_emu {
template <class T> struct Itself { typedef T type; };  // keeps a parameter out of deduction
}  // namespace gpuopt_emu

#define GPUOPT_EMU_LOAD(name) \
  template <class T> static inline T name(const T *address) { return *address; }
GPUOPT_EMU_LOAD(__ldg)
GPUOPT_EMU_LOAD(__ldca)
GPUOPT_EMU_LOAD(__ldcg)
GPUOPT_EMU_LOAD(__ldcs)
GPUOPT_EMU_LOAD(__ldlu)
#undef GPUOPT_EMU_LOAD
template <class T> static inline typename std::enable_if<std::is_arithmetic<T>::value, T>::type __ldcv(const T *address) {
  gpuopt_emu::maybe_waiting();
  return *const_cast<const volatile T *>(address);
}
template <class T> static inline typename std::enable_if<!std::is_arithmetic<T>::value, T>::type __ldcv(const T *address) {
  gpuopt_emu::maybe_waiting();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // read in each turn of a loop
  return *address;
}
#define GPUOPT_EMU_STORE(name) \
  template <class T> static inline void name(T *address, typename gpuopt_emu::Itself<T>::type value) { *address = value; }
GPUOPT_EMU_STORE(__stwb)
GPUOPT_EMU_STORE(__stcg)
GPUOPT_EMU_STORE(__stcs)
GPUOPT_EMU_STORE(__stwt)
#undef GPUOPT_EMU_STORE

static inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  gpuopt_emu::maybe_waiting();
}
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }
static inline void __nanosleep(unsigned) {
  if (gpuopt_emu::on_device()) gpuopt_emu::yield();
}
// A kernel that may begin before the one in front of it ends: here it never does.
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
static inline void cudaGridDependencySynchronize() {}

namespace gpuopt_emu {

static inline unsigned long long nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

[[noreturn]] void trap();

// A clock that threads may ask again and again until time has passed: they wait at the same time, as they would on a GPU.
static inline unsigned long long passing_time() {
  maybe_waiting_for_time();
  return nanoseconds();
}
// clock in device code counts as clock64 does.
static inline clock_t device_clock() { return on_device() ? (clock_t)passing_time() : clock(); }

// printf in device code says how many arguments it had.
template <class... Aa> static inline int device_printf(const char *format, Aa... arguments) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int written = printf(format, arguments...);
#pragma GCC diagnostic pop
  return on_device() && written >= 0 ? (int)sizeof...(Aa) : written;
}

}  // namespace gpuopt_emu

static inline long long int clock64() { return (long long)gpuopt_emu::passing_time(); }
[[noreturn]] static inline void __trap() { gpuopt_emu::trap(); }
static inline void __brkpt() {}
static inline void __prof_trigger(int) {}

static inline unsigned __isShared(const void *address) {
  const gpuopt_emu::Block *block = gpuopt_emu::current->block;
  const size_t offset = (size_t)address - (size_t)block->shared;
  return offset < block->shared_bytes;
}
static inline unsigned __isLocal(const void *address) {
  const gpuopt_emu::Fiber *fiber = gpuopt_emu::current;
  return (size_t)address - (size_t)fiber->stack < fiber->stack_bytes;
}
static inline unsigned __isGlobal(const void *address) { return !__isShared(address) && !__isLocal(address); }
static inline unsigned __isConstant(const void *) { return 0; }
static inline unsigned __isGridConstant(const void *) { return 0; }
// Shared memory has addresses of its own, from 0, that fit in 32 bits.
static inline size_t __cvta_generic_to_shared(const void *address) {
  return (size_t)address - (size_t)gpuopt_emu::current->block->shared;
}
static inline void *__cvta_shared_to_generic(size_t address) {
  return (void *)((size_t)gpuopt_emu::current->block->shared + address);
}
static inline size_t __cvta_generic_to_global(const void *address) { return (size_t)address; }
static inline size_t __cvta_generic_to_local(const void *address) { return (size_t)address; }
static inline size_t __cvta_generic_to_constant(const void *address) { return (size_t)address; }
static inline size_t __cvta_generic_to_grid_constant(const void *address) { return (size_t)address; }
static inline void *__cvta_grid_constant_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_local_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_constant_to_generic(size_t address) { return (void *)address; }

#if !defined(__clang__)
#define __builtin_assume(condition) ((void)0)
#endif

#endif
