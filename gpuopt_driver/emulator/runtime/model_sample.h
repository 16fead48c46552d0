// Modelling a part of a large grid, and what that costs in certainty; and telling how far one is.
#ifndef GPUOPT_EMU_MODEL_SAMPLE_H
#define GPUOPT_EMU_MODEL_SAMPLE_H

#include <string>
#include <vector>

#include "model_sites.h"
#include "worker.h"

namespace gpuopt_emu {

// Blocks [first, end).
struct Sample {
  unsigned long long first, end;
};
// The parts of the grid to model, in order: all of it, or waves of blocks spread over it (GPUOPT_EMU_SAMPLE). `wave`:
// blocks that are resident at once.
std::vector<Sample> samples_of(const Grid &grid, unsigned wave);

// Runs the blocks [first, end) as fast mode does.
void run_unmodelled(Grid &grid, ThreadLoop fast, unsigned long long first, unsigned long long end);

// Half the width of a 95 % confidence interval of what samples say of the whole grid, from how much they differ.
class SampleErrors {
 public:
  void add(const Counters &before, const Counters &after, uint64_t cycles, unsigned long long blocks);
  std::string json(unsigned long long all_blocks) const;  // ", \"errors\": {...}", or nothing

 private:
  std::vector<double> hit_rates_, cycles_, sectors_, reads_;  // the latter three per block
};

// A line on a terminal's stderr where a launch takes longer than a second; it goes with this object.
class Progress {
 public:
  Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress() { clear(); }
  void show(const Grid &grid, uint64_t cycle);
  void clear();

 private:
  bool on_terminal_, shown_ = false;
  double heard_;  // seconds
  unsigned calls_ = 0;
};

}  // namespace gpuopt_emu

#endif
