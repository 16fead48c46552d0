#include "check_footprints.h"

#include <algorithm>
#include <stdlib.h>

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
static bool within(const Box &a, const Box &b) {
  for (int d = 0; d < AXES; ++d)
    if (a.low[d] < b.low[d] || a.high[d] > b.high[d]) return false;
  return true;
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
        same_axes(other.first, one.first) && within(one.box, other.box))
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

bool Footprints::add(const Box &box, const Affine &address, unsigned bytes, How how, const Spot *place, bool maybe) {
  Footprint one = {place, how, bytes, maybe, false, box, address, {0, 0}, {1, 1}, 0, 0};
  uint64_t hash = (uint64_t)(uintptr_t)place / 8 + bytes + 3 * (unsigned)how;
  for (const long long by : address.by) hash = hash * 31 + (uint64_t)by;
  Open *const ways = open_ + ((hash * 0x9e3779b97f4a7c15ull) >> 60) * WAYS, *found = nullptr;
  for (Open *way = ways; way < ways + WAYS && !found; ++way) {
    if (way->last < 0) continue;
    const Footprint &last = all_[(size_t)way->last];
    if (last.place == place && last.how == how && last.maybe == maybe && last.bytes == bytes && same_axes(last.first, address) &&
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
    found = ways + next_++ % WAYS;
    found->before = -1;
  }
  if (all_.size() == MOST) return false;
  one.covered = how != WRITE && is_covered(one);
  found->last = (int)all_.size();
  all_.push_back(one);
  return true;
}

// An index of threads or turns in an address.
struct Digit {
  long long by, count;
};

// Whether different digits mean different bytes.
static bool distinct(Digit *digits, unsigned count, long long bytes) {
  std::sort(digits, digits + count, [](const Digit &a, const Digit &b) { return llabs(a.by) < llabs(b.by); });
  long long span = bytes;
  for (unsigned i = 0; i < count; ++i) {
    if (digits[i].count <= 1) continue;
    if (llabs(digits[i].by) < span) return false;
    span += llabs(digits[i].by) * (digits[i].count - 1);
  }
  return true;
}

// Whether no two threads, one with an access of each, come to the same bytes. Also for `a` and `b` being one.
bool Footprints::in_order(const Footprint &a, const Footprint &b, dim3 size) const {
  if (a.how == UPDATE && b.how == UPDATE) return true;
  if (a.bytes != b.bytes || !same_axes(a.first, b.first)) return false;
  Digit digits[2 * AXES + 4];
  unsigned count = 0;
  const unsigned sizes[] = {size.x, size.y, size.z};
  const auto low = [&](int d) { return (long long)std::min(a.box.low[d], b.box.low[d]); };
  const auto high = [&](int d) { return (long long)std::max(a.box.high[d], b.box.high[d]); };
  for (int d = 0; d < BLOCKS; ++d) {
    const long long by = a.first.by[d], by_block = a.first.by[BLOCKS + d], all = sizes[d];
    const bool blocks = low(BLOCKS + d) != high(BLOCKS + d);
    if (by && blocks && by_block == by * all) {  // one index that goes on from block to block
      long long from = -1, to = -1;
      for (const Footprint *one : {&a, &b}) {
        const long long first = one->box.low[BLOCKS + d] * all + one->box.low[d];
        const long long last = one->box.high[BLOCKS + d] * all + one->box.high[d];
        from = from < 0 ? first : std::min(from, first), to = std::max(to, last);
      }
      digits[count++] = Digit{by, to - from + 1};
      continue;
    }
    digits[count++] = Digit{by, high(d) - low(d) + 1};
    digits[count++] = Digit{by_block, high(BLOCKS + d) - low(BLOCKS + d) + 1};
  }
  long long distance = b.first.at - a.first.at;
  for (int k = 1; k >= 0; --k) {
    const long long step = a.turns[k] > 1 ? a.step[k] : b.step[k];
    long long turns = std::max(a.turns[k], b.turns[k]);
    if (turns == 1) continue;
    if (a.turns[k] > 1 && b.turns[k] > 1 && a.step[k] != b.step[k]) return false;
    turns += llabs(distance / step), distance %= step;
    digits[count++] = Digit{step, turns};
  }
  if (distance) digits[count++] = Digit{distance, 2};
  return distinct(digits, count, a.bytes);
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

bool Footprints::sound(dim3 size) {
  for (Footprint &one : all_) {
    one.low = one.high = (uintptr_t)one.first.at;
    const auto stretch = [&](long long by, long long from, long long to) {
      one.low += (uintptr_t)(by * (by < 0 ? to : from));
      one.high += (uintptr_t)(by * (by < 0 ? from : to));
    };
    for (int d = 0; d < AXES; ++d) stretch(one.first.by[d], one.box.low[d], one.box.high[d]);
    for (int k = 0; k < 2; ++k) stretch(one.step[k], 0, one.turns[k] - 1ll);
    one.high += one.bytes;
    if (one.low >= ADDRESS_LIMIT || one.high >= ADDRESS_LIMIT) return false;
  }
  std::sort(all_.begin(), all_.end(), [](const Footprint &a, const Footprint &b) { return a.low < b.low; });
  if (!bounds()) return false;
  // Those that may come to the bytes of the one that is looked at, in the order of `low`.
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].how == WRITE && !in_order(all_[i], all_[i], size)) return false;
    for (size_t k = i + 1; k < all_.size() && all_[k].low < all_[i].high; ++k)
      if ((all_[i].how != READ || all_[k].how != READ) && !in_order(all_[i], all_[k], size)) return false;
  }
  for (const Footprint &one : all_)
    if (one.how == WRITE) mark(one);
  return true;
}

}  // namespace gpuopt_emu
