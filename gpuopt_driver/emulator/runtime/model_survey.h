// Warps whose threads all do the same, at addresses that are sums over threadIdx and blockIdx, whatever memory holds.
//
// Found by the kernel's survey (emulator/survey.py). Two or three lanes of them tell what all do.
#ifndef GPUOPT_EMU_MODEL_SURVEY_H
#define GPUOPT_EMU_MODEL_SURVEY_H

#include <vector>

#include "check_survey.h"
#include "worker.h"

namespace gpuopt_emu {

// Lanes of a warp from which those of all follow: 0, then one along x, then one along y where the warp has several rows.
struct TellingLanes {
  unsigned count = 0;  // 0: there are no such lanes
  unsigned lane[3] = {};
  unsigned row = 32;   // lanes of equal threadIdx.y
  explicit TellingLanes(const dim3 &block);
};

class UniformWarps {
 public:
  explicit UniformWarps(const dim3 &block) : lanes(block) {}
  void find(Grid &grid, Room *room);
  // Nothing that threads do depends on memory: they may run in any order, and their stores need not last.
  bool steady() const { return steady_; }
  bool holds(const Block &block, unsigned warp) const;
  const std::vector<surveys::Box> &parts() const { return parts_; }
  // Parts whose warps do the same, though not their lanes: each lane what that lane of the others does.
  const std::vector<surveys::Box> &alike() const { return alike_; }

  const TellingLanes lanes;

 private:
  bool steady_ = false;
  std::vector<surveys::Box> parts_, alike_;
  mutable size_t last_ = 0;  // part that held one
};

// Of the survey that runs, see check_survey.cpp.
Surveyed next_model_survey(Block *block, surveys::Survey *survey);
void model_survey_access(surveys::Survey &survey, surveys::How how);

}  // namespace gpuopt_emu

#endif
