// What lies behind L1: L2 and DRAM of the device, with how long they take.
#ifndef GPUOPT_EMU_MODEL_MEMORY_H
#define GPUOPT_EMU_MODEL_MEMORY_H

#include "model_cache.h"
#include "model_sites.h"

namespace gpuopt_emu {

// A resource of a fixed rate that many use at once. What exceeds the rate in one window of time delays what comes in
// the next ones.
class Throughput {
 public:
  explicit Throughput(double per_cycle = 1) : per_cycle_(per_cycle) {}
  void use(double amount) { used_ += amount, total_ += amount; }
  double delay() const { return delay_; }  // cycles
  double busy() const { return total_ / per_cycle_; }
  void advance(double cycles) {
    delay_ += used_ / per_cycle_ - cycles;
    if (delay_ < 0) delay_ = 0;
    used_ = 0;
  }

 private:
  double per_cycle_, used_ = 0, total_ = 0, delay_ = 0;
};

class DeviceMemory {
 public:
  void set_up(const ModelFigures &figures, size_t l2_bytes, bool keep);
  // The sectors of a line; when they are there, in cycles from now on.
  // `group`: of multiprocessors that merge requests for what is on its way already.
  double read(uint64_t line, unsigned sectors, unsigned group, uint64_t now, Counters &counters);
  void write(uint64_t line, unsigned sectors, unsigned full, unsigned group, Counters &counters);
  double update(uint64_t line, unsigned sectors, unsigned lanes, Counters &counters);  // atomic operations
  void fetch_tags(uint64_t line, unsigned group) const {  // for read()
    if (has_l2_) l2_[part_of(group)].fetch_early(line);
    if (has_l2_ && parts_ == 2) l2_[home_of(line)].fetch_early(line);
    if (!ways_.empty()) fetch_early(&ways_[way_of(line, group)]);
  }
  void advance(double cycles);

  Throughput l2_rate, dram_rate;

 private:
  static const size_t WAYS = 4096;
  struct Way {  // of a line to one group
    uint64_t line, arrives;
    unsigned sectors, takers;
  };
  static size_t way_of(uint64_t line, unsigned group) { return group * WAYS + (line ^ line >> 12) % WAYS; }
  // Of an L2 in two parts a line has its home in one of them; loads from the other one leave a copy there.
  unsigned home_of(uint64_t line) const { return parts_ == 1 ? 0 : slices_.of(line) & 1; }
  unsigned part_of(unsigned group) const { return parts_of_groups_[group]; }
  double fetch(uint64_t line, unsigned sectors, unsigned part, Counters &counters);
  double fetch_far(uint64_t line, unsigned sectors, unsigned part, Counters &counters);
  unsigned bring(Cache &l2, uint64_t line, unsigned sectors, Counters &counters);
  unsigned with_neighbours(unsigned sectors) const;
  int place(Cache &l2, uint64_t line, Rank rank, Counters &counters);
  int copy_of(uint64_t line, unsigned part, Counters &counters);
  void use_slice(uint64_t line, double bytes, unsigned part);
  double l2_latency(uint64_t line) const;

  const ModelFigures *figures_ = nullptr;
  Cache l2_[2];
  unsigned parts_ = 1;
  std::vector<unsigned char> parts_of_groups_;
  Slices slices_;
  std::vector<Throughput> slice_rates_;  // empty: L2 is one
  PackedVector<Way> ways_;  // by group, then by line modulo WAYS
  bool has_l2_ = false;
};

}  // namespace gpuopt_emu

#endif
