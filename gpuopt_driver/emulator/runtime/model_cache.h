// A cache of lines of 128 bytes in sectors of 32: sets, replacement, what is on its way. What it holds, not how fast.
#ifndef GPUOPT_EMU_MODEL_CACHE_H
#define GPUOPT_EMU_MODEL_CACHE_H

#include <stdint.h>

#include <algorithm>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model_coalesce.h"
#include "model_pages.h"

namespace gpuopt_emu {

// How lines enter, or are touched: those used once are given up before those used twice where the policy says so.
enum class Rank : unsigned char { normal, first_out, stays };

// Which slice of L2 a line is in: address fields folded by exclusive or, so that strides spread, and a remainder, since
// the number of slices may be no power of two.
class Slices {
 public:
  explicit Slices(unsigned count = 1) : count_(count), inverse_((1ull << 40) / count + 1) {}
  unsigned count() const { return count_; }
  unsigned of(uint64_t line) const {
    const uint64_t folded = (line ^ line >> 15 ^ line >> 30) & 0x7fff;
    return (unsigned)(folded - (folded * inverse_ >> 40) * count_);
  }

 private:
  unsigned count_;
  uint64_t inverse_;  // of the count, in units of 2^-40
};

class Cache {
 public:
  struct Evicted {
    uint32_t tag;
    int at;           // where it was
    unsigned marked;  // sectors
    bool any;
  };

  // ways 0: sets of eight tags, whose lines share one pool of data, as an H200's do. `guarded_part`: of each set, for
  // lines used twice; 0: the least recently used goes. `random_part`: of the victims, any line that is not guarded.
  // `slices`: equal parts of its sets; which one a line is in says Slices. `timed`: it is known when lines arrive.
  void set_up(size_t bytes, unsigned ways, Index index, double guarded_part, double random_part = 0, unsigned slices = 1,
              bool timed = false);
  void clear();
  size_t places() const { return sets_ << log_stride_; }
  size_t lines() const { return capacity_; }
  size_t held() const { return held_; }

