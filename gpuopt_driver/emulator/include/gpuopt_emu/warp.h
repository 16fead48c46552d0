// Warp operations. Lanes named in a mask meet whatever path they came by; operations without a mask, as older programs
// use them, are for the lanes that can come before everybody else must wait.
#ifndef GPUOPT_EMU_WARP_H
#define GPUOPT_EMU_WARP_H

#include <string.h>

#include "block.h"
#include "early.h"

namespace gpuopt_emu {

// Where in the source lanes meet that name no mask: the number of the call in the source, which the rewriter gives, else its line.
// (Addresses will not do: compilers copy code.)
typedef unsigned Site;

// A lane comes to the group of those of `mask` (0: those that can come): the last one lets the others go on (the group has
// readers then), else it is put into the group's list. Ends the launch if the mask does not name the lane.
Group *join_group(Block *block, Fiber *me, Meeting kind, unsigned mask, unsigned long long value, Site site);
void part_last(Group *group);  // the group may be used again

// Waits for the others and returns the meeting; every lane ends it with part(). Threads are switched here, not in a function of the
// runtime: a processor would predict the return to be to whoever called that last, which is another lane.
static inline __attribute__((always_inline)) Group *meet(Meeting kind, unsigned mask, unsigned long long value, Site site) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // no code, but check mode sees there where the lane is
  Block *block = current_block;
  block->busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Fiber *me = current;
  Group *group = join_group(block, me, kind, mask, value, site);
  if (!group->readers) wait(block, me);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  current_block->busy = false;
  return group;
}
static inline __attribute__((always_inline)) void part(Group *group) {
  Block *block = current_block;
  block->busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!--group->readers) part_last(group);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  block->busy = false;
}

enum class Shuffle { index, up, down, exclusive_or };

// The lane to read from, or -1 where the lane keeps its own value.
static inline int source_lane(Shuffle how, unsigned lane, unsigned operand, int width) {
  const unsigned segment = lane & ~(unsigned)(width - 1), last = segment + (unsigned)width - 1;
  switch (how) {
    case Shuffle::index: return (int)(segment + (operand & (unsigned)(width - 1)));
    case Shuffle::up: return lane >= segment + operand ? (int)(lane - operand) : -1;
    case Shuffle::down: return lane + operand <= last ? (int)(lane + operand) : -1;
    case Shuffle::exclusive_or: return (lane ^ operand) <= last ? (int)(lane ^ operand) : -1;
  }
  return -1;
}

// Values of more than 8 bytes take several meetings.
template <class T>
static inline __attribute__((always_inline)) GPUOPT_EMU_EARLY(T) shuffle(Shuffle how, unsigned mask, T value, unsigned operand, int width,
                                                       Site site) {
  const int from = source_lane(how, lane(), operand, width);
  char bytes[(sizeof(T) + 7) / 8 * 8] = {};
  memcpy(bytes, &value, sizeof value);
  for (unsigned at = 0; at < sizeof bytes; at += 8) {
    unsigned long long word;
    memcpy(&word, bytes + at, 8);
    Group *group = meet(Meeting::shuffle, mask, word, site);
    if (from >= 0) {  // from a lane that is not there (CUDA leaves open what comes of it): 0
      word = group->arrived >> from & 1 ? group->value[from] : 0;
      memcpy(bytes + at, &word, 8);
    }
    part(group);
  }
  memcpy(&value, bytes, sizeof value);
  return value;
}

// The words of all lanes for everybody; 0 for a lane that is not there.
template <unsigned Count>
static inline void exchange(const unsigned long long (&mine)[Count], unsigned long long (&all)[WARP][Count]) {
  for (unsigned w = 0; w < Count; ++w) {
    Group *group = meet(Meeting::shuffle, ~0u, mine[w], 0);
    for (unsigned lane = 0; lane < WARP; ++lane) all[lane][w] = group->arrived >> lane & 1 ? group->value[lane] : 0;
    part(group);
  }
}

// The lanes that came, and those of them with a true predicate.
struct Vote { unsigned lanes, trues; };

static inline __attribute__((always_inline)) Vote vote(unsigned mask, bool predicate, Site site) {
  Group *group = meet(Meeting::vote, mask, predicate, site);
  const Vote result = {group->arrived, group->trues};
  part(group);
  return result;
}

static inline __attribute__((always_inline)) unsigned active_lanes(Site site) {
  Group *group = meet(Meeting::active, 0, 0, site);
  const unsigned lanes = group->arrived;
  part(group);
  return lanes;
}

