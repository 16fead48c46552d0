#include "model_barrier_work.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model_work.h"
#include "trace.h"

namespace gpuopt_emu {

namespace {
// A barrier, for warps that come from one access.
struct BarrierWork {
  unsigned in_front;  // arithmetic instructions
  unsigned access;    // number of that
};
}  // namespace

static const unsigned MOST_WORK = 0xffff;
static std::vector<BarrierWork> works;
static std::vector<unsigned> work_since;  // by access: up to the next one, when a warp came past barriers to that last
static std::map<std::pair<const void *, const void *>, unsigned> barrier_numbers;  // by the codes of access and barrier
static std::map<const void *, unsigned> access_numbers;

void forget_barriers() {
  works.clear();
  work_since.clear();
  barrier_numbers.clear();
  access_numbers.clear();
}

static unsigned number_of_barrier(const void *access, const void *barrier) {
  const auto made = barrier_numbers.emplace(std::make_pair(access, barrier), (unsigned)works.size());
  if (made.second) {
    const WorkBetween work = work_between(access, barrier);
    const auto from = access_numbers.emplace(access, (unsigned)work_since.size());
    if (from.second) work_since.push_back(MOST_WORK);
    works.push_back(BarrierWork{work.known ? work.instructions : 0, from.first->second});
  }
  return made.first->second;
}

// Where all of the warp's lanes that have not ended wait for others; null: at several places, or that is not known.
static const void *barrier_of(const ModelWarp *warp) {
  const void *at = nullptr;
  for (unsigned i = 0; i < warp->count; ++i) {
    const Lane *lane = warp->lanes[i];
    if (lane->state == LaneState::done) continue;
    if (!lane->barrier_at || (at && lane->barrier_at != at)) return nullptr;
    at = lane->barrier_at;
  }
  return at;
}

void come_to_barrier(ModelWarp *warp) {
  if (warp->at_barrier || tracing) return;  // traces tell of work with the access behind it
  warp->at_barrier = true;
  const void *const at = barrier_of(warp);
  if (!at) return;
  const unsigned number = number_of_barrier(warp->last_pc, at);
  if (number >= MOST_WORK) return;
  WarpInstruction work = {};
  work.space = Space::nothing;
  work.passes = COMPUTES_AHEAD;
  work.source = number;
  work.before = (uint16_t)std::min(warp->work_before + works[number].in_front, MOST_WORK);
  warp->barrier = works[number].access + 1;
  if (!work.before) return;
  uint64_t words[MOST_WORDS_OF_WORK];
  uint16_t recent = 0;
  warp->queue.insert(warp->queue.end(), words, put_instruction(work, &recent, words));
}

uint64_t *put_work_behind(const WarpInstruction &next, unsigned before, uint64_t *to) {
  WarpInstruction work = {};
  work.space = Space::nothing;
  work.passes = COMPUTES_REST;
  work.source = next.source;
  work.before = next.before;
  work.lanes = next.lanes;
  work.flops = (uint16_t)(before - 1);
  uint16_t recent = 0;
  return put_instruction(work, &recent, to);
}

unsigned work_in_front(const WarpInstruction &instruction, unsigned ahead) {
  const unsigned wanted = std::min((unsigned)instruction.before, work_since[works[instruction.source].access]);
  return wanted > ahead ? wanted - ahead : 0;
}

unsigned work_behind(const WarpInstruction &instruction, unsigned ahead) {
  work_since[instruction.flops] = instruction.before;
  return instruction.before > ahead ? instruction.before - ahead : 0;
}

}  // namespace gpuopt_emu
