// One multiprocessor: warps in slots, shared out to schedulers that issue one instruction at a time.
#ifndef GPUOPT_EMU_MODEL_SM_H
#define GPUOPT_EMU_MODEL_SM_H

#include "model_l1.h"
#include "model_settings.h"
#include "model_slots.h"
#include "model_smm.h"

namespace gpuopt_emu {

struct Scheduler {
  unsigned number;
  uint64_t now;   // it is free
  uint64_t waited;  // since when it waits for a warp, seen before its turn to wait came, and 1 more; 0: it does not
  unsigned last;  // slot that it issued from
  int only;       // slot that alone is ready when it is its turn; -1: that is not known
  unsigned used;  // slots
  Slots slots;
};

constexpr uint64_t WINDOW = 256;  // cycles in which multiprocessors do not see each other
constexpr uint64_t MOST_AHEAD = 32 * WINDOW;

struct Policy {
  Issue issue;
  unsigned group;  // warps of high priority, of one scheduler
};

// What a multiprocessor tells the launch.
class BlockEvents {
 public:
  virtual ~BlockEvents() = default;
  virtual void ended(ModelBlock *block, uint64_t now) = 0;
};

class Multiprocessor {
 public:
  void set_up(unsigned number, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device, BlockEvents *events);
  void add(ModelBlock *block, uint64_t now);
  void remove(ModelBlock *block, uint64_t now);
  // All that begins before then, and beyond what concerns this multiprocessor alone (begins_alone()).
  void run(uint64_t until);
  // So many multiprocessors take turns that each finds its state in memory again: what run() will look at first is
  // fetched while others run, in three steps.
  struct Soon {  // warps that will do something
    std::vector<const ModelWarp *> warps;  // the first `count`
    size_t count = 0;
  };
  void fetch_slots() const;
  void fetch_warps(uint64_t until, Soon *soon) const;
  void fetch_queues(const Soon &soon) const;
  void fetch_tags(const Soon &soon) const;
  uint64_t next() const;       // when something will happen
  void advance(uint64_t to);   // counts how many warps there were until then
  size_t schedulers() const { return schedulers_.size(); }

  unsigned number = 0, blocks = 0, warps = 0;
  Policy policy = {Issue::oldest, 0};
  bool goes_ahead = true;  // it does at once what can be known in advance: the outcome is the same
  SharedTable shared;
  uint64_t next_turn = 0;       // until then run() does nothing
  uint64_t issued_windows = 0;  // in which the last run() issued something: a bit for each, by their numbers modulo 64
  uint64_t counted_to = 0, busy_cycles = 0, warp_cycles = 0, issued = 0, ended = 0;
  MemoryPath memory;

 private:
  bool turns_away(Scheduler &scheduler, unsigned slot, bool behind);
  void wait_for(Scheduler &scheduler, uint64_t next) const;
  void look_ahead(Scheduler &scheduler) const;
  void take_wait_back(Scheduler &scheduler) const;
  void count_window(uint64_t *issued_before);
  bool ends_window(uint64_t soonest, uint64_t until, uint64_t *issued_before);
  bool is_alone(const WarpInstruction &what, const ModelWarp &warp, Parts parts);
  bool begins_alone(const ModelWarp &warp);
  bool issue(Scheduler &scheduler, unsigned slot, bool alone);
  bool issue_other(Scheduler &scheduler, unsigned slot, const NextInstruction &next, Parts parts, bool alone) __attribute__((noinline));
  void look_at(const WarpInstruction &instruction, Issuing *how) const;
  void reads(ModelWarp *warp, const WarpInstruction &instruction, uint64_t begins, uint64_t done) const;
  void goes_on(Scheduler &scheduler, unsigned slot, ModelWarp *warp, const WarpInstruction &instruction, uint64_t ready);
  void issue_computing(Scheduler &scheduler, unsigned slot, const WarpInstruction &instruction);
  unsigned compute(ModelWarp *warp, const WarpInstruction &instruction);
  bool begins_window(Scheduler &scheduler, unsigned slot, ModelWarp *warp);
  void drained(Scheduler &scheduler, unsigned slot);
  void count_arrivals(ModelBlock *block, uint64_t now);
  void open_barriers(ModelBlock *block, uint64_t now);
  bool serve(ModelBlock *block);
  void serve_others(uint64_t now);
  void set_ready(const ModelWarp *warp, uint64_t when);

  const ModelFigures *figures_ = nullptr;
  BlockEvents *events_ = nullptr;
  uint64_t runs_until_ = 0;
  uint64_t turn_at_ = 0;  // whose turn it was when a warp had nothing left to do
  unsigned turn_of_ = 0;
  unsigned issue_cycles_ = 1, loads_in_flight_ = 1;
  double each_ = 1;  // cycles of an arithmetic instruction of a warp
  std::vector<Scheduler> schedulers_;
  std::vector<ModelBlock *> wanting_;  // wait at a barrier for shared memory, the first first
};

}  // namespace gpuopt_emu

#endif
