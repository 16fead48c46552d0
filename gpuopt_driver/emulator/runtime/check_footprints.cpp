#include "check_footprints.h"

#include <algorithm>
#include <stdlib.h>

#include "check_layers.h"
#include "check_survey.h"

namespace gpuopt_emu {

using surveys::Affine;
using surveys::AXES;
using surveys::BLOCKS;
using surveys::Box;
using surveys::How;
using surveys::READ;
using surveys::UPDATE;
using surveys::WRITE;

static bool same_axes(const Affine &a, const Affine &b) { return std::equal(a.by, a.by + AXES, b.by); }
static bool same_box(const Box &a, const Box &b) {
  return std::equal(a.low, a.low + AXES, b.low) && std::equal(a.high, a.high + AXES, b.high);
}
void Footprints::clear() { all_.clear(), begin_part(); }

void Footprints::forget_open() {
  std::fill(open_, open_ + SETS * WAYS, Open{-1, -1});
  next_ = 0;
}

bool Footprints::is_covered(const Footprint &one) const {
  for (size_t i = part_; i < all_.size(); ++i) {
    const Footprint &other = all_[i];
    if (other.how == WRITE && !other.maybe && other.bytes == one.bytes && other.first.at == one.first.at && other.turns[1] == 1 &&
        same_axes(other.first, one.first) && surveys::within(one.box, other.box))
      return true;
  }
  return false;
}

// Whether the access is one of the loop's, or its next one.
static bool joined(Footprint &all, long long distance) {
  if (!distance) return true;
  if (all.turns[0] == 1) all.step[0] = distance;
  if (distance == all.step[0] * (long long)all.turns[0]) {
    all.covered = false;
    return ++all.turns[0] != 0;
  }
  return distance % all.step[0] == 0 && distance / all.step[0] > 0 && distance / all.step[0] < (long long)all.turns[0];
}

// Whether a loop's turns are those of the loop before it, or follow them as others did: a loop in a loop.
static bool nested(Footprint &all, const Footprint &one) {
  if (all.turns[0] != one.turns[0] || (all.turns[0] > 1 && all.step[0] != one.step[0])) return false;
  const long long distance = one.first.at - all.first.at;
  if (!distance) return true;
  if (all.turns[1] == 1) all.step[1] = distance;
  if (distance == all.step[1] * (long long)all.turns[1]) {
    all.covered = false;
    return ++all.turns[1] != 0;
  }
  return distance % all.step[1] == 0 && distance / all.step[1] > 0 && distance / all.step[1] < (long long)all.turns[1];
}

bool Footprints::add(const Box &box, const Affine &address, unsigned bytes, How how, const Spot *place, unsigned ordinal,
                     bool maybe) {
  Footprint one = {place, ordinal, how, bytes, maybe, false, box, address, {0, 0}, {1, 1}, 0, 0};
  uint64_t hash = (uint64_t)(uintptr_t)place + 64 * ordinal + 4 * bytes + (unsigned)how;
  for (const long long by : address.by) hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull + (uint64_t)by;
  hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull;
  Open *const ways = open_ + (hash >> 59) * WAYS, *found = nullptr, *free = nullptr;
  for (Open *way = ways; way < ways + WAYS && !found; ++way) {
    if (way->last < 0) {
      free = way;
      break;  // they are taken in turn
    }
    const Footprint &last = all_[(size_t)way->last];
    if (last.place == place && last.ordinal == ordinal && last.how == how && last.maybe == maybe && last.bytes == bytes && same_axes(last.first, address) &&
        same_box(last.box, box))
      found = way;
  }
  if (found) {
    Footprint &last = all_[(size_t)found->last];
    if (joined(last, one.first.at - last.first.at)) return true;
    // It is complete. The next one may be like it.
    if (found->before >= 0 && nested(all_[(size_t)found->before], last)) {
      last = one;
      last.covered = how != WRITE && is_covered(one);
      return true;
    }
    found->before = found->last;
  } else {
    found = free ? free : ways + next_++ % WAYS;
    found->before = -1;
  }
  if (all_.size() == MOST) return false;
  one.covered = how != WRITE && is_covered(one);
  found->last = (int)all_.size();
  all_.push_back(one);
  return true;
}

// What an index adds to the distance of two accesses: `by` times a number from `low` to `high`.
struct Term {
  long long by, low, high;
  bool threads;  // unless it is 0, they are of different threads
};

// Whether two threads' accesses may meet: numbers of all terms for which the distance is in a range.
class Encounter {
 public:
  // `first`: the first axis of those that tell threads apart; from BLOCKS on they are then of different blocks.
  Encounter(const Footprint &a, const Footprint &b, int first)
      : distance_(b.first.at - a.first.at), least_(1 - (long long)b.bytes), most_((long long)a.bytes - 1), first_(first) {
    for (int d = 0; d < AXES; ++d) axis(d, a.first.by[d], b.first.by[d], a.box.low[d], a.box.high[d], b.box.low[d], b.box.high[d]);
    for (int k = 0; k < 2; ++k) {
      const long long last_a = a.turns[k] - 1ll, last_b = b.turns[k] - 1ll;
      if (last_a && last_b && a.step[k] == b.step[k]) {
        term(a.step[k], -last_a, last_b, false);
      } else {
        if (last_a) term(a.step[k], -last_a, 0, false);
        if (last_b) term(b.step[k], 0, last_b, false);
      }
    }
  }

