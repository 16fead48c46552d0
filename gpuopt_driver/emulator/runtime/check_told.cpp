// What a survey tells of accesses, put together in batches.
#include "check_survey.h"
#include "model_survey.h"

namespace gpuopt_emu {

using surveys::Affine;
using surveys::How;
using surveys::Survey;

static uint64_t slot_of(const Batch &batch) {
  uint64_t hash = (uint64_t)(uintptr_t)batch.place + 64 * batch.ordinal + 4 * batch.bytes + (unsigned)batch.how;
  for (long long by : batch.by) hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull + (uint64_t)by;
  return ((hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull) >> 61;
}

// Whether the accesses are those of one place, but for where they begin.
static bool same(const Batch &a, const Batch &b) {
  long long differs = 0;
  for (int d = 0; d < 3; ++d) differs |= (a.by[d] ^ b.by[d]) | (a.threads[d] ^ b.threads[d]) | (a.low[d] ^ b.low[d]);
  return a.place == b.place && a.ordinal == b.ordinal && a.bytes == b.bytes && a.how == b.how && !differs;
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
  if (modelling) return model_survey_access(*this, how);
  const unsigned number = ordinal++;
  // The shadow remembers what has been done, and does not know of what may have been.
  if (unsure && stage == BLOCK) return fail();
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
  if (stage == GRID) {
    for (int d = BLOCKS; d < AXES; ++d) one.at += (uintptr_t)(address.by[d] * box.low[d]);
    const bool shared = one.at - work.check->shared < work.check->shared_bytes;
    if (!shared) {
      if (one.at & ((bytes & -bytes) - 1)) return fail();
      for (int d = 0; d < AXES; ++d)
        if (box.low[d] != box.high[d] && (uintptr_t)address.by[d] & ((bytes & -bytes) - 1)) return fail();
      if (!work.footprints.add(box, address, bytes, how, place, number, unsure != 0)) fail();
      return;
    }
    if (unsure && how != surveys::READ) return fail();
    for (int d = BLOCKS; d < AXES; ++d)
      if (address.by[d] && box.low[d] != box.high[d]) return fail();
  }
  one.bytes = bytes, one.how = how, one.place = place, one.ordinal = number;
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
