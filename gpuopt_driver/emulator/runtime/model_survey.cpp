#include "model_survey.h"

#include "model_lane.h"
#include "settings.h"

namespace gpuopt_emu {

using surveys::Box;
using surveys::Survey;

namespace {
struct GridSurvey {
  std::vector<Box> left, uniform, alike;
  Box part;
  unsigned parted;  // along which axes some of the part's threads do less than others, in bits
  bool failed, complete;
  unsigned tried, warps;  // of a block, where a few lanes of each can tell; else 0
};
}  // namespace

static GridSurvey *grid_under_survey;
static const unsigned FEWEST_WARPS = 8;   // of a grid: with fewer it is quicker to look at each thread,
static const int FEWEST_BLOCKS = 4;       // and of a part to survey its warps one by one
static const unsigned MOST_SURVEYS = 256;

// The threads of a warp.
static Box warp_of(const Box &part, const dim3 &block, unsigned warp) {
  const unsigned first = warp * WARP, row = first / block.x, rows = block.x % WARP ? WARP / block.x : 1;
  Box one = part;
  if (rows == 1) one.low[0] = (int)(first % block.x), one.high[0] = one.low[0] + (int)WARP - 1;
  one.low[1] = (int)(row % block.y), one.high[1] = one.low[1] + (int)rows - 1;
  one.low[2] = one.high[2] = (int)(row / block.y);
  return one;
}

// Where some threads of blocks do less than others, whole warps may still do the same.
static void look_at_warps(GridSurvey &all, const dim3 &block) {
  long long blocks = 1;
  for (int d = surveys::BLOCKS; d < surveys::AXES; ++d) blocks *= all.part.high[d] - all.part.low[d] + 1;
  const bool whole = all.part.high[0] - all.part.low[0] + 1 == (int)block.x && all.part.high[1] - all.part.low[1] + 1 == (int)block.y &&
                     all.part.high[2] - all.part.low[2] + 1 == (int)block.z;
  if (!whole || all.warps < 2 || blocks < FEWEST_BLOCKS || all.tried + all.warps > MOST_SURVEYS) return;
  for (unsigned warp = 0; warp < all.warps; ++warp) all.left.push_back(warp_of(all.part, block, warp));
  all.tried += all.warps;
}

// Axes along which the part is no larger than a warp, whose lanes alone differ along them.
static unsigned lane_axes(const Box &part, const dim3 &block) {
  if (block.x % WARP && WARP % block.x) return 0;
  const int rows = block.x < WARP ? (int)(WARP / block.x) : 1;
  if (part.low[0] % (int)WARP || part.high[0] - part.low[0] >= (int)WARP) return 0;
  return part.low[1] % rows == 0 && part.high[1] - part.low[1] < rows ? 3 : 1;
}

static void end_part(GridSurvey &all, const Survey &survey) {
  if (!survey.failed) {
    if (!all.parted) all.uniform.push_back(all.part);
    else if (!(all.parted & ~lane_axes(all.part, survey.block->size))) all.alike.push_back(all.part);
    else look_at_warps(all, survey.block->size);
    return;
  }
  if (++all.tried <= MOST_SURVEYS && cut_part(survey, all.part, &all.left)) return;
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
  all.parted = 0;
  begin_survey(block, survey, Survey::GRID, all.part, &all);
  return Surveyed::again;
}

void model_survey_access(Survey &survey, surveys::How how) {
  GridSurvey &all = *static_cast<GridSurvey *>(survey.work);
  (void)how;
  if (survey.unsure) return survey.fail();
  for (unsigned d = 0; d < surveys::AXES; ++d)
    if (survey.box.low[d] != all.part.low[d] || survey.box.high[d] != all.part.high[d]) all.parted |= 1u << d;
}

static void survey_lane() {
  Lane *const me = static_cast<Lane *>(current);
  const Grid *grid = me->block->grid;
  grid->loop(grid->closure);
  me->state = LaneState::done;
  leave_lane();
  __builtin_unreachable();
}

void UniformWarps::find(Grid &grid, Room *room) {
  if (!settings().surveys || grid.cooperative || grid.blocks * grid.threads < FEWEST_WARPS * WARP) return;
  GridSurvey all = {};
  all.warps = lanes.count && grid.threads % WARP == 0 ? grid.threads / WARP : 0;
  room->start_modelled(grid, 0);
  room->block.started = grid.threads;  // a kernel without a survey finds nothing to run
  Lane *lane = new_lane(&room->block, grid.threads);
  lane->next_touch = nullptr;
  grid_under_survey = &all;
  run_lane(lane, survey_lane);
  grid_under_survey = nullptr;
  free_lane(lane);
  steady_ = all.complete;
  if (steady_) parts_.swap(all.uniform), alike_.swap(all.alike);
}

bool UniformWarps::holds(const Block &block, unsigned warp) const {
  if (!lanes.count || (warp + 1) * WARP > block.threads) return false;
  const unsigned first = warp * WARP, row = first / block.size.x;
  const unsigned at[] = {first % block.size.x, row % block.size.y, row / block.size.y, block.index.x, block.index.y, block.index.z};
  const auto inside = [&at](const Box &part) {
    bool in = true;
    for (int d = 0; d < surveys::AXES; ++d) in = in && (int)at[d] >= part.low[d] && (int)at[d] <= part.high[d];
    return in;
  };
  if (last_ < parts_.size() && inside(parts_[last_])) return true;
  for (last_ = 0; last_ < parts_.size(); ++last_)
    if (inside(parts_[last_])) return true;
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
