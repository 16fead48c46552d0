#include "model_slots.h"

#include <algorithm>

#include "check.h"

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(GPUOPT_EMU_PORTABLE)
#define GPUOPT_EMU_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define GPUOPT_EMU_WIDE
#endif

namespace gpuopt_emu {

#pragma GCC diagnostic ignored "-Wpsabi"  // what takes and returns these is inlined
typedef int64_t Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t Wide __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) Wide four_at(const uint64_t *at) { return *reinterpret_cast<const Four *>(at); }
static inline __attribute__((always_inline)) Wide all_of(int64_t value) { return Wide{value, value, value, value}; }
static inline __attribute__((always_inline)) Wide chosen(Wide mask, Wide yes, Wide no) { return (mask & yes) | (~mask & no); }
static inline __attribute__((always_inline)) Wide lower(Wide a, Wide b) { return chosen(a < b, a, b); }
static inline __attribute__((always_inline)) uint64_t lowest(Wide v) {
  return (uint64_t)std::min(std::min(v[0], v[1]), std::min(v[2], v[3]));
}

struct Lowest {
  uint64_t key, next;
};

// The lowest of (`keys` ^ `flip`) & `part` of what is ready, and when the first of the others will be.
GPUOPT_EMU_WIDE static Lowest search(const uint64_t *ready, const uint64_t *keys, uint64_t flip, uint64_t part, size_t room,
                                     uint64_t now) {
  Wide best = all_of((int64_t)NEVER), soonest = best;
  const Wide at = all_of((int64_t)now), flips = all_of((int64_t)flip), mask = all_of((int64_t)part), never = best;
  for (size_t i = 0; i < room; i += 4) {
    const Wide when = four_at(ready + i), waits = when > at;
    best = lower(chosen(waits, never, (four_at(keys + i) ^ flips) & mask), best);
    soonest = lower(chosen(waits, when, never), soonest);
  }
  return Lowest{lowest(best), lowest(soonest)};
}

GPUOPT_EMU_WIDE static Lowest hold(uint64_t *ready, const uint64_t *asks, size_t room, uint64_t now, uint64_t until) {
  Wide left = all_of(0), soonest = all_of((int64_t)NEVER);
  const Wide at = all_of((int64_t)now), then = all_of((int64_t)until), never = soonest;
  for (size_t i = 0; i < room; i += 4) {
    Wide when = four_at(ready + i);
    const Wide can = ~(when > at), ask = four_at(asks + i);
    when = chosen(can & ask, then, when);
    *reinterpret_cast<Four *>(ready + i) = when;
    left |= can & ~ask;
    soonest = lower(chosen(when > at, when, never), soonest);
  }
  return Lowest{(uint64_t)(left[0] | left[1] | left[2] | left[3]), lowest(soonest)};
}

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

int Slots::longest(uint64_t now, uint64_t *next) const {
  const Lowest found = search(row(READY), row(SINCE), 0, ~0ull, room_, now);
  *next = found.next;
  return found.key == NEVER ? -1 : by_place_[found.key & MOST];
}

int Slots::oldest(uint64_t now, uint64_t *next) const {
  const Lowest found = search(row(READY), row(SINCE), MOST, MOST, room_, now);
  *next = found.next;
  return found.key == NEVER ? -1 : by_place_[MOST - found.key];
}

uint64_t Slots::next_ready(uint64_t now) const { return search(row(READY), row(SINCE), 0, 0, room_, now).next; }

bool Slots::hold_back(uint64_t now, uint64_t until, uint64_t *next) {
  const Lowest found = hold(row(READY), row(ASKS), room_, now, until);
  *next = found.next;
  return found.key != 0;
}

}  // namespace gpuopt_emu