  static uint32_t tag_of(uint64_t line) {
    const uint32_t tag = (uint32_t)line ^ (uint32_t)(line >> 32) * 0x9E3779B1u;
    return tag ? tag : 1;
  }
  int find(uint64_t line) const;  // -1: it is not there
  // Where the lines of a load may be: of a pool, their sets and tags.
  struct Places {
    uint64_t sets[MOST_PARTS];  // bytes from the first one
    uint32_t tags[2 * MOST_PARTS];  // every other one
  };
  void look_up(Parts parts, unsigned count, Places *places) const;
  int find(Parts parts, const Places &places, unsigned i) const {  // of a line that was looked up
#ifdef __SSE2__
    if (pooled_) {
      const unsigned ways = ways_with(bytes_.data() + places.sets[i], places.tags[2 * i]);
      return ways ? (int)(places.sets[i] >> 3 | (unsigned)__builtin_ctz(ways) >> 1) : -1;
    }
#endif
    return find(line_of(parts[i]));
  }
  // Which of the lines from number `from` on lack some of the sectors asked for, a bit each.
  uint64_t lacking(Parts parts, const Places &places, unsigned from, unsigned count) const;
  // Uses lines that were looked up, one per cycle from number `from` at `now` on, until one lacks some of the sectors
  // asked for. Its number, and where it is; when the last of the sectors that are on their way will be there, if later.
  struct Used {
    unsigned end;
    int at;
    uint64_t arrive;
  };
  void use_all(Parts parts, const Places &places, unsigned from, unsigned count, Rank rank, uint64_t now, Used *used);
  // Loads of many lines that come again and again have numbers, by what they ask for (model_instruction.h). Where all
  // lines of such a load, `by` from those of its number, are as they were when it was remembered, they are used all at once.
  // Some may have been on their way then.
  int known_as(NumberedLoad load, uint64_t by) const {  // where that is remembered; -1: nowhere
    if (known_.empty()) return -1;
    unsigned i = known_at(load.lines, by);
    if (!known_[i].is(load.lines, by)) i ^= 1;
    const Known &one = known_[i];
    if (!one.is(load.lines, by) || one.since != changes_ || load.sectors & ~one.sectors) return -1;
    return !(load.sectors & one.marked) || (load.alike && load.sectors == one.waits) ? (int)i : -1;
  }
  // When the last of its sectors is there; 0: none was on its way.
  uint64_t known_arrives(int known, NumberedLoad load) const {
    const Known &one = known_[(size_t)known];
    return load.sectors & one.marked ? one.arrives : 0;
  }
  void use_again(int known) {
    if (__builtin_expect(noted_count_ == MOST_NOTED, 0)) drop_repeated();
    known_[(size_t)known].noted = (uint16_t)noted_count_;
    noted_[noted_count_++] = (uint16_t)(FIRST_KNOWN + (unsigned)known);
  }
  // All lines were used just now, as no first_out. One that was not seen lately is remembered when it comes once more.
  void remember(NumberedLoad load, Parts parts, const Places &looked_up, unsigned count);
  void fetch_early(uint64_t line) const {  // into the processor's own cache, for find()
    const size_t set = set_of(line);
    const unsigned char *const at = start_of(set);
    gpuopt_emu::fetch_early(at);
    for (size_t k = 64; k < 8 * stride(); k += 64) gpuopt_emu::fetch_early(at + k);
  }
  // Of a line: sectors that are there, and those that are marked. Of L2 these are dirty, of L1 on their way.
  unsigned valid(int at) const { return state_at(at) & 15u; }
  unsigned marked(int at) const { return state_at(at) >> 4; }
  void set_valid(int at, unsigned sectors) { state_at(at) = (unsigned char)((state_at(at) & 0xf0u) | sectors); }
  void waits_longer(int at) { forget_known(at); }  // for sectors that are marked
  void add(int at, unsigned sectors, unsigned marked = 0) {
    if (valid(at) & marked) forget_known(at);
    state_at(at) |= (unsigned char)(sectors | marked << 4);
  }
  void clear_marks(int at) { state_at(at) &= 15u; }
  uint64_t &arrives(int at) { return arrives_[(size_t)at]; }  // when what was asked for last is there
  void touch(int at, Rank rank) {
    if (rank == Rank::first_out || (!(use_at(at) & GUARDED) && most_guarded_)) rank_again(at, rank);
    else use_in_turn(at);
  }
  int insert(uint64_t line, Rank rank, Evicted *evicted);  // of a line that is not there
  void drop(int at);
  // When a place for this line is free, if those of lines on their way are not; insert() at that time keeps to it.
  uint64_t place_free_from(uint64_t line, uint64_t now);

 private:
  // A load that is remembered: where its lines are, as long as `since` is the number of changes to any of such lines.
  static constexpr unsigned MOST_KNOWN = 46, MOST_KNOWN_LINES = 32, MOST_NOTED = 512;  // even; 4 kB, and 1 kB
  static constexpr unsigned FIRST_KNOWN = (1u << 16) - MOST_KNOWN;  // below are places
  struct Known {
    uint64_t by;
    uint32_t lines, since;   // their number; since 0: they were seen once
    uint64_t arrives;        // the last of the sectors `waits`, of those that were on their way
    uint16_t noted;          // the last of its entries in `noted_`
    unsigned char count, sectors, marked, waits;  // sectors: that all lines have; marked: that some were waiting for
    uint16_t at[MOST_KNOWN_LINES];
    bool is(uint32_t number, uint64_t away) const { return lines == number && by == away; }
  };
  // One of the two places where a load can be remembered, the other one is beside it.
  static unsigned known_at(uint32_t lines, uint64_t by) {
    return (unsigned)(((lines + (by >> 8)) * 0x9E3779B97F4A7C15ull >> 32) * MOST_KNOWN >> 32);
  }
  void use_now(int at) {
    uint16_t &used = use_at(at);
    used = (uint16_t)(tick(set_at(at)) | (used & GUARDED));
  }
  void use_in_turn(int at) {
    if (__builtin_expect(noted_count_ == 0, 1)) return use_now(at);
    if (__builtin_expect(noted_count_ == MOST_NOTED, 0)) drop_repeated();
    noted_[noted_count_++] = (uint16_t)at;
  }
  void drop_repeated();
  void tell_sets();
  void forget_known(int at) {  // before it changes
    if (!known_.empty() && of_known_[(size_t)at / 8] >> at % 8 & 1) forget_all_known();
  }
  void forget_all_known();

