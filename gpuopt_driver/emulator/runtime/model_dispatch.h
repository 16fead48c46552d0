// Which multiprocessor gets which block.
#ifndef GPUOPT_EMU_MODEL_DISPATCH_H
#define GPUOPT_EMU_MODEL_DISPATCH_H

#include <deque>
#include <random>
#include <vector>

#include "model_settings.h"
#include "vector_types.h"

namespace gpuopt_emu {

class BlockQueue {
 public:
  static const unsigned long long NONE = ~0ull;

  // The blocks [first, end) of a grid.
  void set_up(Dispatch how, dim3 grid, unsigned long long first, unsigned long long end, unsigned sms, unsigned long seed);
  // The next block for a multiprocessor that has room, NONE if there is none for it.
  unsigned long long take(unsigned sm);
  // In which order multiprocessors are served when several have room.
  unsigned first_of(const std::vector<unsigned> &with_room);
  bool empty() const { return left_ == 0; }

 private:
  unsigned sm_by_rows(unsigned long long number, bool by_columns) const;

  Dispatch how_ = Dispatch::demand;
  dim3 grid_;
  unsigned sms_ = 1;
  size_t left_ = 0;
  unsigned long long next_ = 0, end_ = 0;            // demand, random
  std::vector<std::deque<unsigned long long>> own_;  // of each multiprocessor: the other policies
  std::mt19937_64 random_;
};

}  // namespace gpuopt_emu

#endif
