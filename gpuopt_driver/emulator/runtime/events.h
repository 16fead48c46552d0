// What instrumented device code tells of itself: each access to memory with its place in the source.
//
// The calls come in through check_events.cpp, one function per size and kind, which hands them to the one consumer.
#ifndef GPUOPT_EMU_EVENTS_H
#define GPUOPT_EMU_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "gpuopt_emu/spot.h"

namespace gpuopt_emu {

enum SpotFlags : unsigned {
  IN_OUR_HEADERS = 1,   // the access itself is in a header of the emulator
  WITHOUT_ORDER = 2,    // an atomic operation that orders nothing else, whatever it says
  BLOCK_SCOPE = 4,      // an atomic operation for the threads of one block
  NOT_THE_USERS = 8,    // the place is in a header of the emulator, for want of a better one
  OPERATOR_SHIFT = 8,   // from this bit on, four bits: a cache operator, enum Operator of model_gpu.h
};

// How memory is accessed. Volatile and atomic accesses are strong: several of them at once are no race.
enum class Access : unsigned char { read, write, volatile_read, volatile_write, atomic_read, atomic_write, atomic_update };

constexpr bool writes(Access kind) {  // one of these, without branches
  return (1u << (unsigned)Access::write | 1u << (unsigned)Access::volatile_write | 1u << (unsigned)Access::atomic_write |
          1u << (unsigned)Access::atomic_update) >> (unsigned)kind & 1;
}
constexpr bool reads(Access kind) { return !writes(kind) || kind == Access::atomic_update; }
constexpr bool is_strong(Access kind) { return kind != Access::read && kind != Access::write; }
constexpr bool is_atomic(Access kind) { return kind >= Access::atomic_read; }

}  // namespace gpuopt_emu

#endif
