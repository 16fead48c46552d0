// PTX warp operations: shuffles, votes, and matrices spread over a warp.
#ifndef GPUOPT_EMU_PTX_WARP_H
#define GPUOPT_EMU_PTX_WARP_H

#include <type_traits>

#include "tensor.h"
#include "warp.h"

namespace gpuopt_emu {
namespace ptx {

template <class T> struct Both {
  T value;
  bool predicate;
};

// The lowest five bits of `clamp` bound the source lane, bits 8 to 12 say which bits of the lane number are fixed.
static inline Both<unsigned> shfl(Shuffle how, unsigned mask, unsigned value, unsigned operand, unsigned clamp, Site site) {
  const unsigned me = lane(), fixed = clamp >> 8 & 31, b = operand & 31;
  const unsigned last = (me & fixed) | (clamp & 31 & ~fixed);
  int from = 0;
  bool inside = false;
  switch (how) {
    case Shuffle::up: from = (int)me - (int)b; inside = from >= (int)last; break;
    case Shuffle::down: from = (int)(me + b); inside = from <= (int)last; break;
    case Shuffle::exclusive_or: from = (int)(me ^ b); inside = from <= (int)last; break;
    case Shuffle::index: from = (int)((me & fixed) | (b & ~fixed)); inside = from <= (int)last; break;
  }
  const unsigned source = inside ? (unsigned)from : me;
  return Both<unsigned>{shuffle(Shuffle::index, mask, value, source, 32, site), inside};
}

static inline bool vote_all(unsigned mask, bool predicate, Site site) {
  const Vote result = vote(mask, predicate, site);
  return result.trues == result.lanes;
}
static inline bool vote_any(unsigned mask, bool predicate, Site site) { return vote(mask, predicate, site).trues != 0; }
static inline bool vote_uni(unsigned mask, bool predicate, Site site) {
  const Vote result = vote(mask, predicate, site);
  return result.trues == result.lanes || !result.trues;
}
static inline unsigned vote_ballot(unsigned mask, bool predicate, Site site) { return vote(mask, predicate, site).trues; }

template <class T> static inline Both<unsigned> match_all(unsigned mask, T value) {
  int all;
  const unsigned lanes = __match_all_sync(mask, value, &all);
  return Both<unsigned>{lanes, all != 0};
}
static inline Both<unsigned> elect(unsigned mask) {
  const unsigned there = __ballot_sync(mask, 1), leader = (unsigned)__builtin_ctz(there);
  return Both<unsigned>{leader, leader == lane()};
}

// Eight rows of 16 bytes per matrix, whose addresses lanes 0-7 (8-15, ...) give; every lane gets two neighbours of a row.
template <int Count, bool Transposed> static inline Vector<unsigned, Count> ldmatrix(const char *row) {
  Vector<unsigned, Count> result;
  const unsigned me = lane();
  for (int m = 0; m < Count; ++m) {
    unsigned short parts[2];
    for (int i = 0; i < 2; ++i) {
      const unsigned r = Transposed ? me % 4 * 2 + i : me / 4, c = Transposed ? me / 4 : me % 4 * 2 + i;
      const char *of = shuffle(Shuffle::index, ~0u, row, 8 * m + r, 32, 0);
      memcpy(&parts[i], of + 2 * c, 2);
    }
    result.part[m] = parts[0] | (unsigned)parts[1] << 16;
  }
  __syncwarp();
  return result;
}

struct Words {
  unsigned word[8];
};

// Elements of a fragment: how many bits each has, and its value.
template <class T> struct Element;
template <> struct Element<F16> {
  enum { bits = 16 };
  static float value(unsigned b) { return half_value((unsigned short)b); }
};
template <> struct Element<BF16> {
  enum { bits = 16 };
  static float value(unsigned b) { return bfloat_value((unsigned short)b); }
};
template <> struct Element<TF32> {
  enum { bits = 32 };
  static float value(unsigned b) { return as<float>(b & ~0x1fffu); }
};
template <> struct Element<signed char> {
  enum { bits = 8 };
  static int value(unsigned b) { return (signed char)b; }
};
template <> struct Element<unsigned char> {
  enum { bits = 8 };
  static int value(unsigned b) { return (int)(b & 255); }
};
// Sums: how many words they are in, and each of them. `least`: the power of two of subnormal numbers.
template <class T> struct Accumulator {
  typedef double sum;
  static sum get(const Words &w, int i) { return as<float>(w.word[i]); }
  static void put(unsigned *w, int i, sum v, bool) { w[i] = as<unsigned>(tensor::cut(v)); }
  static double least() { return tensor::FLOAT_LEAST; }
  enum { words = 4 };
};
template <> struct Accumulator<int> {
  typedef long long sum;
  static sum get(const Words &w, int i) { return (int)w.word[i]; }
  static void put(unsigned *w, int i, sum v, bool saturate) {
    w[i] = (unsigned)(saturate && v > 0x7fffffffll ? 0x7fffffffll : saturate && v < -0x80000000ll ? -0x80000000ll : v);
  }
  enum { words = 4 };
};
template <> struct Accumulator<F16> {
  typedef double sum;
  static sum get(const Words &w, int i) { return half_value((unsigned short)(w.word[i / 2] >> 16 * (i & 1))); }
  static void put(unsigned *w, int i, sum v, bool) {
    w[i / 2] = (i & 1 ? w[i / 2] & 0xffff : 0) | (unsigned)tensor::nearest_half(v) << 16 * (i & 1);
  }
  static double least() { return tensor::HALF_LEAST; }
  enum { words = 2 };
};

// sum += a * b, of elements Aa and a sum Cc.
template <class Aa, class Cc, int Kk> static inline void add_products(const int *a, const int *b, long long &sum) {
  for (int k = 0; k < Kk; ++k) sum += a[k] * b[k];
}
template <class Aa, class Cc, int Kk> static inline void add_products(const float *a, const float *b, double &sum) {
  const double least = std::is_same<Aa, F16>::value ? tensor::HALF_LEAST : tensor::FLOAT_LEAST;
  double left[Kk], right[Kk], left_power[Kk], right_power[Kk];
  for (int k = 0; k < Kk; ++k) left[k] = a[k], right[k] = b[k];
  tensor::powers<Kk>(left, left_power, least);
  tensor::powers<Kk>(right, right_power, least);
  tensor::add_any_products<Kk, 1>(left, left_power, right, right_power, &sum, Accumulator<Cc>::least());
}

// mma.m16n8kK: a row-major 16xK, b column-major Kx8, c and d 16x8, spread over the warp as the PTX manual draws it; summed as tensor cores sum.
template <int Kk, class Aa, class Bb, class Cc, class Dd>
static inline Vector<unsigned, Accumulator<Dd>::words> mma(Words a, Words b, Words c, bool saturate = false) {
  enum { each = 32 / Element<Aa>::bits, groups = Kk / (4 * each), a_words = groups * 2, b_words = groups };
  struct Both {
    unsigned a[a_words], b[b_words];
  };
  enum { count = (sizeof(Both) + 7) / 8 };
  Both both, all[WARP];
  for (int w = 0; w < a_words; ++w) both.a[w] = a.word[w];
  for (int w = 0; w < b_words; ++w) both.b[w] = b.word[w];
  unsigned long long mine[count] = {}, words[WARP][count];
  memcpy(mine, &both, sizeof both);
  exchange(mine, words);
  for (int from = 0; from < WARP; ++from) memcpy(&all[from], words[from], sizeof both);
  Vector<unsigned, Accumulator<Dd>::words> result;
  const int me = (int)lane();
  for (int i = 0; i < 4; ++i) {
    const int row = me / 4 + 8 * (i / 2), column = me % 4 * 2 + (i & 1);
    typename Accumulator<Dd>::sum sum = Accumulator<Cc>::get(c, i);
    decltype(Element<Aa>::value(0)) left[Kk];
    decltype(Element<Bb>::value(0)) right[Kk];
    for (int k = 0; k < Kk; ++k) {
      const int group = k / (4 * each), in_group = k % (4 * each), shift = in_group % each * Element<Aa>::bits;
      const unsigned wa = all[row % 8 * 4 + in_group / each].a[group * 2 + row / 8];
      const unsigned wb = all[column * 4 + in_group / each].b[group];
      left[k] = Element<Aa>::value(wa >> shift);
      right[k] = Element<Bb>::value(wb >> shift);
    }
    add_products<Aa, Cc, Kk>(left, right, sum);
    Accumulator<Dd>::put(result.part, i, sum, saturate);
  }
  return result;
}

// mma of doubles, 8 or 16 rows and 8 columns, spread likewise.
struct Doubles {
  double number[8];
};
template <int Mm, int Kk> static inline Vector<double, Mm / 4> mma(Doubles a, Doubles b, Doubles c) {
  enum { halves = Mm / 8, a_count = Mm * Kk / 32, b_count = Kk / 4, count = a_count + b_count };
  unsigned long long mine[count], given[WARP][count];
  memcpy(mine, a.number, a_count * sizeof(double));
  memcpy(mine + a_count, b.number, b_count * sizeof(double));
  exchange(mine, given);
  Vector<double, Mm / 4> result;
  const int me = (int)lane();
  for (int i = 0; i < Mm / 4; ++i) {
    const int row = me / 4, column = me % 4 * 2 + (i & 1);
    double sum = c.number[i];
    for (int k = 0; k < Kk; ++k)
      sum = tensor::add_product(as<double>(given[row * 4 + k % 4][k / 4 * halves + i / 2]),
                                as<double>(given[column * 4 + k % 4][a_count + k / 4]), sum);
    result.part[i] = sum;
  }
  return result;
}

}  // namespace ptx
}  // namespace gpuopt_emu

#endif
