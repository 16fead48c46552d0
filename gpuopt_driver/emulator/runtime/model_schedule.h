// Which warp a scheduler issues from.
#ifndef GPUOPT_EMU_MODEL_SCHEDULE_H
#define GPUOPT_EMU_MODEL_SCHEDULE_H

#include "model_sm.h"

namespace gpuopt_emu {

inline bool is_ready(const Scheduler &s, size_t slot) { return s.slots.ready(slot) <= s.now; }

int pick_among(Scheduler &scheduler, const Policy &policy);  // by those policies that look at warps one by one

// The slot to issue from at scheduler.now; -1 where no warp may go on. `behind`: L1 has much to do.
GPUOPT_EMU_INLINED int pick_warp(Scheduler &s, const Policy &policy, bool behind) {
  const bool last = s.last < s.slots.size() && is_ready(s, s.last);
  // The warp issued from last while it is ready, then the one that has waited longest; of those the youngest.
  if (policy.issue == Issue::longest && !behind)
    return last && s.slots.since(s.last) == s.slots.ready(s.last) ? (int)s.last : s.slots.longest(s.now);
  // The same, then the oldest.
  if (policy.issue == Issue::oldest || policy.issue == Issue::longest) return last ? (int)s.last : s.slots.oldest(s.now);
  return pick_among(s, policy);
}

// Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012): each warp remembers the lines it lost; missing one
// of them raises its score, and warps beyond the sum of all base scores may not load until scores have decayed, by one
// point per cycle. One for each multiprocessor.
class LostLocality : public LineWatcher {
 public:
  void lost(const void *owner, uint32_t tag) override;
  void missed(ModelWarp *warp, uint32_t tag) override;

  const Multiprocessor *sm = nullptr;
  uint64_t found_again = 0;
};

}  // namespace gpuopt_emu

#endif
