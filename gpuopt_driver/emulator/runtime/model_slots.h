// The warps of one scheduler, by slot: when each can go on, in arrays that are searched without branches.
#ifndef GPUOPT_EMU_MODEL_SLOTS_H
#define GPUOPT_EMU_MODEL_SLOTS_H

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "model_pages.h"

// Of functions that search slots: with what is inlined into them, compiled twice where processors may have AVX2.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(GPUOPT_EMU_PORTABLE)
#define GPUOPT_EMU_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define GPUOPT_EMU_WIDE
#endif
#define GPUOPT_EMU_INLINED inline __attribute__((always_inline))

namespace gpuopt_emu {

struct ModelWarp;

#pragma GCC diagnostic ignored "-Wpsabi"  // what takes and returns these is inlined
namespace wide {
typedef int64_t Unaligned __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t Four __attribute__((vector_size(32)));
static GPUOPT_EMU_INLINED Four four_at(const uint64_t *at) { return *reinterpret_cast<const Unaligned *>(at); }
static GPUOPT_EMU_INLINED void put_four(uint64_t *at, Four four) { *reinterpret_cast<Unaligned *>(at) = four; }
static GPUOPT_EMU_INLINED Four all_of(uint64_t value) { return Four{} + (int64_t)value; }
static GPUOPT_EMU_INLINED Four chosen(Four mask, Four yes, Four no) { return (mask & yes) | (~mask & no); }
static GPUOPT_EMU_INLINED Four lower(Four a, Four b) { return chosen(a < b, a, b); }
static GPUOPT_EMU_INLINED uint64_t lowest(Four v) {
  const int64_t a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
  return (uint64_t)(a < b ? a : b);
}
}  // namespace wide

constexpr uint64_t NEVER = ~0ull >> 1;

struct Pair {
  uint64_t low, high;
};
// Without branches, which compilers make of minima, and processors cannot foresee here.
static GPUOPT_EMU_INLINED Pair sorted(uint64_t a, uint64_t b) {
#ifdef __x86_64__
  uint64_t low = a;
  asm("cmp %[a], %[b]\n\tcmovb %[b], %[low]\n\tcmovb %[a], %[b]" : [low] "+&r"(low), [b] "+&r"(b) : [a] "r"(a) : "cc");
  return {low, b};
#else
  const uint64_t change = (a ^ b) & (0 - (uint64_t)(b < a));
  return {a ^ change, b ^ change};
#endif
}
static GPUOPT_EMU_INLINED uint64_t lower_of(uint64_t a, uint64_t b) {
#ifdef __x86_64__
  asm("cmp %[b], %[a]\n\tcmova %[b], %[a]" : [a] "+&r"(a) : [b] "r"(b) : "cc");
  return a;
#else
  return sorted(a, b).low;
#endif
}
// `yes` if a <= b.
static GPUOPT_EMU_INLINED uint64_t if_not_above(uint64_t a, uint64_t b, uint64_t yes, uint64_t no) {
#ifdef __x86_64__
  asm("cmp %[b], %[a]\n\tcmovbe %[yes], %[no]" : [no] "+&r"(no) : [a] "r"(a), [b] "r"(b), [yes] "r"(yes) : "cc");
  return no;
#else
  const uint64_t mask = 0 - (uint64_t)(a <= b);
  return (yes & mask) | (no & ~mask);
#endif
}

class Slots {
 public:
  size_t size() const { return count_; }
  size_t add();  // an empty one; its number
  uint64_t &ready(size_t slot) { return row(READY)[slot]; }  // NEVER: empty, or its warp waits for others
  uint64_t ready(size_t slot) const { return row(READY)[slot]; }
  // When its warp could have gone on but for L1's queue.
  uint64_t since(size_t slot) const { return row(SINCE)[slot] >> RANK_BITS; }
  // Ready from then on, for any reason but L1's queue.
  void set_ready(size_t slot, uint64_t when) {
    ready(slot) = when;
    row(SINCE)[slot] = when << RANK_BITS | (row(SINCE)[slot] & MOST);
  }
  // Whether what its warp does next asks L1, as soon as it is ready.
  bool asks_l1(size_t slot) const { return row(ASKS)[slot] != 0; }
  void set_asks_l1(size_t slot, bool asks) { row(ASKS)[slot] = asks ? ~0ull : 0; }
  ModelWarp *warp(size_t slot) const { return reinterpret_cast<ModelWarp *>(row(WARP_AT)[slot]); }
  void set_warp(size_t slot, ModelWarp *warp) { row(WARP_AT)[slot] = reinterpret_cast<uintptr_t>(warp); }
  uint64_t age(size_t slot) const { return ages_[slot]; }  // of its warp
  void set_age(size_t slot, uint64_t age);                 // of a warp that is younger than all others