  size_t set_of(uint64_t line) const;
#ifdef __SSE2__
  // Of eight ways, which have the tag: two bits each.
  static unsigned ways_with(const void *tags, uint32_t tag) {
    const __m128i wanted = _mm_set1_epi32((int)tag), *const both = static_cast<const __m128i *>(tags);
    return (unsigned)_mm_movemask_epi8(
        _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(both), wanted), _mm_cmpeq_epi32(_mm_load_si128(both + 1), wanted)));
  }
#endif
  // The set's next time: uses are compared within a set alone. Where times are used up, they are numbered anew.
  unsigned tick(size_t set) {
    uint32_t &clock = clock_of(set);
    if (__builtin_expect(++clock == GUARDED - 1, 0)) renumber(set);
    return clock;
  }
  void renumber(size_t set);
  void rank_again(int at, Rank rank);
  void guard(int at);
  int free_way(size_t set) const;
  int victim(size_t set, bool among_guarded);
  int oldest(size_t set, unsigned from) const;

  static constexpr unsigned POOLED_WAYS = 8;
  uint64_t kept_ = ~0ull;  // lines that arrive later keep their places
  // What is known of a set lies together, eight bytes for each way, whose number is rounded up: tags, uses, the lines'
  // sectors, and the set's clock, which is in one line of the processor's cache for eight ways. Tag 0: nothing is there.
  // Uses: when, and whether it is protected since it was used twice; so the lowest goes first. NOT_USED where nothing is.
  size_t stride() const { return (size_t)1 << log_stride_; }
  unsigned char *start_of(size_t set) { return &bytes_[set << log_stride_ << 3]; }
  const unsigned char *start_of(size_t set) const { return &bytes_[set << log_stride_ << 3]; }
  uint32_t *tags_of(size_t set) { return reinterpret_cast<uint32_t *>(start_of(set)); }
  const uint32_t *tags_of(size_t set) const { return reinterpret_cast<const uint32_t *>(start_of(set)); }
  uint16_t *uses_of(size_t set) { return reinterpret_cast<uint16_t *>(start_of(set) + 4 * stride()); }
  const uint16_t *uses_of(size_t set) const { return reinterpret_cast<const uint16_t *>(start_of(set) + 4 * stride()); }
  const unsigned char *states_of(size_t set) const { return start_of(set) + 6 * stride(); }
  uint32_t &clock_of(size_t set) { return reinterpret_cast<uint32_t *>(start_of(set) + 7 * stride())[0]; }
  size_t set_at(int at) const { return (size_t)at >> log_stride_; }
  size_t way_of(int at) const { return (size_t)at & (stride() - 1); }
  // Where what is known of the line's set begins.
  const unsigned char *set_with(int at) const { return &bytes_[(size_t)(at & ~(int)in_set_) << 3]; }
  unsigned char *set_with(int at) { return &bytes_[(size_t)(at & ~(int)in_set_) << 3]; }
  uint32_t &tag_at(int at) { return reinterpret_cast<uint32_t *>(set_with(at))[(unsigned)at & in_set_]; }
  uint32_t tag_at(int at) const { return reinterpret_cast<const uint32_t *>(set_with(at))[(unsigned)at & in_set_]; }
  uint16_t &use_at(int at) { return reinterpret_cast<uint16_t *>(set_with(at) + 4 * (in_set_ + 1))[(unsigned)at & in_set_]; }
  unsigned char &state_at(int at) { return set_with(at)[6 * (in_set_ + 1) + ((unsigned)at & in_set_)]; }
  const unsigned char &state_at(int at) const { return set_with(at)[6 * (in_set_ + 1) + ((unsigned)at & in_set_)]; }
  int place_of(size_t set, unsigned way) const { return (int)(set << log_stride_ | way); }

  size_t sets_ = 0, capacity_ = 0, held_ = 0, next_set_ = 0, slice_sets_ = 0;
  unsigned ways_ = 0, log_stride_ = 0, in_set_ = 0, most_guarded_ = 0, shift_ = 0;
  Index index_ = Index::hashed;
  bool pooled_ = false;
  Slices slices_;
  uint32_t random_part_ = 0, random_ = 1;
  static constexpr unsigned GUARDED = 1u << 15, NOT_USED = 0xffff;
  PackedVector<unsigned char> bytes_;
  PackedVector<uint64_t> arrives_;
  // Uses that sets have not been told of, the first one first: places, or numbers of what is known. Only the order within
  // a set counts, so a load that comes again and again is told of once, before anybody looks at uses.
  unsigned noted_count_ = 0;
  uint32_t changes_ = 1;
  PackedVector<Known> known_;  // these three are empty until something is remembered
  PackedVector<uint16_t> noted_;
  PackedVector<unsigned char> of_known_;  // a bit for each place: whether it is one of a load's that is known
};

