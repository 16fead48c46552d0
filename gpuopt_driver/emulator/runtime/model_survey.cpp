#include "model_survey.h"

#include <string.h>

#include "model_lane.h"
#include "settings.h"

namespace gpuopt_emu {

using surveys::Box;
using surveys::Survey;

namespace {
struct GridSurvey {
  std::vector<Box> left, uniform;
  Box part;
  bool parted;  // some of the part's threads do less than others
  bool failed, complete;
  unsigned tried;
};
}  // namespace

static GridSurvey *grid_under_survey;
static const unsigned FEWEST_WARPS = 8;  // of a grid: with fewer it is quicker to look at each thread

static void end_part(GridSurvey &all, const Survey &survey) {
  if (!survey.failed) {
    if (!all.parted) all.uniform.push_back(all.part);
    return;
  }
  if (++all.tried <= MOST_GRID_PARTS && cut_part(survey, all.part, &all.left)) return;
  all.failed = true;
  all.left.clear();
}

Surveyed next_model_survey(Block *block, Survey *survey) {
  if (!grid_under_survey) return Surveyed::threads;
  GridSurvey &all = *grid_under_survey;
  if (survey->stage == Survey::START) all.left.push_back(whole_grid(block));
  else end_part(all, *survey);
  if (all.left.empty()) {
    surveys::surveying = nullptr;
    all.complete = !all.failed;
    return Surveyed::done;
  }
  all.part = all.left.back();
  all.left.pop_back();
  all.parted = false;
  begin_survey(block, survey, Survey::GRID, all.part, &all);
  return Surveyed::again;
}

void model_survey_access(Survey &survey, surveys::How how) {
  GridSurvey &all = *static_cast<GridSurvey *>(survey.work);
  if (survey.unsure || how == surveys::UPDATE) return survey.fail();
  all.parted = all.parted || memcmp(&survey.box, &all.part, sizeof survey.box) != 0;
}

static void survey_lane() {
  Lane *const me = static_cast<Lane *>(current);
  const Grid *grid = me->block->grid;
  grid->loop(grid->closure);
  me->state = LaneState::done;
  leave_lane();
  __builtin_unreachable();
}

void UniformBlocks::find(Grid &grid, Room *room) {
  if (!settings().surveys || grid.cooperative || grid.blocks * grid.threads < FEWEST_WARPS * WARP) return;
  GridSurvey all = {};
  room->start_modelled(grid, 0);
  room->block.started = grid.threads;  // a kernel without a survey finds nothing to run
  Lane *lane = new_lane(&room->block, grid.threads);
  lane->next_touch = nullptr;
  grid_under_survey = &all;
  run_lane(lane, survey_lane);
  grid_under_survey = nullptr;
  free_lane(lane);
  steady_ = all.complete;
  if (steady_) parts_.swap(all.uniform);
}

bool UniformBlocks::holds(const uint3 &block) const {
  const int at[] = {(int)block.x, (int)block.y, (int)block.z};
  for (const Box &part : parts_) {
    bool inside = true;
    for (int d = 0; d < 3; ++d)
      inside = inside && at[d] >= part.low[surveys::BLOCKS + d] && at[d] <= part.high[surveys::BLOCKS + d];
    if (inside) return true;
  }
  return false;
}

TellingLanes::TellingLanes(const dim3 &block) {
  if (block.x % WARP == 0) {
    count = 2, lane[1] = 1;
  } else if (WARP % block.x == 0 && block.y % (WARP / block.x) == 0) {
    row = block.x;
    count = row == 1 ? 2 : 3;
    lane[1] = 1, lane[2] = row;
  }
}

}  // namespace gpuopt_emu
