// Loads that come again and again, as a cache remembers them, and uses of lines that it will tell its sets of later.
#include <algorithm>

#include "model_cache.h"

namespace gpuopt_emu {

void Cache::remember(NumberedLoad load, Parts parts, const Places &looked_up, unsigned count) {
  if (known_.empty()) {
    if (places() > FIRST_KNOWN) return;
    known_.assign(MOST_KNOWN, Known());
    noted_.resize(MOST_NOTED);
    of_known_.assign((places() + 7) / 8, 0);
  }
  if (count > MOST_KNOWN_LINES) return;
  Known *const two = &known_[known_at(load.lines, parts.by) & ~1u];
  unsigned which = two[1].is(load.lines, parts.by);
  if (!which && !two->is(load.lines, parts.by)) {
    if (two->since == changes_) which = two[1].since != changes_ || two[1].noted < two->noted;
    if (two[which].since == changes_) tell_sets();
    two[which].lines = load.lines, two[which].by = parts.by, two[which].since = 0;
    return;
  }
  Known &one = two[which];
  one.since = 0;
  unsigned sectors = 15, marks = 0;
  uint64_t arrive = 0;
  for (unsigned i = 0; i < count; ++i) {
    const int at = find(parts, looked_up, i);
    if (at < 0 || (most_guarded_ && !(use_at(at) & GUARDED))) return;  // the load's other lines took that from it
    sectors &= valid(at);
    marks |= marked(at);
    if (marked(at) & load.sectors) arrive = std::max(arrive, arrives_[(size_t)at]);
    one.at[i] = (uint16_t)at;
    of_known_[(size_t)at / 8] |= (unsigned char)(1u << at % 8);
  }
  one.count = (unsigned char)count;
  one.sectors = (unsigned char)sectors;
  one.marked = (unsigned char)marks;
  one.waits = (unsigned char)load.sectors;
  one.arrives = arrive;
  one.since = changes_;
}

// Of uses that come again the last ones alone are kept, which leaves few: fewer sets have to be looked at than if they
// were told each time. Where many are left they are told.
void Cache::drop_repeated() {
  static unsigned char kept[1u << 16];  // always none between calls
  uint16_t *const noted = noted_.data();
  unsigned first = noted_count_;
  for (unsigned i = noted_count_; i--;) {  // without branches
    const uint16_t at = noted[first - 1] = noted[i];
    first -= !kept[at];
    kept[at] = 1;
  }
  for (unsigned i = first; i < noted_count_; ++i) {
    const uint16_t at = noted[i - first] = noted[i];
    kept[at] = 0;
    if (at >= FIRST_KNOWN) known_[at - FIRST_KNOWN].noted = (uint16_t)(i - first);
  }
  noted_count_ -= first;
  if (noted_count_ > MOST_NOTED / 2) tell_sets();
}

void Cache::tell_sets() {
  const unsigned count = noted_count_, log_stride = log_stride_, in_set = (1u << log_stride) - 1;
  unsigned char *const bytes = bytes_.data();
  const uint16_t *const noted = noted_.data();
  const auto use = [&](unsigned at) {  // as use_now()
    unsigned char *const set = bytes + ((size_t)(at & ~in_set) << 3);
    uint32_t &clock = reinterpret_cast<uint32_t *>(set + (7u << log_stride))[0];
    uint16_t &used = reinterpret_cast<uint16_t *>(set + (4u << log_stride))[at & in_set];
    if (__builtin_expect(++clock == GUARDED - 1, 0)) renumber(at >> log_stride);
    used = (uint16_t)(clock | (used & GUARDED));
  };
  noted_count_ = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (noted[i] < FIRST_KNOWN) {
      use(noted[i]);
      continue;
    }
    const Known &one = known_[noted[i] - FIRST_KNOWN];
    if (one.noted != i) continue;  // it comes again
    for (const uint16_t *at = one.at, *const end = at + one.count; at != end; ++at) use(*at);
  }
}

void Cache::forget_all_known() {
  if (noted_count_) tell_sets();
  ++changes_;
  std::fill(of_known_.begin(), of_known_.end(), 0);
}

}  // namespace gpuopt_emu
