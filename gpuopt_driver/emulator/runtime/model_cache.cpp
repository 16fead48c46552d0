#include "model_cache.h"

#include <algorithm>

namespace gpuopt_emu {

static const unsigned POOLED_WAYS = 8;

void Cache::set_up(size_t bytes, unsigned ways, Index index, double guarded_part, double random_part) {
  capacity_ = bytes >> 7;
  pooled_ = ways == 0;
  index_ = index;
  if (pooled_) {
    ways_ = POOLED_WAYS;
    for (shift_ = 0, sets_ = 1; sets_ * ways_ < capacity_; sets_ *= 2) ++shift_;
    shift_ = std::max(shift_, 1u);
  } else {
    ways_ = capacity_ < ways ? std::max((unsigned)capacity_, 1u) : ways;
    sets_ = std::max(capacity_ / ways_, (size_t)1);
    capacity_ = std::min(capacity_, sets_ * ways_);
  }
  stride_ = (ways_ + 3) & ~3u;
  most_guarded_ = (unsigned)(guarded_part * (double)capacity_ / (double)sets_ + 0.5);
  random_part_ = (uint32_t)(random_part * 0xffffffffu);
  tags_.resize(sets_ * stride_);
  used_.resize(sets_ * stride_);
  lines_.resize(sets_ * stride_);
  clear();
}

void Cache::clear() {
  std::fill(tags_.begin(), tags_.end(), 0u);
  std::fill(used_.begin(), used_.end(), NOT_USED);
  held_ = next_set_ = 0;
  clock_ = 0;
  random_ = 1;
}

// The clock has run over: uses are numbered anew, in their order within each set.
void Cache::renumber() {
  for (size_t set = 0; set < sets_; ++set) {
    uint32_t *const used = &used_[set * stride_];
    std::vector<uint32_t> order(used, used + ways_);
    for (uint32_t &use : order) use &= ~GUARDED;
    std::sort(order.begin(), order.end());
    for (unsigned w = 0; w < ways_; ++w) {
      const uint32_t when = used[w] & ~GUARDED;
      if (used[w] == NOT_USED || !when) continue;
      used[w] = (used[w] & GUARDED) | (1 + (uint32_t)(std::lower_bound(order.begin(), order.end(), when) - order.begin()));
    }
  }
  clock_ = ways_ + 1;
}

int Cache::free_way(size_t set) const {
  for (size_t at = set * stride_; at < set * stride_ + ways_; ++at)
    if (!tags_[at]) return (int)at;
  return -1;
}

// The line used longest ago, of those whose use is at least `from`; -1 where there is none.
int Cache::oldest(size_t set, uint32_t from) const {
  const bool keeps = kept_ != ~0ull;
  uint32_t lowest = NOT_USED;
  int found = -1;
  for (size_t at = set * stride_; at < set * stride_ + ways_; ++at)
    if (used_[at] < lowest && used_[at] >= from && !(keeps && lines_[at].pending && lines_[at].arrives > kept_)) lowest = used_[at], found = (int)at;
  return found;
}

// Makes a line one of those used twice; of these the one used longest ago may lose that.
void Cache::guard(int at) {
  const size_t set = (size_t)at / stride_;
  unsigned count = 0;
  for (size_t i = set * stride_; i < set * stride_ + ways_; ++i) count += used_[i] >= GUARDED && used_[i] != NOT_USED;
  if (count >= most_guarded_) {
    const int last = oldest(set, GUARDED);
    used_[(size_t)last] = tick();
  }
  used_[(size_t)at] = tick() | GUARDED;
}

void Cache::rank_again(int at, Rank rank) {
  if (rank != Rank::first_out) guard(at);
  else if (used_[(size_t)at] < GUARDED) used_[(size_t)at] = 0;  // else it was used twice by others
}

int Cache::victim(size_t set, bool among_guarded) {
  const int guarded = among_guarded ? oldest(set, GUARDED) : -1;
  const int at = guarded >= 0 ? guarded : oldest(set, 0);
  if (at < 0 || !random_part_ || !used_[(size_t)at] || used_[(size_t)at] >= GUARDED) return at;
  random_ = random_ * 1664525u + 1013904223u;
  if (random_ >= random_part_) return at;
  unsigned left = (random_ >> 8) % ways_;  // any that is not guarded: the next one from a random way on
  for (unsigned k = 0; k < ways_; ++k, left = (left + 1) % ways_)
    if (used_[set * stride_ + left] < GUARDED) return (int)(set * stride_ + left);
  return at;
}

uint64_t Cache::place_free_from(uint64_t line, uint64_t now) {
  uint64_t soonest = ~0ull;
  const size_t first = set_of(line) * stride_;
  for (size_t at = first; at < first + ways_ && soonest > now; ++at)
    soonest = std::min(soonest, tags_[at] && lines_[at].pending ? lines_[at].arrives : 0);
  return kept_ = std::max(now, soonest);
}

int Cache::insert(uint64_t number, Rank rank, Evicted *evicted) {
  const size_t set = set_of(number);
  evicted->any = false;
  int at = held_ < capacity_ ? free_way(set) : -1;
  if (at < 0) {
    at = victim(set, rank == Rank::stays);
    while (at < 0) {  // the pool's lines are all in other sets
      at = victim(next_set_, rank == Rank::stays);
      next_set_ = (next_set_ + 1) % sets_;
    }
    const Line &old = lines_[(size_t)at];
    *evicted = Evicted{tags_[(size_t)at], at, old.dirty, true};
    if ((size_t)at / stride_ != set) {
      tags_[(size_t)at] = 0;
      used_[(size_t)at] = NOT_USED;
      at = free_way(set);
    }
  } else {
    ++held_;
  }
  tags_[(size_t)at] = tag_of(number);
  lines_[(size_t)at] = Line{};
  used_[(size_t)at] = rank == Rank::first_out ? 0 : tick();
  if (rank == Rank::stays && most_guarded_) guard(at);
  return at;
}

void Cache::drop(int at) {
  tags_[(size_t)at] = 0;
  used_[(size_t)at] = NOT_USED;
  --held_;
}

}  // namespace gpuopt_emu
