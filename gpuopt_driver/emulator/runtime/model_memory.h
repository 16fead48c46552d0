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
  void write(uint64_t line, unsigned sectors, unsigned full, Counters &counters);
  double update(uint64_t line, unsigned sectors, unsigned lanes, Counters &counters);  // atomic operations
  void fetch_tags(uint64_t line, unsigned group) const {  // for read()
    if (has_l2_) l2_.fetch_early(line);
    if (!ways_.empty()) fetch_early(&ways_[way_of(line, group)]);
  }
  void advance(double cycles) { l2_rate.advance(cycles), dram_rate.advance(cycles); }

  Throughput l2_rate, dram_rate;

 private:
  static const size_t WAYS = 4096;
  struct Way {  // of a line to one group
    uint64_t line, arrives;
    unsigned sectors, takers;
  };
  static size_t way_of(uint64_t line, unsigned group) { return group * WAYS + (line ^ line >> 12) % WAYS; }
  double fetch(uint64_t line, unsigned sectors, Counters &counters);
  unsigned bring(uint64_t line, unsigned sectors, Counters &counters);
  int place(uint64_t line, Counters &counters);
  double l2_latency() const;

  const ModelFigures *figures_ = nullptr;
  Cache l2_;
  PackedVector<Way> ways_;  // by group, then by line modulo WAYS
  bool has_l2_ = false;
};

}  // namespace gpuopt_emu

#endif
