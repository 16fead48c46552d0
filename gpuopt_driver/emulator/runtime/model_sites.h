// What is counted, and of whom: places in the source, and arrays that they access.
#ifndef GPUOPT_EMU_MODEL_SITES_H
#define GPUOPT_EMU_MODEL_SITES_H

#include <stdint.h>

#include <string>
#include <vector>

#include "events.h"
#include "model_gpu.h"

namespace gpuopt_emu {

enum Count : unsigned {
  load_requests, load_sectors, load_hits, store_requests, store_sectors, store_hits, atomic_requests, atomic_sectors,
  l2_read_sectors, l2_read_hits, l2_write_sectors, l2_write_hits, l2_atomic_sectors, l2_far_sectors, dram_read_sectors, dram_write_sectors,
  constant_requests, shared_requests, shared_wavefronts, shared_ideal, warp_instructions, lane_instructions, flops, COUNTS
};
extern const char *const count_names[COUNTS];

struct Counters {
  uint64_t of[COUNTS] = {};
  void add(const Counters &other) {
    for (unsigned i = 0; i < COUNTS; ++i) of[i] += other.of[i];
  }
};

enum class Space : unsigned char { global, local, shared, constant, texture, generic, nothing };
extern const char *const space_names[];

// Memory with a name. `shift` leads to the address that the model gives it, which is the same in every run.
struct Array {
  uintptr_t start, end, shift;
  std::string name;
  const Spot *place;  // of its allocation, or null
  Space space;
};

// A place in the source and an array that it accesses.
struct Source {
  const Spot *spot;
  int array;  // -1: unknown memory
  Space space;
  Counters counters;
};

// An instruction of the kernel.
struct CodeSite {
  const void *pc;
  const Spot *spot;
  Operator with;
  unsigned source;
  uintptr_t first, last, shift;  // the array that it accessed last
  Space space;                   // of that
  const void *after;             // the instruction before, when last looked at
  bool looked_at;
  unsigned before, flops;        // arithmetic instructions since then
  uint16_t recent;               // number of what it was lately in a queue; see model_instruction.h
  // What became of its lanes' addresses lately, by where the first one is in its line: the same again comes of the same
  // in other lines. No parts: nothing is known.
  struct Again {
    uintptr_t step;
    uint32_t lanes;
    uint16_t what;  // bytes and Access, as in a touch
    unsigned char offset, parts;
    uint64_t words[2];  // of a queue, less the first one's line
  } again;
};

void begin_sites();  // for a launch: the memory there is, nothing counted
CodeSite &find_site(const void *pc, const Spot *spot);
extern CodeSite *recent_sites[256];  // by address of code; none is null
inline CodeSite &site_of(const void *pc, const Spot *spot) {
  CodeSite *&last = recent_sites[((uintptr_t)pc ^ (uintptr_t)pc >> 8) & 255];
  if (__builtin_expect(last->pc != pc, 0)) last = &find_site(pc, spot);
  return *last;
}
void find_array(CodeSite &site, uintptr_t address);                     // sets first, last, shift, space, source
unsigned source_of(const Spot *spot, int array, Space space);       // number of its counters
extern std::vector<Source> launch_sources;
inline std::vector<Source> &sources() { return launch_sources; }
const std::vector<Array> &arrays();
Counters all_counters();  // of all sources together

}  // namespace gpuopt_emu

#endif
