// A launch under the model: blocks are dealt out to multiprocessors, which all advance together, a window of time each.
#ifndef GPUOPT_EMU_MODEL_GRID_H
#define GPUOPT_EMU_MODEL_GRID_H

#include <vector>

#include "model_dispatch.h"
#include "model_launch.h"
#include "model_replay.h"
#include "model_sample.h"
#include "model_schedule.h"

namespace gpuopt_emu {

class ModelledLaunch : public BlockEvents {
 public:
  ModelledLaunch(Grid &grid, Worker &worker);
  ~ModelledLaunch();
  void run(ThreadLoop fast, bool all_lanes);
  void ended(ModelBlock *block, uint64_t now) override;

 private:
  void model_blocks(unsigned long long first, unsigned long long end);
  void advance();
  void deal(uint64_t now);
  void start(unsigned sm, unsigned long long number, uint64_t now);
  uint64_t next_event() const;
  void say_who_waits();
  LaunchResult result() const;

  Grid &grid_;
  Worker &worker_;
  const ModelFigures &figures_;
  Residency residency_;
  SharedParts parts_;
  BlockQueue queue_;
  UniformWarps uniform_;
  Replays replays_;
  std::vector<Multiprocessor> sms_;
  std::vector<ModelBlock *> live_, free_blocks_;
  std::vector<ModelWarp *> free_warps_, all_warps_;
  std::vector<Room *> free_rooms_;
  std::vector<LostLocality> locality_;  // by multiprocessor (CCWS)
  Timeline timeline_;
  Progress progress_;
  uint64_t ages_ = 0, cycles_ = 0, now_ = 0, block_cycles_ = 0, held_cycles_ = 0;
  unsigned long long modelled_ = 0;
};

}  // namespace gpuopt_emu

#endif
