// From the addresses of a warp instruction to what the memory system is asked for.
#ifndef GPUOPT_EMU_MODEL_COALESCE_H
#define GPUOPT_EMU_MODEL_COALESCE_H

#include <stdint.h>

#include "model_gpu.h"

namespace gpuopt_emu {

// One transaction: sectors of 32 bytes in a line of 128 bytes. `full`: those of which every byte is accessed.
typedef uint64_t Part;
constexpr unsigned LINE_SHIFT = 7, SECTOR_SHIFT = 5, MOST_PARTS = 64;
inline Part make_part(uint64_t line, unsigned sectors, unsigned full) { return line << 8 | full << 4 | sectors; }
inline uint64_t line_of(Part part) { return part >> 8; }
inline unsigned sectors_of(Part part) { return part & 15; }
inline unsigned count_of(unsigned sectors) { return 0x4332322132212110ull >> 4 * sectors & 15; }  // of a line
inline unsigned full_of(Part part) { return part >> 4 & 15; }

// The addresses of `count` active lanes in ascending order of lanes; `lanes` says which they are. Each lane accesses
// `bytes` bytes. Returns how many parts there are.
unsigned coalesce(Coalescing how, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes, Part *parts);

// The same of all bytes in [low, end), on GPUs that go by lines and sectors.
unsigned one_range(uintptr_t low, uintptr_t end, Part *parts);

// The same of lanes that access aligned words at least a line apart.
unsigned one_line_each(uintptr_t start, uintptr_t step, unsigned count, Part *parts);

// How often shared memory must be accessed for the instruction: 1 without conflicts, for up to 4 bytes per lane.
unsigned bank_passes(unsigned banks, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes);

// How many different words of four bytes there are: constant memory serves one at a time.
unsigned different_words(const uintptr_t *address, unsigned count);

}  // namespace gpuopt_emu

#endif
