// Blocks and warps over time, in a number of intervals that does not grow.
#include <algorithm>

#include "model_launch.h"

namespace gpuopt_emu {

void Timeline::add(uint64_t from, uint64_t to, unsigned blocks_now, unsigned warps_now) {
  while (to > interval * 256) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      const size_t half = i / 2;
      if (i % 2) blocks[half] += blocks[i], warps[half] += warps[i];
      else blocks[half] = blocks[i], warps[half] = warps[i];
    }
    blocks.resize((blocks.size() + 1) / 2);
    warps.resize(blocks.size());
    interval *= 2;
  }
  while (from < to) {
    const size_t at = from / interval;
    const uint64_t end = std::min(to, (at + 1) * interval);
    if (blocks.size() <= at) blocks.resize(at + 1), warps.resize(at + 1);
    blocks[at] += (double)(end - from) * blocks_now;
    warps[at] += (double)(end - from) * warps_now;
    from = end;
  }
  upto = to;
}

}  // namespace gpuopt_emu
