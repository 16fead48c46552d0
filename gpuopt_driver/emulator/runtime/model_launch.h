// One launch that is modelled: what it needs and gets of the GPU, and what came of it.
#ifndef GPUOPT_EMU_MODEL_LAUNCH_H
#define GPUOPT_EMU_MODEL_LAUNCH_H

#include <string>
#include <vector>

#include "model_sm.h"

namespace gpuopt_emu {

// How a kernel fits on a multiprocessor.
struct Residency {
  unsigned blocks;      // at once
  const char *limiter;  // what keeps more from being there
  unsigned registers;   // of a thread
  size_t shared_bytes;  // the configuration
  size_t l1_bytes;      // what it leaves to L1
};
Residency residency_of(const Grid &grid, const ModelFigures &figures);

// Blocks and warps that were there over time, at most 256 intervals.
struct Timeline {
  uint64_t interval = 64, upto = 0;
  std::vector<double> blocks, warps;  // sums over the interval, in units times cycles
  void add(uint64_t from, uint64_t to, unsigned blocks_now, unsigned warps_now);
};

struct LaunchResult {
  const Grid *grid;
  const ModelFigures *figures;
  Residency residency;
  uint64_t cycles;
  uint64_t block_cycles, held_cycles;  // of all blocks: lifetimes, and the part between taking shared memory and giving it back
  double occupancy;  // warps that were active, of all that fit, while any was
  Timeline timeline;
  double issue_limit, l1_limit, l2_limit, dram_limit, shared_limit;  // cycles that each needs at least
  unsigned long long modelled_blocks;
  double scale;        // from the modelled blocks to all
  std::string errors;  // of sampling, as JSON
};

// "void gemm(int, float*) [with ...]": "gemm".
std::string plain_name(const char *pretty);

void report_launch(const LaunchResult &result);

}  // namespace gpuopt_emu

#endif