  bool possible() {
    if (too_large_) return true;
    std::sort(terms_, terms_ + count_, [](const Term &a, const Term &b) { return llabs(a.by) > llabs(b.by); });
    low_[count_] = high_[count_] = 0, threads_[count_] = false;
    for (unsigned i = count_; i-- > 0;) {
      const Term &one = terms_[i];
      low_[i] = low_[i + 1] + one.by * (one.by > 0 ? one.low : one.high);
      high_[i] = high_[i + 1] + one.by * (one.by > 0 ? one.high : one.low);
      threads_[i] = threads_[i + 1] || one.threads;
    }
    return found(0, distance_, differ_);
  }

 private:
  Term terms_[2 * AXES + 4];
  long long low_[2 * AXES + 5], high_[2 * AXES + 5];  // of the sum of a term and those behind it
  bool threads_[2 * AXES + 5];                        // one of them is of threads
  unsigned count_ = 0, looked_ = 0;
  long long distance_, least_, most_;
  int first_;
  bool differ_ = false, too_large_ = false;

  void term(long long by, long long low, long long high, bool threads) {
    const long long far = 1ll << 48, most = std::max(llabs(low), llabs(high));
    if (!by) return;
    if (most && llabs(by) > far / most) too_large_ = true;
    terms_[count_++] = Term{by, low, high, threads};
  }
  void axis(int d, long long by_a, long long by_b, long long low_a, long long high_a, long long low_b, long long high_b) {
    const bool same = low_a == high_a && low_b == high_b && low_a == low_b;
    if (same) {
      term(by_b - by_a, low_a, low_a, false);
    } else if (by_a == by_b && by_a) {
      term(by_a, low_b - high_a, high_b - low_a, d >= first_);
    } else {  // whether the index is the same one is not asked
      differ_ |= d >= first_;
      term(-by_a, low_a, high_a, false);
      term(by_b, low_b, high_b, false);
    }
  }