template <class T> static inline GPUOPT_EMU_EARLY(unsigned) match(unsigned mask, T value, bool *all) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  Group *group = meet(Meeting::match, mask, bits, 0);
  if (!group->has_result) {  // the first lane that goes on finds for all which lanes have the same
    for (unsigned rest = group->arrived; rest;) {
      const unsigned long long wanted = group->value[__builtin_ctz(rest)];
      unsigned equal = 0;
      for (unsigned one = 0; one < WARP; ++one) equal |= (unsigned)(group->value[one] == wanted) << one;
      equal &= rest;
      rest &= ~equal;
      for (unsigned left = equal; left; left &= left - 1) group->value[__builtin_ctz(left)] = equal;
    }
    group->has_result = true;
  }
  const unsigned same = (unsigned)group->value[lane()];
  if (all) *all = same == group->arrived;
  part(group);
  return same;
}

template <class T, class Join> static inline GPUOPT_EMU_EARLY(T) reduce(unsigned mask, T value, Join join) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  Group *group = meet(Meeting::reduce, mask, bits, 0);
  if (!group->has_result) {  // all lanes would compute the same
    bool first = true;
    for (unsigned rest = group->arrived; rest; rest &= rest - 1, first = false) {
      T other;
      memcpy(&other, &group->value[__builtin_ctz(rest)], sizeof other);
      value = first ? other : join(value, other);
    }
    memcpy(&group->result, &value, sizeof value);
    group->has_result = true;
  }
  memcpy(&value, &group->result, sizeof value);
  part(group);
  return value;
}

}  // namespace gpuopt_emu

#define GPUOPT_EMU_INLINE static inline __attribute__((always_inline))
#define GPUOPT_EMU_SITE gpuopt_emu::Site site = __builtin_LINE()

GPUOPT_EMU_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  gpuopt_emu::part(gpuopt_emu::meet(gpuopt_emu::Meeting::sync, mask, 0, 0));
}
GPUOPT_EMU_INLINE unsigned __activemask(GPUOPT_EMU_SITE) { return gpuopt_emu::active_lanes(site); }

// CUDA's shuffles take eight types and those of 16 bits, so that smaller integers become `int`; ours, for groups, take any.
#define GPUOPT_EMU_SHUFFLED_ANY(suffix, how, operand_type)                                                            \
  namespace gpuopt_emu {                                                                                              \
  template <class T>                                                                                                  \
  GPUOPT_EMU_INLINE T shfl##suffix##_of_any(unsigned mask, T value, operand_type operand, int width = 32) {           \
    return shuffle(Shuffle::how, mask, value, (unsigned)operand, width, 0);                                           \
  }                                                                                                                   \
  }
#define GPUOPT_EMU_SHUFFLED(suffix, how, operand_type, Tt)                                                            \
  GPUOPT_EMU_INLINE Tt __shfl##suffix##_sync(unsigned mask, Tt value, operand_type operand, int width = 32) {         \
    return gpuopt_emu::shuffle(gpuopt_emu::Shuffle::how, mask, value, (unsigned)operand, width, 0);                   \
  }                                                                                                                   \
  GPUOPT_EMU_INLINE Tt __shfl##suffix(Tt value, operand_type operand, int width = 32,                                 \
                                      gpuopt_emu::Site site = __builtin_LINE()) {                                     \
    return gpuopt_emu::shuffle(gpuopt_emu::Shuffle::how, 0, value, (unsigned)operand, width, site);                   \
  }                                                                                                                   \
  namespace gpuopt_emu {                                                                                              \
  template <Site Ss> GPUOPT_EMU_INLINE Tt shfl##suffix##_at(Tt value, operand_type operand, int width = 32) {         \
    return shuffle(Shuffle::how, 0, value, (unsigned)operand, width, Ss);                                             \
  }                                                                                                                   \
  }
GPUOPT_EMU_SHUFFLED_ANY(, index, int)
GPUOPT_EMU_SHUFFLED_ANY(_up, up, unsigned)
GPUOPT_EMU_SHUFFLED_ANY(_down, down, unsigned)
GPUOPT_EMU_SHUFFLED_ANY(_xor, exclusive_or, int)
#undef GPUOPT_EMU_SHUFFLED_ANY
#define GPUOPT_EMU_SHUFFLES(Tt)                       \
  GPUOPT_EMU_SHUFFLED(, index, int, Tt)               \
  GPUOPT_EMU_SHUFFLED(_up, up, unsigned, Tt)          \
  GPUOPT_EMU_SHUFFLED(_down, down, unsigned, Tt)      \
  GPUOPT_EMU_SHUFFLED(_xor, exclusive_or, int, Tt)
GPUOPT_EMU_SHUFFLES(int)
GPUOPT_EMU_SHUFFLES(unsigned)
GPUOPT_EMU_SHUFFLES(long)
GPUOPT_EMU_SHUFFLES(unsigned long)
GPUOPT_EMU_SHUFFLES(long long)
GPUOPT_EMU_SHUFFLES(unsigned long long)
GPUOPT_EMU_SHUFFLES(float)
GPUOPT_EMU_SHUFFLES(double)

