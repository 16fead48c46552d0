#include "model_cache.h"

#include <algorithm>

namespace gpuopt_emu {

void Cache::set_up(size_t bytes, unsigned ways, Index index, double guarded_part, double random_part, unsigned slices,
                   bool timed) {
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
    slices_ = Slices((unsigned)std::min((size_t)slices, sets_));
    slice_sets_ = sets_ / slices_.count();
    sets_ = slice_sets_ * slices_.count();
    capacity_ = std::min(capacity_, sets_ * ways_);
  }
  for (log_stride_ = 2; stride() < ways_;) ++log_stride_;
  in_set_ = (unsigned)stride() - 1;
  most_guarded_ = (unsigned)(guarded_part * (double)capacity_ / (double)sets_ + 0.5);
  random_part_ = (uint32_t)(random_part * 0xffffffffu);
  bytes_.resize(sets_ << log_stride_ << 3);
  arrives_.resize(timed ? places() : 0);
  clear();
}

void Cache::clear() {
  for (size_t set = 0; set < sets_; ++set) {
    std::fill_n(tags_of(set), stride(), 0u);
    std::fill_n(uses_of(set), stride(), (uint16_t)NOT_USED);
    clock_of(set) = 0;
  }
  held_ = next_set_ = 0;
  random_ = 1;
  noted_count_ = 0;
  changes_ = 1;
  known_.clear();
}

// The clock has run over: uses are numbered anew, in their order.
void Cache::renumber(size_t set) {
  uint16_t *const used = uses_of(set);
  std::vector<unsigned> order(used, used + ways_);
  for (unsigned &use : order) use &= ~GUARDED;
  std::sort(order.begin(), order.end());
  for (unsigned w = 0; w < ways_; ++w) {
    const unsigned when = used[w] & ~GUARDED;
    if (used[w] == NOT_USED || !when) continue;
    used[w] = (uint16_t)((used[w] & GUARDED) | (1 + (unsigned)(std::lower_bound(order.begin(), order.end(), when) - order.begin())));
  }
  clock_of(set) = ways_ + 1;
}

#ifdef __SSE2__
// As set_of() and tag_of(), of two lines at once.
void Cache::look_up(Parts parts, unsigned count, Places *places) const {
  if (!pooled_) return;
  const __m128i lines = _mm_set1_epi64x((1ll << 40) - 1), last = _mm_set1_epi64x((long long)sets_ - 1), none = _mm_setzero_si128();
  const __m128i by = _mm_set1_epi64x((long long)parts.by);
  const __m128i once = _mm_cvtsi32_si128((int)shift_), twice = _mm_cvtsi32_si128((int)(2 * shift_)), mixing = _mm_set1_epi64x(0x9E3779B1);
  for (unsigned i = 0; i < count; i += 2) {
    const __m128i *const two = reinterpret_cast<const __m128i *>(parts.first + i);
    const __m128i moved = _mm_add_epi64(i + 1 < count ? _mm_loadu_si128(two) : _mm_loadl_epi64(two), by);
    const __m128i line = _mm_and_si128(_mm_srli_epi64(moved, 8), lines);
    const __m128i pairs = _mm_xor_si128(line, _mm_srl_epi64(line, once));
    const __m128i set = _mm_and_si128(_mm_xor_si128(pairs, _mm_srl_epi64(pairs, twice)), last);
    const __m128i tag = _mm_xor_si128(line, _mm_mul_epu32(_mm_srli_epi64(line, 32), mixing));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(places->sets + i), _mm_slli_epi64(set, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(places->tags + 2 * i), _mm_sub_epi32(tag, _mm_cmpeq_epi32(tag, none)));
  }
}
#else
void Cache::look_up(Parts, unsigned, Places *) const {}
#endif

uint64_t Cache::lacking(Parts parts, const Places &places, unsigned from, unsigned count) const {
  uint64_t found = 0;
#ifdef __SSE2__
  if (pooled_) {
    const unsigned char *const bytes = bytes_.data();
    for (unsigned i = from; i < count; ++i) {
      const unsigned char *const set = bytes + places.sets[i];
      const unsigned ways = ways_with(set, places.tags[2 * i]);
      const unsigned state = ways ? set[6 * POOLED_WAYS + ((unsigned)__builtin_ctz(ways) >> 1)] : 0;
      found |= (uint64_t)((sectors_of(parts.first[i]) & ~state) != 0) << i;
    }
    return found;
  }
#endif
  for (unsigned i = from; i < count; ++i) {
    const int at = find(line_of(parts[i]));
    found |= (uint64_t)(at < 0 || sectors_of(parts[i]) & ~valid(at)) << i;
  }
  return found;
}