  bool found(unsigned i, long long sum, bool differ) {
    if (!differ && !threads_[i]) return false;
    if (i == count_) return sum >= least_ && sum <= most_;
    const Term &one = terms_[i];
    // least <= sum + by * x + rest <= most, for some of the rest
    const long long from = least_ - high_[i + 1] - sum, to = most_ - low_[i + 1] - sum, by = llabs(one.by);
    long long first = ceiling(from, by), last = floor_of(to, by);
    if (one.by < 0) std::swap(first, last), first = -first, last = -last;
    for (long long x = std::max(first, one.low); x <= std::min(last, one.high); ++x) {
      if (++looked_ > MOST_LOOKED_AT) return true;
      if (found(i + 1, sum + one.by * x, differ || (one.threads && x))) return true;
    }
    return false;
  }
  enum { MOST_LOOKED_AT = 4096 };
  static long long floor_of(long long a, long long b) { return a / b - (a % b < 0); }
  static long long ceiling(long long a, long long b) { return a / b + (a % b > 0); }
};

// Whether no two threads, one with an access of each, come to the same bytes. Also for `a` and `b` being one.
static bool in_order(const Footprint &a, const Footprint &b) {
  return (a.how == UPDATE && b.how == UPDATE) || !Encounter(a, b, 0).possible();
}

static bool all_of(uintptr_t low, uintptr_t high, bool written) {
  while (low < high) {
    if (low >= ADDRESS_LIMIT) return false;
    const Region &region = regions[low >> REGION_SHIFT];
    const uintptr_t offset = low & REGION_MASK, count = std::min(high - low, REGION_MASK + 1 - offset);
    if (!region.cells || !all_set(written ? region.written : region.allowed, offset, count)) return false;
    low += count;
  }
  return true;
}

// Reads of what was written before the launch, or by the same thread; stores to what may be written.
bool Footprints::bounds() const {
  uintptr_t low = 0, high = 0;
  for (const Footprint &one : all_) {  // in the order of `low`
    if ((one.how == WRITE && !one.maybe) || one.covered) {
      if (!all_of(one.low, one.high, false)) return false;
    } else if (high && one.low <= high) {
      high = std::max(high, one.high);
    } else {
      if (!all_of(low, high, true)) return false;
      low = one.low, high = one.high;
    }
  }
  return all_of(low, high, true);
}

// An index of threads or turns in an address.
struct Digit {
  long long by, count;
};

// What is written counts as such, byte for byte.
void Footprints::mark(const Footprint &one) const {
  if (all_of(one.low, one.high, true)) return;
  Digit digits[AXES + 2];
  unsigned count = 0;
  uintptr_t at = (uintptr_t)one.first.at;
  const auto add = [&](long long by, long long number) {
    if (by < 0) at += (uintptr_t)(by * (number - 1)), by = -by;
    if (by && number > 1) digits[count++] = Digit{by, number};
  };
  for (int d = 0; d < AXES; ++d) {
    at += (uintptr_t)(one.first.by[d] * one.box.low[d]);
    add(one.first.by[d], one.box.high[d] - one.box.low[d] + 1ll);
  }
  for (int k = 0; k < 2; ++k) add(one.step[k], one.turns[k]);
  std::sort(digits, digits + count, [](const Digit &a, const Digit &b) { return a.by > b.by; });
  long long whole = one.bytes;
  while (count && digits[count - 1].by == whole) whole *= digits[--count].count;
  long long index[AXES + 2] = {};
  for (;;) {
    set_bits(at, (size_t)whole, WRITTEN, 0);
    unsigned d = count;
    while (d-- > 0) {
      at += (uintptr_t)digits[d].by;
      if (++index[d] < digits[d].count) break;
      at -= (uintptr_t)(digits[d].by * digits[d].count);
      index[d] = 0;
    }
    if (d == ~0u) return;
  }
}

// Whether two accesses race within blocks alone, and alike in each: all come to them, at the same distance.
static bool alike_in_blocks(const Footprint &a, const Footprint &b, const Box &whole) {
  if (a.maybe || b.maybe) return false;
  for (int d = BLOCKS; d < AXES; ++d) {
    if (a.first.by[d] != b.first.by[d] || a.first.by[d] % 4) return false;
    for (const Footprint *one : {&a, &b})
      if (one->box.low[d] != whole.low[d] || one->box.high[d] != whole.high[d]) return false;
  }
  return !Encounter(a, b, BLOCKS).possible();
}

void Footprints::look_at_two(const Footprint &a, const Footprint &b, const Box &whole) {
  if (in_order(a, b)) return;
  races_.push_back(Race{{{a.place, a.how}, {b.place, b.how}}}), alike_ = alike_ && alike_in_blocks(a, b, whole);
}

Judgement Footprints::judge(const Box &whole) {
  races_.clear();
  alike_ = true;
  for (Footprint &one : all_) {
    one.low = one.high = (uintptr_t)one.first.at;
    const auto stretch = [&](long long by, long long from, long long to) {
      one.low += (uintptr_t)(by * (by < 0 ? to : from));
      one.high += (uintptr_t)(by * (by < 0 ? from : to));
    };
    for (int d = 0; d < AXES; ++d) stretch(one.first.by[d], one.box.low[d], one.box.high[d]);
    for (int k = 0; k < 2; ++k) stretch(one.step[k], 0, one.turns[k] - 1ll);
    one.high += one.bytes;
    if (one.low >= ADDRESS_LIMIT || one.high >= ADDRESS_LIMIT) return Judgement::unclear;
  }
  std::sort(all_.begin(), all_.end(), [](const Footprint &a, const Footprint &b) { return a.low < b.low; });
  if (!bounds()) return Judgement::unclear;
  // Those that may come to the bytes of the one that is looked at, in the order of `low`.
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].how == WRITE) look_at_two(all_[i], all_[i], whole);
    for (size_t k = i + 1; k < all_.size() && all_[k].low < all_[i].high; ++k)
      if (all_[i].how != READ || all_[k].how != READ) look_at_two(all_[i], all_[k], whole);
    if (races_.size() > MOST_RACES) return Judgement::unclear;
  }
  for (const Footprint &one : all_)
    if (one.how == WRITE) mark(one);
  return races_.empty() ? Judgement::sound : Judgement::races;
}

}  // namespace gpuopt_emu
