#include "model_dispatch.h"

namespace gpuopt_emu {

// Algorithm 3 of the paper on locality-aware CTA mapping: whole rows (or columns) of blocks as long as they can be
// shared out evenly, then the rest evenly in the same direction. A grid's planes follow each other as more rows.
unsigned BlockQueue::sm_by_rows(unsigned long long number, bool by_columns) const {
  const unsigned long long plane = (unsigned long long)grid_.x * grid_.y, z = number / plane;
  const unsigned long long x = number % grid_.x, y = number / grid_.x % grid_.y;
  const unsigned long long along = by_columns ? grid_.y : grid_.x, rows = (by_columns ? grid_.x : grid_.y) * (unsigned long long)grid_.z;
  const unsigned long long row = by_columns ? x + z * grid_.x : y + z * grid_.y, at = by_columns ? y : x;
  const unsigned long long each = rows / sms_, whole = each * sms_;
  if (row < whole) return (unsigned)(row / each);
  const unsigned long long rest = (rows - whole) * along, share = (rest + sms_ - 1) / sms_;
  return (unsigned)(((row - whole) * along + at) / share);
}

void BlockQueue::set_up(Dispatch how, dim3 grid, unsigned long long first, unsigned long long end, unsigned sms,
                        unsigned long seed) {
  how_ = how;
  grid_ = grid;
  sms_ = sms;
  left_ = end - first;
  next_ = first;
  end_ = end;
  own_.assign(sms, {});
  random_.seed(seed);
  if (how == Dispatch::demand || how == Dispatch::random) return;
  for (unsigned long long number = first; number < end; ++number)
    own_[how == Dispatch::round_robin ? number % sms : sm_by_rows(number, how == Dispatch::columns)].push_back(number);
}

unsigned long long BlockQueue::take(unsigned sm) {
  if (how_ == Dispatch::demand || how_ == Dispatch::random) {
    if (next_ == end_) return NONE;
    --left_;
    return next_++;
  }
  std::deque<unsigned long long> &queue = own_[sm];
  if (queue.empty()) return NONE;
  const unsigned long long number = queue.front();
  queue.pop_front();
  --left_;
  return number;
}

unsigned BlockQueue::first_of(const std::vector<unsigned> &with_room) {
  return with_room[how_ == Dispatch::random ? random_() % with_room.size() : 0];
}

}  // namespace gpuopt_emu
