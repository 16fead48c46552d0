#include "model_schedule.h"

#include <algorithm>

#include "model_settings.h"

namespace gpuopt_emu {

static const unsigned ACTIVE_WARPS = 8;       // of a two-level scheduler's inner level
static const double BASE_SCORE = 100;         // of every warp (CCWS)
static const double THROTTLE = 8;             // K_throttle (CCWS)

// The next ready slot after the last one, among those that `may` accepts.
template <class May> static int in_turn(const Scheduler &s, May may) {
  const size_t n = s.slots.size();
  for (size_t k = 1; k <= n; ++k) {
    const size_t slot = (s.last + k) % n;
    if (is_ready(s, slot) && may(slot)) return (int)slot;
  }
  return -1;
}

// The warp issued from last while it is ready, then the oldest.
template <class May> static int greedy(const Scheduler &s, May may) {
  if (s.last < s.slots.size() && is_ready(s, s.last) && may(s.last)) return (int)s.last;
  int best = -1;
  uint64_t oldest = ~0ull;
  for (size_t slot = 0; slot < s.slots.size(); ++slot)
    if (is_ready(s, slot) && s.slots.age(slot) < oldest && may(slot)) best = (int)slot, oldest = s.slots.age(slot);
  return best;
}

// Groups of a few warps: those of the group at work take turns; only when none can go on the next group does.
static int two_level(const Scheduler &s) {
  const size_t n = s.slots.size(), groups = (n + ACTIVE_WARPS - 1) / ACTIVE_WARPS, at = s.last / ACTIVE_WARPS;
  for (size_t k = 0; k < groups; ++k) {
    const size_t group = (at + k) % groups;
    const int slot = in_turn(s, [=](size_t i) { return i / ACTIVE_WARPS == group; });
    if (slot >= 0) return slot;
  }
  return -1;
}

// What a slot's warp does next, if that is known, is no load.
static bool loads_nothing(const Scheduler &s, size_t slot) {
  const ModelWarp *warp = s.slots.warp(slot);
  if (warp->at_window_end()) return false;
  const WarpInstruction &next = instruction_at(&warp->words[warp->taken]).what;
  return writes(next.kind) || next.space == Space::nothing || next.space == Space::shared;
}

// The warps that may load, by scores from the highest down to the one whose sum reaches that of all base scores.
static int cache_conscious(Scheduler &s) {
  size_t live = 0;
  for (size_t i = 0; i < s.slots.size(); ++i) {
    ModelWarp *warp = s.slots.warp(i);
    if (!warp) continue;
    ++live;
    if (s.now > warp->scored) {
      warp->score = std::max(0.0, warp->score - (double)(s.now - warp->scored));
      warp->scored = s.now;
    }
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < s.slots.size(); ++i)
    if (s.slots.warp(i) && s.slots.ready(i) != NEVER) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return s.slots.warp(a)->score != s.slots.warp(b)->score ? s.slots.warp(a)->score > s.slots.warp(b)->score
                                                  : s.slots.warp(a)->age < s.slots.warp(b)->age;
  });
  const double most = BASE_SCORE * (double)live;
  double sum = 0;
  std::vector<char> may(s.slots.size(), 0);
  for (const size_t i : order) {
    sum += BASE_SCORE + s.slots.warp(i)->score;
    may[i] = 1;
    if (sum >= most) break;
  }
  const int slot = greedy(s, [&](size_t i) { return may[i] != 0; });
  if (slot >= 0) return slot;
  return greedy(s, [&](size_t i) { return loads_nothing(s, i); });
}

// The oldest warps, as many as a group has, go first, in turns; the others when none of these is ready, but load nothing:
// the number of warps that do is limited, so that what they load stays in L1.
static int by_groups(const Scheduler &s, unsigned size) {
  std::vector<uint64_t> ages;
  for (size_t i = 0; i < s.slots.size(); ++i)
    if (s.slots.warp(i) && s.slots.ready(i) != NEVER) ages.push_back(s.slots.warp(i)->age);  // neither ended nor at a barrier
  if (ages.empty()) return -1;
  const size_t count = std::min((size_t)std::max(size, 1u), ages.size());
  std::nth_element(ages.begin(), ages.begin() + (long)(count - 1), ages.end());
  const uint64_t limit = ages[count - 1];
  const int slot = in_turn(s, [&](size_t i) { return s.slots.warp(i)->age <= limit; });
  return slot >= 0 ? slot : greedy(s, [&](size_t i) { return loads_nothing(s, i); });
}

int pick_among(Scheduler &scheduler, const Policy &policy) {
  switch (policy.issue) {
    case Issue::round_robin: return in_turn(scheduler, [](size_t) { return true; });
    case Issue::two_level: return two_level(scheduler);
    case Issue::ccws: return cache_conscious(scheduler);
    default: return by_groups(scheduler, policy.group);
  }
}

void LostLocality::lost(const void *owner, uint32_t tag) {
  if (!owner) return;
  ModelWarp *warp = static_cast<ModelWarp *>(const_cast<void *>(owner));
  if (warp->victims.size() >= model_settings().victims) warp->victims.erase(warp->victims.begin());
  warp->victims.push_back(tag);
}

void LostLocality::missed(ModelWarp *warp, uint32_t tag) {
  const auto found = std::find(warp->victims.begin(), warp->victims.end(), tag);
  if (found == warp->victims.end()) return;
  warp->victims.erase(found);
  ++found_again;
  // The paper's equation 1: hits among lost lines per instruction, times K_throttle and the sum of all base scores.
  const double cutoff = BASE_SCORE * (double)sm->warps / (double)sm->schedulers();
  warp->score = std::max(warp->score, (double)found_again / (double)std::max<uint64_t>(sm->issued, 1) * THROTTLE * cutoff);
}

}  // namespace gpuopt_emu
