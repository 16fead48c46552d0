// From the addresses of a warp instruction to what the memory system is asked for.
#ifndef GPUOPT_EMU_MODEL_COALESCE_H
#define GPUOPT_EMU_MODEL_COALESCE_H

#include <stdint.h>

#include "model_gpu.h"

namespace gpuopt_emu {

// One transaction: sectors of 32 bytes in a line of 128 bytes. `full`: those of which every byte is accessed. The highest
// 16 bits are of no concern.
typedef uint64_t Part;
constexpr unsigned LINE_SHIFT = 7, SECTOR_SHIFT = 5, MOST_PARTS = 64;
inline Part make_part(uint64_t line, unsigned sectors, unsigned full) { return line << 8 | full << 4 | sectors; }
inline uint64_t line_of(Part part) { return part >> 8 & ((1ull << 40) - 1); }
inline unsigned sectors_of(Part part) { return part & 15; }
inline unsigned count_of(unsigned sectors) { return 0x4332322132212110ull >> 4 * sectors & 15; }  // of a line
inline unsigned full_of(Part part) { return part >> 4 & 15; }

// The parts of an instruction, so many lines away.
struct Parts {
  const Part *first;
  uint64_t by;
  Part operator[](unsigned i) const { return first[i] + by; }
  Parts from(unsigned i) const { return {first + i, by}; }
};
inline unsigned all_sectors(const Part *parts, unsigned count) {
  unsigned sectors = 0;
  for (unsigned i = 0; i < count; ++i) sectors += count_of(sectors_of(parts[i]));
  return sectors;
}

// What a load of many parts asks for, as a number for its lines, less than 2^28, and the sectors of all of them together.
// It is in the highest bits of the second and the third part. No lines: it has no number.
struct NumberedLoad {
  uint32_t lines;
  unsigned sectors;
  bool alike;  // each line is asked for all of these
};
constexpr unsigned FEWEST_NUMBERED = 8, FREE_BITS = 48;
// `asked`: the sectors that the lines are asked for, added up.
inline NumberedLoad number_of_load(const Part *parts, unsigned count, unsigned asked) {
  const uint32_t both = (uint32_t)(parts[1] >> FREE_BITS | parts[2] >> FREE_BITS << 16);
  return {both >> 4, both & 15, asked == count * count_of(both & 15)};
}
inline void put_number(Part *parts, NumberedLoad load) {
  const uint64_t both = (uint64_t)load.lines << 4 | load.sectors, part = (1ull << FREE_BITS) - 1;
  parts[1] = (parts[1] & part) | both << FREE_BITS;
  parts[2] = (parts[2] & part) | both >> 16 << FREE_BITS;
}

// The addresses of `count` active lanes in ascending order of lanes; `lanes` says which they are. Each lane accesses
// `bytes` bytes. Returns how many parts there are.
unsigned coalesce(Coalescing how, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes, Part *parts);

// The part of all bytes in [low, end), which lie in one line, on GPUs that go by lines and sectors.
inline Part part_of(uintptr_t low, uintptr_t end) {
  const unsigned from = low >> SECTOR_SHIFT & 3, to = (end - 1) >> SECTOR_SHIFT & 3;
  const unsigned whole_from = (((unsigned)low & 127) + 31) >> SECTOR_SHIFT, whole_to = (((unsigned)(end - 1) & 127) + 1) >> SECTOR_SHIFT;
  return make_part(low >> LINE_SHIFT, (15u >> (3 - to)) & (15u << from) & 15u, ((1u << whole_to) - 1) & ~((1u << whole_from) - 1));
}

// All parts of [low, end).
inline unsigned one_range(uintptr_t low, uintptr_t end, Part *parts) {
  const uintptr_t last = (end - 1) >> LINE_SHIFT << LINE_SHIFT;
  unsigned n = 0;
  for (; low < last; low = ((low >> LINE_SHIFT) + 1) << LINE_SHIFT) parts[n++] = part_of(low, ((low >> LINE_SHIFT) + 1) << LINE_SHIFT);
  parts[n++] = part_of(low, end);
  return n;
}

// The same of lanes that access aligned words at least a line apart.
inline unsigned one_line_each(uintptr_t start, uintptr_t step, unsigned count, Part *parts) {
  for (unsigned i = 0; i < count; ++i, start += step) parts[i] = make_part(start >> LINE_SHIFT, 1u << (start >> SECTOR_SHIFT & 3), 0);
  return count;
}

// How often shared memory must be accessed for the instruction: 1 without conflicts, for up to 4 bytes per lane.
unsigned bank_passes(unsigned banks, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes);

// How many different words of four bytes there are: constant memory serves one at a time.
unsigned different_words(const uintptr_t *address, unsigned count);

}  // namespace gpuopt_emu

#endif
