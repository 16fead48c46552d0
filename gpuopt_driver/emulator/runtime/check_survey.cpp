// Surveys of blocks in check mode: a block whose accesses are all as they should be is run in its fast form.
//
// Nothing is ever reported from here. Whatever is not clearly in order makes the survey fail, and the block's threads are
// looked at one by one.
#include "check_survey.h"

#include <string.h>

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

bool begin_survey(Block *block, Survey *survey) {
  if (!checking || !settings().surveys || block->started || block->threads < FEWEST_THREADS || !block->grid->fast || block->cluster || block->check->flags) return false;
  SurveyWork &work = own_work();
  const More *more = block->check->more;
  if (work.done_grid == more->grid && work.done_block == more->block) return false;  // it faulted
  if (work.grid != more->grid) work.grid = more->grid, work.tries = work.fails = 0;
  if (work.tries >= 4 && 2 * work.fails > work.tries) return false;
  ++work.tries;
  work.block = block;
  work.check = block->check;
  work.marked.clear();
  for (Batch &batch : work.batches) batch.turns = 0;
  work.rows.turns = 0;
  survey->box = {{0, 0, 0}, {(int)block->size.x - 1, (int)block->size.y - 1, (int)block->size.z - 1}};
  survey->depth = 0;
  survey->failed = false;
  survey->place = nullptr;
  survey->block = block;
  survey->work = &work;
  surveys::surveying = survey;
  return true;
}

bool end_survey(Block *block, Survey *survey, const void *closure) {
  surveys::surveying = nullptr;
  SurveyWork &work = own_work();
  if (!survey->failed && apply_all(work)) {
    const More *more = block->check->more;
    work.done_grid = more->grid, work.done_block = more->block;
    surveyed.fetch_add(1, std::memory_order_relaxed);
    block->exact = false;
    block->grid->fast(closure);
    return true;
  }
  ++work.fails;
  for (const Marked &one : work.marked) set_range(one.bits, one.first, one.count, false);
  check_block(block);  // what was remembered of it is now before what comes
  return false;
}

void Survey::barrier() {
  SurveyWork &work = *static_cast<SurveyWork *>(this->work);
  const surveys::Box all = {{0, 0, 0}, {(int)block->size.x - 1, (int)block->size.y - 1, (int)block->size.z - 1}};
  if (memcmp(&all, &box, sizeof all) != 0) fail();
  if (failed) return;
  if (!apply_all(work)) return fail();
  new_epoch(block, true);
}

static uint64_t slot_of(const Batch &batch) {
  uint64_t hash = (uint64_t)(uintptr_t)batch.place / 8 + batch.bytes + 3 * (unsigned)batch.how;
  for (long long by : batch.by) hash = hash * 31 + (uint64_t)by;
  return (hash * 0x9e3779b97f4a7c15ull) >> 61;
}

// Whether the accesses are those of one place, but for where they begin.
static bool same(const Batch &a, const Batch &b) {
  long long differs = 0;
  for (int d = 0; d < 3; ++d) differs |= (a.by[d] ^ b.by[d]) | (a.threads[d] ^ b.threads[d]) | (a.low[d] ^ b.low[d]);
  return a.place == b.place && a.bytes == b.bytes && a.how == b.how && !differs;
}

// Whether the batch could take a read of that place in.
static bool joined(Batch &batch, const Batch &one) {
  const long long distance = (long long)(one.at - batch.at);
  if (batch.turns == 1) {
    if (!distance) return true;
    batch.step = distance;
    batch.turns = 2;
    return true;
  }
  if (distance == batch.step * (long long)batch.turns) {
    ++batch.turns;
    return true;
  }
  return distance % batch.step == 0 && distance / batch.step >= 0 && distance / batch.step < (long long)batch.turns;
}

// Has the processor fetch what will be looked at: the shadow is four times as large as the memory, and rows are far apart.
static void fetch(const Batch &batch) {
  const Region &region = regions[batch.at < ADDRESS_LIMIT ? batch.at >> REGION_SHIFT : 0];
  if (!region.cells) return;
  const Cell *const first = region.cells + (batch.at & REGION_MASK) / 4;
  const long long bytes = batch.by[0] == batch.bytes ? batch.by[0] * batch.threads[0] : batch.bytes;
  const int rows = batch.by[1] && batch.by[1] % 4 == 0 ? batch.threads[1] : 1;
  for (int y = 0; y < rows && y < 16; ++y)
    for (long long at = 0; at < bytes && at < 256; at += 16) __builtin_prefetch(first + (batch.by[1] * y + at) / 4, 1);
}

void Survey::access(const Affine &address, unsigned bytes, How how) {
  if (failed) return;
  SurveyWork &work = *static_cast<SurveyWork *>(this->work);
  Batch one;
  one.at = (uintptr_t)address.at;
  uintptr_t odd = 0;
  for (int d = 0; d < 3; ++d) {
    one.low[d] = box.low[d];
    one.threads[d] = box.high[d] - box.low[d] + 1;
    one.by[d] = one.threads[d] > 1 ? address.by[d] : 0;
    one.at += (uintptr_t)(address.by[d] * box.low[d]);
    odd |= (uintptr_t)one.by[d];
  }
  one.bytes = bytes, one.how = how, one.place = place;
  one.step = 0, one.turns = 1;
  if (((odd | one.at) & (bytes - 1)) || (bytes != 4 && bytes != 8 && bytes != 16)) return fail();
  one.done = how != surveys::READ;  // what stores bring about must be seen by the reads that follow
  Batch *const ways = work.batches + slot_of(one) * SurveyWork::WAYS, *free = nullptr;
  for (Batch *batch = ways; batch < ways + SurveyWork::WAYS; ++batch) {
    if (!batch->turns) {
      if (!free) free = batch;
    } else if (same(*batch, one)) {
      if (one.done ? batch->at == one.at : joined(*batch, one)) return;
      if (!free || free->turns) free = batch;
    }
  }
  if (!free) free = ways + work.next++ % SurveyWork::WAYS;
  if ((free->turns && !free->done && !apply(work, *free)) || (one.done && !apply(work, one))) fail();
  *free = one;
  if (!one.done) fetch(one);
}

}  // namespace gpuopt_emu
