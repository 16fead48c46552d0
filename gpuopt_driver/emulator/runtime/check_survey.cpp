// Surveys of blocks in check mode: a block whose accesses are all as they should be is run in its fast form.
//
// Nothing is ever reported from here. Whatever is not clearly in order makes the survey fail, and the block's threads are
// looked at one by one.
#include "check_survey.h"

#include <map>
#include <mutex>
#include <string.h>
#include <unordered_map>

#include "check_layers.h"
#include "model_survey.h"
#include "settings.h"
#include "worker.h"

namespace gpuopt_emu {

using surveys::Affine;
using surveys::How;
using surveys::Survey;

static std::atomic<unsigned long long> surveyed;

unsigned long long surveyed_blocks() { return surveyed.load(); }

static const unsigned FEWEST_THREADS = 16;  // with fewer it is quicker to look at each

// One for each OS thread.
static SurveyWork &own_work() {
  static __thread SurveyWork *work = nullptr;
  if (!work) work = new SurveyWork();
  return *work;
}

void whole_block(const Block *block, surveys::Box *box) {
  const int size[] = {(int)block->size.x, (int)block->size.y, (int)block->size.z};
  for (int d = 0; d < surveys::BLOCKS; ++d) box->low[d] = 0, box->high[d] = size[d] - 1;
}

surveys::Box whole_grid(const Block *block) {
  surveys::Box box;
  whole_block(block, &box);
  const unsigned size[] = {block->grid_size.x, block->grid_size.y, block->grid_size.z};
  for (int d = 0; d < 3; ++d) box.low[surveys::BLOCKS + d] = 0, box.high[surveys::BLOCKS + d] = (int)size[d] - 1;
  return box;
}

void begin_survey(Block *block, Survey *survey, Survey::Stage stage, const surveys::Box &box, void *work) {
  *survey = Survey();
  survey->stage = stage;
  survey->box = box;
  survey->few_blocks = true;
  for (int d = surveys::BLOCKS; d < surveys::AXES; ++d) survey->few_blocks &= stage == Survey::BLOCK || box.high[d] < 1024;
  memset(survey->scopes, 0, sizeof survey->scopes);
  survey->scopes[0] = survey->last_scope = 1;
  survey->depth = survey->unsure = survey->loops = 0;
  survey->failed = false;
  survey->axis = 0;
  survey->at(nullptr);
  survey->block = block;
  survey->work = work;
  surveys::forget_layers();
  surveys::surveying = survey;
}

bool cut_part(const Survey &survey, const surveys::Box &part, std::vector<surveys::Box> *parts) {
  const int axis = survey.axis;
  if (!axis) return false;
  const int from[] = {part.low[axis], survey.cuts[0], survey.cuts[1], part.high[axis] + 1};
  for (int i = 0; i < 3; ++i) {
    if (from[i] >= from[i + 1]) continue;
    parts->push_back(part);
    parts->back().low[axis] = from[i], parts->back().high[axis] = from[i + 1] - 1;
  }
  return true;
}

// A survey of the threads in the box.
static void begin(Block *block, Survey *survey, SurveyWork &work, Survey::Stage stage, const surveys::Box &box) {
  work.block = block;
  work.check = block->check;
  work.marked.clear();
  for (Batch &batch : work.batches) batch.turns = 0;
  work.rows.turns = 0;
  begin_survey(block, survey, stage, box, &work);
}

// What the survey has told of shared memory is forgotten again.
static void forget(Block *block, SurveyWork &work) {
  for (const Marked &one : work.marked) set_range(one.bits, one.first, one.count, false);
  work.marked.clear();
  check_block(block);  // what was remembered of it is now before what comes
}

static Surveyed run_fast(Block *block, SurveyWork &work, const void *closure) {
  const More *more = block->check->more;
  work.done_grid = more->grid, work.done_block = more->block;
  surveyed.fetch_add(1, std::memory_order_relaxed);
  block->exact = false;
  block->grid->fast(closure);
  return Surveyed::done;
}

// Surveys of grids are made by one OS thread at a time; the others wait.
static std::mutex grid_survey;
struct Past {
  unsigned vain;  // how often the kernel's grids could not be surveyed
  bool cutting;   // what could be, was cut wherever that makes a condition clear
};
static std::unordered_map<const Kernel *, Past> *past;
// What races grids have whose accesses are as they should be otherwise, by launch. Some of the last ones are kept.
struct Races {
  std::vector<Race> all;
  bool alike;  // in each block
};
static std::map<unsigned long long, Races> *races;
static const size_t MOST_KEPT = 16;

// From the whole grid on.
static Surveyed restart_grid(Block *block, Survey *survey, SurveyWork &work, bool cutting) {
  const surveys::Box box = whole_grid(block);
  work.footprints.clear();
  work.parts.clear();
  work.tried_parts = 0;
  work.cutting = cutting;
  work.unclear = false;
  begin(block, survey, work, Survey::GRID, box);
  work.parts.push_back(box);
  return Surveyed::again;
}

static Surveyed begin_grid(Block *block, Survey *survey, SurveyWork &work) {
  Grid *const grid = block->grid;
  grid_survey.lock();
  if (!past) past = new std::unordered_map<const Kernel *, Past>;
  Past &before = (*past)[grid->kernel];
  if (grid->surveyed != 0 || (before.vain > 2 && ++before.vain % 16)) {
    if (!grid->surveyed) grid->surveyed = -1;
    grid_survey.unlock();
    return Surveyed::threads;
  }
  return restart_grid(block, survey, work, before.cutting);
}

// The part has been told. True: there is another one.
static bool next_part(Block *block, Survey *survey, SurveyWork &work) {
  const surveys::Box part = work.parts.back();
  work.parts.pop_back();
  if (!survey->failed && !apply_all(work)) survey->fail();
  if (survey->failed || (work.cutting && survey->axis)) {
    if (++work.tried_parts > MOST_GRID_PARTS || !cut_part(*survey, part, &work.parts)) return survey->fail(), false;
    survey->failed = false;
    work.footprints.drop_part();
  } else {
    work.unclear |= survey->axis != 0;
  }
  if (work.parts.empty()) return false;
  forget(block, work);
  work.footprints.begin_part();
  begin(block, survey, work, Survey::GRID, work.parts.back());
  return true;
}

static Surveyed end_grid(Block *block, Survey *survey, SurveyWork &work) {
  if (next_part(block, survey, work)) return Surveyed::again;
  const bool told = !survey->failed && work.parts.empty();
  const Judgement found = told ? work.footprints.judge(whole_grid(block)) : Judgement::unclear;
  forget(block, work);
  // Threads that some condition keeps from it may be what is not in order.
  if (told && found != Judgement::sound && work.unclear) return restart_grid(block, survey, work, true);
  surveys::surveying = nullptr;
  Past &before = (*past)[block->grid->kernel];
  before.vain = found != Judgement::unclear ? 0 : before.vain + 1;
  before.cutting = found != Judgement::unclear && work.cutting;
  if (found == Judgement::races) {
    if (!races) races = new std::map<unsigned long long, Races>;
    if (races->size() == MOST_KEPT) races->erase(races->begin());
    (*races)[block->grid->number] = Races{work.footprints.races(), work.footprints.alike()};
  }
  block->grid->surveyed = found == Judgement::sound ? 1 : found == Judgement::races ? 2 : -1;
  grid_survey.unlock();
  return Surveyed::threads;
}

// Whether all has been told that may be found where one side comes after the other one. `seen`: a block has shown which of
// them come after each other at all, and what is open is only whether stores change something.
static bool is_told(const Race::Side &one, const Race::Side &earlier, bool seen) {
  if (one.how == surveys::READ && earlier.how == surveys::READ) return true;
  if (one.how == surveys::UPDATE && earlier.how == surveys::UPDATE) return true;
  const bool race = told("race-global", one.place, earlier.place);
  if (one.how != surveys::WRITE) return race || seen;
  const bool same = told("race-same-value", one.place, earlier.place);
  return race == same && (race || seen);
}

// A grid that has nothing but races may go on in its fast form when its first blocks have shown all that they can be.
static void look_at_races(Grid &grid) {
  std::lock_guard<std::mutex> lock(grid_survey);
  const auto found = races->find(grid.number);
  if (found == races->end()) return;
  const bool seen = found->second.alike && grid.finished.load() > 0;
  for (const Race &race : found->second.all)
    if (!is_told(race.sides[0], race.sides[1], seen) || !is_told(race.sides[1], race.sides[0], seen)) return;
  races->erase(found);
  grid.surveyed = 1;
}

static bool begin_block(Block *block, Survey *survey, SurveyWork &work) {
  if (block->threads < FEWEST_THREADS || block->check->flags) return false;
  const More *more = block->check->more;
  if (work.grid != more->grid) work.grid = more->grid, work.tries = work.fails = 0;
  if (work.tries >= 4 && 2 * work.fails > work.tries) return false;
  ++work.tries;
  surveys::Box box;
  whole_block(block, &box);
  const unsigned at[] = {block->index.x, block->index.y, block->index.z};
  for (int d = 0; d < 3; ++d) box.low[surveys::BLOCKS + d] = box.high[surveys::BLOCKS + d] = (int)at[d];
  begin(block, survey, work, Survey::BLOCK, box);
  return true;
}

Surveyed next_survey(Block *block, Survey *survey, const void *closure) {
  if (modelling) return next_model_survey(block, survey);
  SurveyWork &work = own_work();
  if (survey->stage == Survey::BLOCK) {
    surveys::surveying = nullptr;
    if (!survey->failed && apply_all(work)) return run_fast(block, work, closure);
    ++work.fails;
    forget(block, work);
    return Surveyed::threads;
  }
  if (survey->stage == Survey::START) {
    if (!checking || !settings().surveys || block->started || !block->grid->fast || block->cluster) return Surveyed::threads;
    const More *more = block->check->more;
    if (work.done_grid == more->grid && work.done_block == more->block) return Surveyed::threads;  // it faulted
    if (!block->grid->surveyed && begin_grid(block, survey, work) == Surveyed::again) return Surveyed::again;
  } else if (end_grid(block, survey, work) == Surveyed::again) {
    return Surveyed::again;
  }
  if (block->grid->surveyed == 2) look_at_races(*block->grid);
  if (block->grid->surveyed == 1) return run_fast(block, work, closure);
  if (block->grid->surveyed == 2) return Surveyed::threads;
  return begin_block(block, survey, work) ? Surveyed::again : Surveyed::threads;
}

void Survey::barrier() {
  if (modelling) return;
  SurveyWork &work = *static_cast<SurveyWork *>(this->work);
  surveys::Box all = box;
  whole_block(block, &all);
  if (depth || memcmp(&all, &box, sizeof all) != 0) fail();
  if (failed) return;
  if (!apply_all(work)) return fail();
  new_epoch(block, true);
}

}  // namespace gpuopt_emu
