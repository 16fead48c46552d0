// Arrays that a launch only reads, as its kernel's text and its arguments show.
#ifndef GPUOPT_EMU_CHECK_ONLY_READ_H
#define GPUOPT_EMU_CHECK_ONLY_READ_H

#include <string.h>

#include "check_shadow.h"
#include "gpuopt_emu/survey.h"

namespace gpuopt_emu {

bool piece_at(uintptr_t address, Piece *piece);  // an allocation or variable that the address is in
OnlyRead *only_read_by(Grid &grid);              // null: nothing is known to be
// The text was wrong, or a store has missed its array: from here on all accesses are remembered.
void is_written(OnlyRead *arrays);

// Which of them the address is in, or null.
static inline __attribute__((always_inline)) const Piece *only_read_at(const OnlyRead *arrays, uintptr_t address) {
  for (const Piece *array = arrays->at, *const end = array + arrays->count; array < end; ++array)
    if (__builtin_expect(address - array->base < array->bytes, 0)) return array;
  return nullptr;
}

// A read of what has been written, of one of them: its line is quiet then, if all of it has been written.
static inline __attribute__((always_inline)) void note_only_read(const Piece &array, uint32_t first, uintptr_t address) {
  const uintptr_t line = address & ~(uintptr_t)(LINE - 1);
  const Region &region = regions[address >> REGION_SHIFT];
  uint64_t written;
  memcpy(&written, region.written + (line & REGION_MASK) / 8, 8);
  if (written == ~0ull && line >= array.base && line + LINE <= array.base + array.bytes)
    region.quiet[(line & REGION_MASK) / LINE] = first;
}

}  // namespace gpuopt_emu

#endif
