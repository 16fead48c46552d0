// Which warp a scheduler issues from.
#ifndef GPUOPT_EMU_MODEL_SCHEDULE_H
#define GPUOPT_EMU_MODEL_SCHEDULE_H

#include "model_sm.h"

namespace gpuopt_emu {

// The slot to issue from at scheduler.now; -1 where no warp may go on, and `*next` says when another one is ready.
// `behind`: L1 has much to do.
int pick_warp(Scheduler &scheduler, const Policy &policy, bool behind, uint64_t *next);

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
