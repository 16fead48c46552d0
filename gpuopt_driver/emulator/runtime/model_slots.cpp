#include "model_slots.h"

#include <algorithm>

#include "check.h"

namespace gpuopt_emu {

void Slots::enlarge() {
  const size_t more = room_ + 8;
  PackedVector<uint64_t> words(ROWS * more, 0);
  std::fill_n(words.begin() + READY * (long)more, more, NEVER);
  for (unsigned which = 0; which < ROWS; ++which)
    std::copy_n(words_.begin() + (long)(which * room_), room_, words.begin() + (long)(which * more));
  words_.swap(words);
  room_ = more;
}

size_t Slots::add() {
  if (count_ == MOST) fatal("a scheduler has at most %u warps", (unsigned)MOST);
  if (count_ == room_) enlarge();
  ages_.push_back(0);
  by_place_.push_back((unsigned char)count_);
  row(SINCE)[count_] = count_;
  return count_++;
}

void Slots::set_age(size_t slot, uint64_t age) {
  ages_[slot] = age;
  uint64_t *const keys = row(SINCE);
  size_t place = keys[slot] & MOST;
  for (; place; --place) {
    by_place_[place] = by_place_[place - 1];
    ++keys[by_place_[place]];
  }
  by_place_[0] = (unsigned char)slot;
  keys[slot] &= ~MOST;
}

}  // namespace gpuopt_emu