  // Of the slots that are ready at `now`; -1: none is.
  GPUOPT_EMU_INLINED int longest(uint64_t now) const {  // the one that is so since longest, of those the youngest warp
    const uint64_t key = are_few() ? best_of_few(0, ~0ull, now) : best(row(SINCE), 0, ~0ull, now);
    return key == NEVER ? -1 : by_place_[key & MOST];
  }
  GPUOPT_EMU_INLINED int oldest(uint64_t now) const {  // the one with the oldest warp
    const uint64_t key = are_few() ? best_of_few(MOST, MOST, now) : best(row(SINCE), MOST, MOST, now);
    return key == NEVER ? -1 : by_place_[MOST - key];
  }
  GPUOPT_EMU_INLINED uint64_t next_ready(uint64_t now) const;  // the first one after `now`; NEVER: there is none
  bool are_few() const { return count_ - 1 < 8; }  // and some
  // The first two of a few that will be ready, or are, as turns: when, and which slot.
  GPUOPT_EMU_INLINED Pair first_two() const;
  static uint64_t turn_at(uint64_t when) { return when << 3 | 7; }  // the last one
  static uint64_t when(uint64_t turn) { return turn >> 3; }
  static unsigned slot_of(uint64_t turn) { return (unsigned)turn & 7; }
  // Lets all slots that are ready and ask L1 wait. Whether others are ready.
  GPUOPT_EMU_INLINED bool hold_back(uint64_t now, uint64_t until);

  void fetch_all_early() const {
    for (size_t i = 0; i < words_.size(); i += 8) fetch_early(&words_[i]);
  }

 private:
  enum Row : unsigned { READY, SINCE, ASKS, WARP_AT, ROWS };
  static constexpr unsigned RANK_BITS = 8;
  static constexpr uint64_t MOST = (1u << RANK_BITS) - 1;
  uint64_t *row(Row which) { return words_.data() + which * room_; }
  const uint64_t *row(Row which) const { return words_.data() + which * room_; }
  void enlarge();
  // The lowest of (`keys` ^ `flip`) & `part` of what is ready; NEVER where nothing is.
  GPUOPT_EMU_INLINED uint64_t best(const uint64_t *keys, uint64_t flip, uint64_t part, uint64_t now) const;
  GPUOPT_EMU_INLINED uint64_t best_of_few(uint64_t flip, uint64_t part, uint64_t now) const;

  size_t count_ = 0, room_ = 0;  // room: a multiple of eight slots; those beyond the last are never ready
  PackedVector<uint64_t> words_;  // rows; below `since` there is the warp's place among all by age, the youngest lowest
  std::vector<uint64_t> ages_;
  std::vector<unsigned char> by_place_;
};

uint64_t Slots::best(const uint64_t *keys, uint64_t flip, uint64_t part, uint64_t now) const {
  using namespace wide;
  const Four at = all_of(now), flips = all_of(flip), mask = all_of(part), never = all_of(NEVER);
  Four found = never;
  for (size_t i = 0; i < room_; i += 4)
    found = lower(chosen(four_at(row(READY) + i) > at, never, (four_at(keys + i) ^ flips) & mask), found);
  return lowest(found);
}

uint64_t Slots::next_ready(uint64_t now) const {
  using namespace wide;
  const Four at = all_of(now), never = all_of(NEVER);
  Four found = never;
  for (size_t i = 0; i < room_; i += 4) {
    const Four when = four_at(row(READY) + i);
    found = lower(chosen(when > at, when, never), found);
  }
  return lowest(found);
}

// One by one, since what was just written to one slot is not there yet for wider loads.
Pair Slots::first_two() const {
  const uint64_t *const ready = row(READY);
  const auto key = [=](size_t i) { return ready[i] * 8 + i; };  // NEVER loses its highest bits, and is still the highest
  const auto two_of = [=](size_t i) {
    const Pair a = sorted(key(i), key(i + 1)), b = sorted(key(i + 2), key(i + 3)), low = sorted(a.low, b.low);
    return Pair{low.low, lower_of(low.high, lower_of(a.high, b.high))};
  };
  Pair two = two_of(0);
  if (count_ > 4) {
    const Pair others = two_of(4), low = sorted(two.low, others.low);
    two = {low.low, lower_of(low.high, lower_of(two.high, others.high))};
  }
  return two;
}

uint64_t Slots::best_of_few(uint64_t flip, uint64_t part, uint64_t now) const {
  const uint64_t *const ready = row(READY), *const keys = row(SINCE);
  const auto one = [=](size_t i) { return if_not_above(ready[i], now, (keys[i] ^ flip) & part, NEVER); };
  const auto four = [=](size_t i) { return lower_of(lower_of(one(i), one(i + 1)), lower_of(one(i + 2), one(i + 3))); };
  return count_ > 4 ? lower_of(four(0), four(4)) : four(0);
}

bool Slots::hold_back(uint64_t now, uint64_t until) {
  using namespace wide;
  const Four at = all_of(now), then = all_of(until);
  Four left = all_of(0);
  for (size_t i = 0; i < room_; i += 4) {
    const Four when = four_at(row(READY) + i), asks = four_at(row(ASKS) + i), can = ~(when > at);
    put_four(row(READY) + i, chosen(can & asks, then, when));
    left |= can & ~asks;
  }
  return (left[0] | left[1] | left[2] | left[3]) != 0;
}

}  // namespace gpuopt_emu

#endif