inline size_t Cache::set_of(uint64_t line) const {
  if (pooled_) {  // all groups of as many bits as there are sets, of the lower four
    const uint64_t pairs = line ^ line >> shift_;
    return (size_t)(pairs ^ pairs >> 2 * shift_) & (sets_ - 1);
  }
  if (index_ == Index::linear) return line % sets_;
  if (index_ == Index::exclusive_or) return (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
  // As measured on a GTX 470 with 32 sets (Nugteren et al., HPCA 2014): bits 13 to 15, 17 and 19 of an address count, too.
  if (index_ == Index::fermi) return (line ^ (line >> 6 & 7) ^ (line >> 7 & 8) ^ (line >> 8 & 16)) % sets_;
  const uint64_t mixed = (line ^ line >> 17) * 0x9E3779B97F4A7C15ull;
  const size_t set = (size_t)((mixed >> 32) * slice_sets_ >> 32);
  return slices_.count() == 1 ? set : slices_.of(line) * slice_sets_ + set;
}

inline __attribute__((always_inline)) int Cache::find(uint64_t line) const {
  const uint32_t tag = tag_of(line);
  const size_t set = set_of(line);
  const uint32_t *const tags = tags_of(set);
#ifdef __SSE2__
  if (pooled_) {
    const unsigned ways = ways_with(tags, tag);
    return ways ? (int)(set << 3 | (unsigned)__builtin_ctz(ways) >> 1) : -1;
  }
  const __m128i wanted = _mm_set1_epi32((int)tag);
  for (unsigned w = 0; w < stride(); w += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i *>(tags + w));
    const int equal = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)));
    if (equal) return place_of(set, w + (unsigned)__builtin_ctz((unsigned)equal));
  }
#else
  for (unsigned w = 0; w < ways_; ++w)
    if (tags[w] == tag) return place_of(set, w);
#endif
  return -1;
}

inline __attribute__((always_inline)) void Cache::use_all(Parts parts, const Places &places, unsigned from, unsigned count, Rank rank, uint64_t now, Used *used) {
  unsigned char *const bytes = bytes_.data();
  const bool guards = most_guarded_ != 0 || rank == Rank::first_out;
  unsigned i = from;
  for (; i < count; ++i, ++now) {
    const unsigned sectors = sectors_of(parts.first[i]);
#ifdef __SSE2__
    if (pooled_) {  // eight ways in 64 bytes
      unsigned char *const set = bytes + places.sets[i];
      const unsigned ways = ways_with(set, places.tags[2 * i]), way = (unsigned)__builtin_ctz(ways | 1u << 16) >> 1;
      used->at = ways ? (int)(places.sets[i] >> 3 | way) : -1;
      if (!ways || sectors & ~(unsigned)set[6 * POOLED_WAYS + way]) break;
      if (__builtin_expect(guards && !(reinterpret_cast<uint16_t *>(set + 4 * POOLED_WAYS)[way] & GUARDED), 0)) touch(used->at, rank);
      else use_in_turn(used->at);
      if (__builtin_expect(!(sectors & (unsigned)set[6 * POOLED_WAYS + way] >> 4), 1)) continue;
    } else
#endif
    {
      used->at = find(line_of(parts[i]));
      if (used->at < 0 || sectors & ~valid(used->at)) break;
      touch(used->at, rank);
      if (!(sectors & marked(used->at))) continue;
    }
    const uint64_t arrives = arrives_[(size_t)used->at];
    if (arrives > now) used->arrive = std::max(used->arrive, arrives);
    else clear_marks(used->at);
  }
  used->end = i;
}

}  // namespace gpuopt_emu

#endif