GPUOPT_EMU_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return gpuopt_emu::vote(mask, predicate != 0, 0).trues;
}
GPUOPT_EMU_INLINE int __any_sync(unsigned mask, int predicate) {
  return gpuopt_emu::vote(mask, predicate != 0, 0).trues != 0;
}
GPUOPT_EMU_INLINE int __all_sync(unsigned mask, int predicate) {
  const gpuopt_emu::Vote vote = gpuopt_emu::vote(mask, predicate != 0, 0);
  return vote.trues == vote.lanes;
}
GPUOPT_EMU_INLINE int __uni_sync(unsigned mask, int predicate) {
  const gpuopt_emu::Vote vote = gpuopt_emu::vote(mask, predicate != 0, 0);
  return vote.trues == vote.lanes || vote.trues == 0;
}
GPUOPT_EMU_INLINE unsigned __ballot(int predicate, GPUOPT_EMU_SITE) {
  return gpuopt_emu::vote(0, predicate != 0, site).trues;
}
GPUOPT_EMU_INLINE int __any(int predicate, GPUOPT_EMU_SITE) { return gpuopt_emu::vote(0, predicate != 0, site).trues != 0; }
GPUOPT_EMU_INLINE int __all(int predicate, GPUOPT_EMU_SITE) {
  const gpuopt_emu::Vote vote = gpuopt_emu::vote(0, predicate != 0, site);
  return vote.trues == vote.lanes;
}

namespace gpuopt_emu {
// The lanes that can come wait for each other.
template <Site Ss> GPUOPT_EMU_INLINE void step_at() {
  if (on_device()) part(meet(Meeting::sync, 0, 0, Ss));
}
// The same where a program counts on steps of which CUDA says nothing: emulator/steps. It orders nothing.
template <Site Ss> GPUOPT_EMU_INLINE void in_step_at() {
  if (on_device()) part(meet(Meeting::step, 0, 0, Ss));
}
template <Site Ss> GPUOPT_EMU_INLINE unsigned activemask_at() { return active_lanes(Ss); }
template <Site Ss> GPUOPT_EMU_INLINE unsigned ballot_at(int predicate) { return __ballot(predicate, Ss); }
template <Site Ss> GPUOPT_EMU_INLINE int any_at(int predicate) { return __any(predicate, Ss); }
template <Site Ss> GPUOPT_EMU_INLINE int all_at(int predicate) { return __all(predicate, Ss); }
}  // namespace gpuopt_emu

#define GPUOPT_EMU_MATCH(Tt)                                                                                        \
  GPUOPT_EMU_INLINE unsigned __match_any_sync(unsigned mask, Tt value) { return gpuopt_emu::match(mask, value, nullptr); } \
  GPUOPT_EMU_INLINE unsigned __match_all_sync(unsigned mask, Tt value, int *predicate) {                            \
    bool all;                                                                                                       \
    gpuopt_emu::match(mask, value, &all);                                                                           \
    *predicate = all;                                                                                               \
    return all ? mask : 0;                                                                                          \
  }
GPUOPT_EMU_MATCH(int)
GPUOPT_EMU_MATCH(unsigned)
GPUOPT_EMU_MATCH(long)
GPUOPT_EMU_MATCH(unsigned long)
GPUOPT_EMU_MATCH(long long)
GPUOPT_EMU_MATCH(unsigned long long)
GPUOPT_EMU_MATCH(float)
GPUOPT_EMU_MATCH(double)
#undef GPUOPT_EMU_MATCH

#define GPUOPT_EMU_REDUCE(name, type, expression)                                               \
  GPUOPT_EMU_INLINE type __reduce_##name##_sync(unsigned mask, type value) {                    \
    return gpuopt_emu::reduce(mask, value, [](type a, type b) -> type { return expression; });  \
  }
GPUOPT_EMU_REDUCE(add, unsigned, a + b)
GPUOPT_EMU_REDUCE(min, unsigned, a < b ? a : b)
GPUOPT_EMU_REDUCE(max, unsigned, a > b ? a : b)
GPUOPT_EMU_REDUCE(and, unsigned, a & b)
GPUOPT_EMU_REDUCE(or, unsigned, a | b)
GPUOPT_EMU_REDUCE(xor, unsigned, a ^ b)
GPUOPT_EMU_REDUCE(add, int, (int)((unsigned)a + (unsigned)b))
GPUOPT_EMU_REDUCE(min, int, a < b ? a : b)
GPUOPT_EMU_REDUCE(max, int, a > b ? a : b)
#undef GPUOPT_EMU_REDUCE
#undef GPUOPT_EMU_SITE

#endif
