// The memory side of one multiprocessor: L1, shared memory, constants, and the way to L2.
#ifndef GPUOPT_EMU_MODEL_L1_H
#define GPUOPT_EMU_MODEL_L1_H

#include "model_memory.h"
#include "model_pairs.h"
#include "model_window.h"

namespace gpuopt_emu {

struct ModelWarp;

constexpr unsigned FETCHED = 4;  // lines of an instruction whose tags are fetched before it is its turn
constexpr uint64_t BEHIND = 64;  // cycles; the launches tried on an H200 do not tell 64 from 160

// Told which lines warps lose, and which they miss, by their tags.
class LineWatcher {
 public:
  virtual ~LineWatcher() = default;
  virtual void lost(const void *owner, uint32_t tag) = 0;
  virtual void missed(ModelWarp *warp, uint32_t tag) = 0;
};

class MemoryPath {
 public:
  void set_up(unsigned number, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device);
  // When the results of an instruction that begins now, and is no plain load, are there; of a load.
  uint64_t access(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters);
  uint64_t load(const WarpInstruction &instruction, Parts parts, uint64_t now);
  // The same of most loads, in steps: whether all that the load asks for is where it is found; L1's cycles.
  struct Found {
    int at;    // where the line is, or what several are known as; -1: it is not known
    bool all;  // L1 has, or waits for, all that the load asks for
  };
  bool is_simple(const WarpInstruction &load) const;
  Found look_for(const WarpInstruction &load, const ModelWarp &warp, Parts parts) const;
  uint64_t load_simply(const WarpInstruction &instruction, Found found, Parts parts, bool first_out, uint64_t start);
  double lookup_cycles(unsigned sectors, unsigned count) const;
  uint64_t take_l1(double cycles, uint64_t now);
  // Whether as many of the scheduler's instructions as can wait do so, and when there will be room for one more.
  // `behind`: is_behind(now).
  bool is_full(unsigned scheduler, uint64_t now, bool behind, uint64_t *until) {
    if (!behind && !own_.empty()) {
      *until = own_[scheduler].last();
      return *until > now;  // those who have waited longest come first
    }
    *until = all_.last();
    if (*until <= now) return false;
    turned_away_ += turned_away_ + 1 < all_.most;
    const unsigned at = all_.next + (turned_away_ ? turned_away_ - 1 : 0);
    *until = all_.begins[at < all_.most ? at : at - all_.most];
    return true;
  }
  // Whether each scheduler has instructions of its own that wait, and those who have waited longest come first.
  bool serves_in_turns() const { return !own_.empty(); }
  // Whether L1 has so much to do that warps are no longer served in turns.
  bool is_behind(uint64_t now) const { return l1_free_ > (double)(int64_t)(now + BEHIND); }
  bool has_all(const WarpInstruction &load, const ModelWarp &warp, Parts parts);
  bool has_lines(Parts parts, unsigned count) __attribute__((noinline));
  void fetch_tags(Parts parts, unsigned count) const {
    if (!has_l1_ || !count) return;
    l1_.fetch_early(line_of(parts[0]));
    for (unsigned i = 1; i < count; ++i) l1_.fetch_early(line_of(parts[i]));
  }

  double l1_busy = 0, shared_busy = 0;  // cycles
  LineWatcher *watcher = nullptr;
  ModelWarp *who = nullptr;  // accesses
  unsigned from = 0;         // scheduler

 private:
  uint64_t load_lacking(const WarpInstruction &instruction, Parts parts, uint64_t start) __attribute__((noinline));
  uint64_t load_lines(const WarpInstruction &instruction, Parts parts, unsigned sectors, uint64_t start, Counters &counters) __attribute__((noinline));
  void store(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters);
  uint64_t update(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters);
  uint64_t load_part(const OperatorFigures &with, Part part, int at, uint64_t now, Counters &counters);
  uint64_t hit(int at, unsigned sectors, bool first_out, uint64_t now);
  uint64_t miss(const OperatorFigures &with, uint64_t line, unsigned missing, int at, bool touched, uint64_t now, Counters &counters);
  void fetch_lacking(Parts parts, uint64_t which) const;
  int known_as(const WarpInstruction &load, const ModelWarp &warp, Parts parts) const;
  void remember(Parts parts, unsigned count, unsigned sectors) __attribute__((noinline));
  void drop(uint64_t line);
  void tell_owner(const Cache::Evicted &evicted, int at, const ModelWarp *warp);
  uint64_t when_it_can_miss(uint64_t now);
  uint64_t when_it_has_room(uint64_t line, uint64_t now);
  uint64_t fetch(uint64_t line, unsigned sectors, uint64_t now, Counters &counters);

  const ModelFigures *figures_ = nullptr;
  DeviceMemory *device_ = nullptr;
  Cache l1_;
  std::vector<const void *> owners_;
  // Of instructions that wait for L1.
  struct Queue {
    unsigned next, most;
    uint64_t begins[64];  // when the last lookups began; the first `most` are used
    uint64_t last() const { return begins[next]; }
    void add(uint64_t begin) {
      begins[next] = begin;
      next = next + 1 == most ? 0 : next + 1;
    }
  };
  Queue all_ = {};
  std::vector<Queue> own_;    // of the schedulers, where they have their own
  unsigned turned_away_ = 0;  // that will come again, one for each that begins
  std::vector<uint64_t> misses_;  // when the last lines asked for arrive, in turns
  size_t missed_ = 0;
  bool has_l1_ = false;
  std::unique_ptr<PairCaches> pairs_;
  unsigned group_ = 0;
  uint64_t l1_latency_ = 0;
  double sector_cost_ = 0;  // cycles of L1's data path
  double l1_free_ = 0, shared_free_ = 0, port_free_ = 0;
};

}  // namespace gpuopt_emu

#endif
