// Atomic functions: real atomics, since blocks run on several OS threads, but in programs that have only one.
#ifndef GPUOPT_EMU_ATOMICS_H
#define GPUOPT_EMU_ATOMICS_H

#include <string.h>

#include "../vector_types.h"
#include "alone.h"
#include "early.h"
#include "flushing.h"
#include "launch.h"

namespace gpuopt_emu {

// For operations that threads repeat while they wait for another thread: now and then the others get their turn.
static inline void maybe_waiting() {
  Fiber *me = current;
  if (me && __builtin_expect(++me->spins % 64 == 0, 0)) let_others();
}
// The same for clocks.
static inline void maybe_waiting_for_time() {
  Fiber *me = current;
  if (me && __builtin_expect(++me->spins % 8 == 0, 0)) let_time_pass();
}

// An addition of nothing and the like: a way to read what another thread writes.
static inline void maybe_reading(bool changes_nothing) {
  if (changes_nothing) maybe_waiting();
}

template <size_t Bytes> struct Bits;
template <> struct Bits<1> { typedef unsigned char type; };
template <> struct Bits<2> { typedef unsigned short type; };
template <> struct Bits<4> { typedef unsigned type; };
template <> struct Bits<8> { typedef unsigned long long type; };

template <class To, class From> static inline GPUOPT_EMU_EARLY(To) bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bytes as another type");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// As a load and a store: of loops over threads with something that compilers do not look into they make no vectors.
template <class T, class Update> static inline GPUOPT_EMU_EARLY(T) plainly(T *address, Update update) {
  const T old = *address;
  *address = update(old);
  asm volatile("");
  return old;
}
// In shared memory, which other OS threads do not see: one instruction, between whose parts no signal comes, need not be locked.
static inline bool is_in_shared(const void *address) {
#if defined(GPUOPT_EMU_SWITCH_ASM) && defined(__x86_64__)
  const Block *const block = INSTRUMENTED ? nullptr : current_block;
  return block && !block->cluster && (size_t)(static_cast<const char *>(address) - block->shared) < block->shared_bytes;
#else
  (void)address;
  return false;
#endif
}
template <class T> static inline GPUOPT_EMU_EARLY(bool) exchange_in_shared(T *address, T &seen, T value) {
  bool is = false;
#if defined(GPUOPT_EMU_SWITCH_ASM) && defined(__x86_64__)
  asm volatile("cmpxchg %3, %1" : "=@ccz"(is), "+m"(*address), "+a"(seen) : "q"(value) : "memory");
#endif
  return is;
}
template <class T> static inline GPUOPT_EMU_EARLY(T) add_in_shared(T *address, T value) {
#if defined(GPUOPT_EMU_SWITCH_ASM) && defined(__x86_64__)
  asm volatile("xadd %0, %1" : "+r"(value), "+m"(*address) : : "cc");
#endif
  return value;
}
// Replaces *address by update(*address) and returns what was there; also in host code.
template <class T, class Update> static inline GPUOPT_EMU_EARLY(T) atomically_anywhere(T *address, Update update) {
  typedef typename Bits<sizeof(T)>::type Bb;
  Bb *bits = reinterpret_cast<Bb *>(address), seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  if (is_in_shared(address)) {
    while (!exchange_in_shared(bits, seen, bit_cast<Bb>(update(bit_cast<T>(seen))))) {
    }
    return bit_cast<T>(seen);
  }
  while (!__atomic_compare_exchange_n(bits, &seen, bit_cast<Bb>(update(bit_cast<T>(seen))), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return bit_cast<T>(seen);
}

template <class T, class Update> static inline GPUOPT_EMU_EARLY(T) atomically(T *address, Update update) {
  return is_alone() ? plainly(address, update) : atomically_anywhere(address, update);
}

template <class T> static inline GPUOPT_EMU_EARLY(T) exchange(T *address, T value) {
  typedef typename Bits<sizeof(T)>::type Bb;
  maybe_waiting();
  return bit_cast<T>(__atomic_exchange_n(reinterpret_cast<Bb *>(address), bit_cast<Bb>(value), __ATOMIC_SEQ_CST));
}

template <class T> static inline GPUOPT_EMU_EARLY(T) compare_exchange(T *address, T expected, T value) {
  typedef typename Bits<sizeof(T)>::type Bb;
  Bb seen = bit_cast<Bb>(expected);
  if (!__atomic_compare_exchange_n(reinterpret_cast<Bb *>(address), &seen, bit_cast<Bb>(value), false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
    maybe_waiting();
  return bit_cast<T>(seen);
}

#ifdef GPUOPT_EMU_FLUSH
// In shared memory a GPU adds by a loop around atomicCAS whose sum keeps what is below 2^-126, whatever -ftz says.
static inline float add_atomically(float *address, float value) {
  const auto sum = [value](float old) -> float { return old + value; };
  const Block *block = current ? current->block : nullptr;
  if (!block || (size_t)(reinterpret_cast<char *>(address) - block->shared) >= block->shared_bytes) return atomically(address, sum);
  const KeptArithmetic kept;
  set_arithmetic_mode(arithmetic_mode() & ~FLUSH_BITS);
  return atomically(address, sum);
}
#endif

}  // namespace gpuopt_emu

#define GPUOPT_EMU_ATOMIC(name, type, expression)                                           \
  static inline type name(type *address, type value) { return expression; }                 \
  static inline type name##_block(type *address, type value) { return expression; }         \
  static inline type name##_system(type *address, type value) { return expression; }
#define GPUOPT_EMU_FETCH(Tt, operation, sign)                                                                        \
  (gpuopt_emu::maybe_reading(value == 0),                                                                            \
   gpuopt_emu::is_alone()                                                                                            \
       ? gpuopt_emu::plainly(address, [value](Tt old) { return (Tt)((gpuopt_emu::Bits<sizeof(Tt)>::type)old sign value); }) \
       : __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST))
// As GPUOPT_EMU_FETCH does it, but in shared memory.
#define GPUOPT_EMU_ADD(Tt)                                                                \
  (value && !gpuopt_emu::is_alone() && gpuopt_emu::is_in_shared(address)                  \
       ? gpuopt_emu::add_in_shared(address, value)                                        \
       : GPUOPT_EMU_FETCH(Tt, add, +))
#define GPUOPT_EMU_UPDATE(type, expression) gpuopt_emu::atomically(address, [value](type old) -> type { return expression; })

#define GPUOPT_EMU_INTEGER_ATOMICS(type)                                                      \
  GPUOPT_EMU_ATOMIC(atomicAnd, type, GPUOPT_EMU_FETCH(type, and, &))                                   \
  GPUOPT_EMU_ATOMIC(atomicOr, type, GPUOPT_EMU_FETCH(type, or, |))                                     \
  GPUOPT_EMU_ATOMIC(atomicXor, type, GPUOPT_EMU_FETCH(type, xor, ^))                                   \
  GPUOPT_EMU_ATOMIC(atomicMin, type, GPUOPT_EMU_UPDATE(type, value < old ? value : old))      \
  GPUOPT_EMU_ATOMIC(atomicMax, type, GPUOPT_EMU_UPDATE(type, value > old ? value : old))
#define GPUOPT_EMU_INTEGER_SUMS(type)                                                         \
  GPUOPT_EMU_ATOMIC(atomicAdd, type, GPUOPT_EMU_ADD(type))                                    \
  GPUOPT_EMU_ATOMIC(atomicExch, type, gpuopt_emu::exchange(address, value))
GPUOPT_EMU_INTEGER_ATOMICS(int)
GPUOPT_EMU_INTEGER_ATOMICS(unsigned int)
GPUOPT_EMU_INTEGER_ATOMICS(long long int)
GPUOPT_EMU_INTEGER_ATOMICS(unsigned long long int)
GPUOPT_EMU_INTEGER_SUMS(int)
GPUOPT_EMU_INTEGER_SUMS(unsigned int)
GPUOPT_EMU_INTEGER_SUMS(unsigned long long int)
GPUOPT_EMU_ATOMIC(atomicSub, int, GPUOPT_EMU_FETCH(int, sub, -))
GPUOPT_EMU_ATOMIC(atomicSub, unsigned int, GPUOPT_EMU_FETCH(unsigned, sub, -))
GPUOPT_EMU_ATOMIC(atomicInc, unsigned int, GPUOPT_EMU_UPDATE(unsigned, old >= value ? 0 : old + 1))
GPUOPT_EMU_ATOMIC(atomicDec, unsigned int, GPUOPT_EMU_UPDATE(unsigned, !old || old > value ? value : old - 1))
#ifdef GPUOPT_EMU_FLUSH
GPUOPT_EMU_ATOMIC(atomicAdd, float, gpuopt_emu::add_atomically(address, value))
#else
GPUOPT_EMU_ATOMIC(atomicAdd, float, GPUOPT_EMU_UPDATE(float, old + value))
#endif
GPUOPT_EMU_ATOMIC(atomicAdd, double, GPUOPT_EMU_UPDATE(double, old + value))
GPUOPT_EMU_ATOMIC(atomicExch, float, gpuopt_emu::exchange(address, value))

#define GPUOPT_EMU_CAS(type)                                                    \
  static inline type atomicCAS(type *address, type expected, type value) {      \
    return gpuopt_emu::compare_exchange(address, expected, value);              \
  }                                                                             \
  static inline type atomicCAS_block(type *address, type expected, type value) { \
    return gpuopt_emu::compare_exchange(address, expected, value);              \
  }                                                                             \
  static inline type atomicCAS_system(type *address, type expected, type value) { \
    return gpuopt_emu::compare_exchange(address, expected, value);              \
  }
GPUOPT_EMU_CAS(unsigned short)
GPUOPT_EMU_CAS(int)
GPUOPT_EMU_CAS(unsigned int)
GPUOPT_EMU_CAS(unsigned long long int)

// 16 bytes at once, for types of that size.
namespace gpuopt_emu {
void exchange_wide(void *address, const void *value, void *old);
void compare_exchange_wide(void *address, const void *expected, const void *value, void *old);
template <class T, size_t = sizeof(T)> struct Wide;
template <class T> struct Wide<T, 16> { typedef T type; };
}  // namespace gpuopt_emu
#define GPUOPT_EMU_WIDE(scope)                                                                                     \
  template <class T> static inline typename gpuopt_emu::Wide<T>::type atomicCAS##scope(T *address, T expected, T value) { \
    T old;                                                                                                        \
    gpuopt_emu::compare_exchange_wide(address, &expected, &value, &old);                                          \
    return old;                                                                                                   \
  }                                                                                                               \
  template <class T> static inline typename gpuopt_emu::Wide<T>::type atomicExch##scope(T *address, T value) {     \
    T old;                                                                                                        \
    gpuopt_emu::exchange_wide(address, &value, &old);                                                             \
    return old;                                                                                                   \
  }
GPUOPT_EMU_WIDE()
GPUOPT_EMU_WIDE(_block)
GPUOPT_EMU_WIDE(_system)
#undef GPUOPT_EMU_WIDE

// Vectors: each number by itself.
#define GPUOPT_EMU_VECTORS(scope)                                                                                 \
  static inline float2 atomicAdd##scope(float2 *address, float2 value) {                                          \
    return float2{atomicAdd##scope(&address->x, value.x), atomicAdd##scope(&address->y, value.y)};                \
  }                                                                                                               \
  static inline float4 atomicAdd##scope(float4 *address, float4 value) {                                          \
    return float4{atomicAdd##scope(&address->x, value.x), atomicAdd##scope(&address->y, value.y),                 \
                  atomicAdd##scope(&address->z, value.z), atomicAdd##scope(&address->w, value.w)};                \
  }
GPUOPT_EMU_VECTORS()
GPUOPT_EMU_VECTORS(_block)
GPUOPT_EMU_VECTORS(_system)
#undef GPUOPT_EMU_VECTORS

#undef GPUOPT_EMU_ATOMIC
#undef GPUOPT_EMU_FETCH
#undef GPUOPT_EMU_ADD
#undef GPUOPT_EMU_UPDATE
#undef GPUOPT_EMU_INTEGER_ATOMICS
#undef GPUOPT_EMU_INTEGER_SUMS
#undef GPUOPT_EMU_CAS

#endif