int Cache::free_way(size_t set) const {
  const uint32_t *const tags = tags_of(set);
  for (unsigned w = 0; w < ways_; ++w)
    if (!tags[w]) return place_of(set, w);
  return -1;
}

// The line used longest ago, of those whose use is at least `from`; -1 where there is none.
int Cache::oldest(size_t set, unsigned from) const {
  const bool keeps = kept_ != ~0ull;
  unsigned lowest = NOT_USED;
  int found = -1;
  const uint16_t *const used = uses_of(set);
  for (unsigned w = 0; w < ways_; ++w) {
    if (used[w] >= lowest || used[w] < from) continue;
    const int at = place_of(set, w);
    if (keeps && marked(at) && arrives_[(size_t)at] > kept_) continue;
    lowest = used[w], found = at;
  }
  return found;
}

// Makes a line one of those used twice; of these the one used longest ago may lose that.
void Cache::guard(int at) {
  const size_t set = set_at(at);
  const uint16_t *const used = uses_of(set);
  unsigned count = 0;
  for (unsigned w = 0; w < ways_; ++w) count += used[w] >= GUARDED && used[w] != NOT_USED;
  if (count >= most_guarded_) {
    if (noted_count_) tell_sets();
    const int last = oldest(set, GUARDED);
    if (last >= 0) {
      forget_known(last);
      use_at(last) = (uint16_t)tick(set);
    }
  }
  if (__builtin_expect(noted_count_ == 0, 1)) {
    use_at(at) = (uint16_t)(tick(set) | GUARDED);
    return;
  }
  use_at(at) |= GUARDED;
  use_in_turn(at);
}

void Cache::rank_again(int at, Rank rank) {
  if (rank != Rank::first_out) return guard(at);
  if (noted_count_) tell_sets();
  if (use_at(at) < GUARDED) use_at(at) = 0;  // else it was used twice by others
}

int Cache::victim(size_t set, bool among_guarded) {
  const int guarded = among_guarded ? oldest(set, GUARDED) : -1;
  const int at = guarded >= 0 ? guarded : oldest(set, 0);
  if (at < 0 || !random_part_ || !use_at(at) || use_at(at) >= GUARDED) return at;
  random_ = random_ * 1664525u + 1013904223u;
  if (random_ >= random_part_) return at;
  unsigned left = (random_ >> 8) % ways_;  // any that is not guarded: the next one from a random way on
  for (unsigned k = 0; k < ways_; ++k, left = (left + 1) % ways_)
    if (uses_of(set)[left] < GUARDED) return place_of(set, left);
  return at;
}

uint64_t Cache::place_free_from(uint64_t line, uint64_t now) {
  uint64_t soonest = ~0ull;
  const size_t set = set_of(line);
  for (unsigned w = 0; w < ways_ && soonest > now; ++w) {
    const int at = place_of(set, w);
    soonest = std::min(soonest, tags_of(set)[w] && marked(at) ? arrives_[(size_t)at] : 0);
  }
  return kept_ = std::max(now, soonest);
}

int Cache::insert(uint64_t number, Rank rank, Evicted *evicted) {
  const size_t set = set_of(number);
  evicted->any = false;
  int at = held_ < capacity_ ? free_way(set) : -1;
  if (at < 0) {
    if (noted_count_) tell_sets();
    at = victim(set, rank == Rank::stays);
    while (at < 0) {  // the pool's lines are all in other sets
      at = victim(next_set_, rank == Rank::stays);
      next_set_ = (next_set_ + 1) % sets_;
    }
    forget_known(at);
    *evicted = Evicted{tag_at(at), at, marked(at), true};
    if (set_at(at) != set) {
      tag_at(at) = 0;
      use_at(at) = NOT_USED;
      at = free_way(set);
    }
  } else {
    ++held_;
  }
  tag_at(at) = tag_of(number);
  state_at(at) = 0;
  if (!arrives_.empty()) arrives_[(size_t)at] = 0;
  const bool later = noted_count_ != 0 && rank != Rank::first_out;
  use_at(at) = later || rank == Rank::first_out ? 0 : (uint16_t)tick(set);
  if (__builtin_expect(later, 0)) use_in_turn(at);
  if (rank == Rank::stays && most_guarded_) guard(at);
  return at;
}

void Cache::drop(int at) {
  if (noted_count_) tell_sets();
  forget_known(at);
  tag_at(at) = 0;
  use_at(at) = NOT_USED;
  --held_;
}

}  // namespace gpuopt_emu
