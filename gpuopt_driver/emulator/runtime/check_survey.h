// The accesses of a block's threads as a survey tells them: written into the shadow for many cells at a time.
#ifndef GPUOPT_EMU_CHECK_SURVEY_H
#define GPUOPT_EMU_CHECK_SURVEY_H

#include <vector>

#include "check_block.h"
#include "check_footprints.h"
#include "gpuopt_emu/survey.h"

namespace gpuopt_emu {

// Accesses at `at + by * thread + step * turn`, by `threads` along each axis from `low` on, in so many turns of a loop.
struct Batch {
  uintptr_t at;
  long long by[3];
  int threads[3], low[3];
  unsigned bytes;
  surveys::How how;
  const Spot *place;
  unsigned ordinal;  // of the place's accesses
  long long step;
  unsigned turns;  // 0: none
  bool done;       // it is in the shadow already
};

// Bits of the shadow that a survey has set.
struct Marked {
  unsigned char *bits;
  size_t first, count;
};

struct SurveyWork {
  enum { BATCHES = 32, WAYS = 4 };  // a batch is one of WAYS neighbours
  Block *block;
  BlockCheck *check;
  Batch batches[BATCHES];
  bool ending;            // the epoch ends: shared memory that is read now need not be remembered as such
  Batch rows;             // the last of this epoch that was read in whole rows
  unsigned next;          // which of the neighbours is given up
  std::vector<Marked> marked;
  Footprints footprints;              // of the whole grid
  std::vector<surveys::Box> parts;    // of it that are left
  unsigned tried_parts;
  bool cutting;           // parts are cut wherever a condition is not clear in them,
  bool unclear;           // and they could be
  uint32_t grid;          // where surveys were tried last,
  unsigned tries, fails;  // how often, and how often in vain
  uint32_t done_block;    // the block that was surveyed last, and run,
  uint32_t done_grid;
};

// What every survey begins with: of the threads in `box`.
constexpr unsigned MOST_GRID_PARTS = 96;  // that a grid is cut into
void whole_block(const Block *block, surveys::Box *box);
surveys::Box whole_grid(const Block *block);
void begin_survey(Block *block, surveys::Survey *survey, surveys::Survey::Stage stage, const surveys::Box &box, void *work);
// Adds the pieces of a part of the grid in which the survey would be sure; false: it knows of none.
bool cut_part(const surveys::Survey &survey, const surveys::Box &part, std::vector<surveys::Box> *parts);

bool apply(SurveyWork &work, const Batch &batch);  // false: a closer look is needed
bool apply_all(SurveyWork &work);
void new_epoch(Block *block, bool surveyed);  // in a survey, nothing is known of single threads

}  // namespace gpuopt_emu

#endif
