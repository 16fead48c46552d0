// CUB's operators and warp-wide primitives. Steps are those of CUB's shuffles, so that sums of floats are the same bits.
#ifndef GPUOPT_EMU_CUB_WARP_H
#define GPUOPT_EMU_CUB_WARP_H

#include <iterator>
#include <type_traits>
#include <utility>

#include "warp.h"

namespace cub {

struct Sum { template <class Aa, class Bb> auto operator()(const Aa &a, const Bb &b) const -> decltype(a + b) { return a + b; } };
struct Difference { template <class Aa, class Bb> auto operator()(const Aa &a, const Bb &b) const -> decltype(a - b) { return a - b; } };
struct Division { template <class Aa, class Bb> auto operator()(const Aa &a, const Bb &b) const -> decltype(a / b) { return a / b; } };
struct Max { template <class T> T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct Equality { template <class Aa, class Bb> bool operator()(const Aa &a, const Bb &b) const { return a == b; } };
struct Inequality { template <class Aa, class Bb> bool operator()(const Aa &a, const Bb &b) const { return !(a == b); } };

template <class Key, class Value> struct KeyValuePair {
  typedef Key key_type;
  typedef Value value_type;
  Key key;
  Value value;
  KeyValuePair() = default;
  KeyValuePair(const Key &k, const Value &v) : key(k), value(v) {}
  bool operator==(const KeyValuePair &other) const { return key == other.key && value == other.value; }
  bool operator!=(const KeyValuePair &other) const { return !(*this == other); }
};
// Of equal values that with the lower index.
struct ArgMax {
  template <class Kk, class Vv> KeyValuePair<Kk, Vv> operator()(const KeyValuePair<Kk, Vv> &a, const KeyValuePair<Kk, Vv> &b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Kk, class Vv> KeyValuePair<Kk, Vv> operator()(const KeyValuePair<Kk, Vv> &a, const KeyValuePair<Kk, Vv> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

struct NullType {
  template <class T> NullType &operator=(const T &) { return *this; }
};

inline unsigned LaneId() { return gpuopt_emu::lane(); }
inline unsigned WarpId() { return gpuopt_emu::current->linear / 32; }
inline int RowMajorTid(int across, int down, int) {
  const uint3 at = gpuopt_emu::thread_index();
  return (int)at.x + across * ((int)at.y + down * (int)at.z);
}
inline void CTA_SYNC() { gpuopt_emu::block_barrier(); }
inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }

namespace detail {

// Bytes for shared memory: without constructors, so that it can be a member of unions.
template <class T, int Nn> struct Raw {
  alignas(T) unsigned char bytes[sizeof(T) * Nn];
  T *data() { return reinterpret_cast<T *>(bytes); }
};
template <class T> void place(T *at, const T &value) { new (static_cast<void *>(at)) T(value); }

// Lanes [0, valid) of `values`, in the steps of a reduction by shuffles; the result is in the first.
template <class T, class Op> void reduce_lanes(T *values, int valid, Op op) {
  for (int step = 1; step < 32; step *= 2)
    for (int lane = 0; lane + step < valid; ++lane) values[lane] = op(values[lane], values[lane + step]);
}

template <int Nn, class T, class Op> T reduce_items(const T (&items)[Nn], Op op) {
  T sum = items[0];
  for (int i = 1; i < Nn; ++i) sum = op(sum, items[i]);
  return sum;
}

// Sums of small numbers are a tree, as CUB has them.
template <int Nn, class T> T reduce_items(const T (&items)[Nn], Sum op) {
  if (sizeof(T) >= 8) {
    T sum = items[0];
    for (int i = 1; i < Nn; ++i) sum = op(sum, items[i]);
    return sum;
  }
  Raw<T, Nn> copy;
  T *const sums = copy.data();
  for (int i = 0; i < Nn; ++i) place(sums + i, items[i]);
  for (int step = 1; step < Nn; step *= 2)
    for (int i = 0; i + step < Nn; i += 2 * step) sums[i] = op(sums[i], sums[i + step]);
  return sums[0];
}

}  // namespace detail

// Lanes [0, Width) of each logical warp.
template <class T, int Width = 32, int = 0> class WarpReduce {
  static_assert(Width > 0 && Width <= 32, "a logical warp has 1 to 32 lanes");
  enum { SEGMENT = Width & (Width - 1) ? 32 : Width };
  unsigned first() const { return gpuopt_emu::lane() / SEGMENT * SEGMENT; }
  unsigned mask() const { return (Width == 32 ? ~0u : (1u << Width) - 1) << first(); }
  // What all lanes hold.
  void gather(const T &value, T *all) const {
    char bytes[(sizeof(T) + 7) / 8 * 8] = {};
    memcpy(bytes, &value, sizeof value);
    for (unsigned at = 0; at < sizeof bytes; at += 8) {
      unsigned long long word;
      memcpy(&word, bytes + at, 8);
      gpuopt_emu::Group *const group = gpuopt_emu::meet(gpuopt_emu::Meeting::shuffle, mask(), word, 0);
      for (int i = 0; i < Width; ++i)
        memcpy(reinterpret_cast<char *>(all + i) + at, &group->value[first() + i], sizeof(T) - at < 8 ? sizeof(T) - at : 8);
      gpuopt_emu::part(group);
    }
  }
  template <class Op> T reduce(T value, int begin, int end, Op op) {
    T all[32];
    gather(value, all);
    detail::reduce_lanes(all + begin, end - begin, op);
    return all[begin];
  }
  template <class Flag> int next_flag(Flag flag, bool tail) const {
    const int lane = (int)(gpuopt_emu::lane() - first());
    const unsigned set = gpuopt_emu::vote(mask(), flag, 0).trues >> first();
    const unsigned later = tail ? set >> lane << lane : lane == 31 ? 0 : set >> (lane + 1) << (lane + 1);
    return later ? __builtin_ctz(later) + tail : Width;
  }

 public:
  typedef NullType TempStorage;
  explicit WarpReduce(TempStorage &) {}

  T Sum(T value) { return Reduce(value, cub::Sum()); }
  T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <class Op> T Reduce(T value, Op op) { return reduce(value, 0, Width, op); }
  template <class Op> T Reduce(T value, Op op, int valid) { return reduce(value, 0, valid < Width ? valid : Width, op); }
  template <class Flag> T HeadSegmentedSum(T value, Flag head) { return HeadSegmentedReduce(value, head, cub::Sum()); }
  template <class Flag> T TailSegmentedSum(T value, Flag tail) { return TailSegmentedReduce(value, tail, cub::Sum()); }
  template <class Flag, class Op> T HeadSegmentedReduce(T value, Flag head, Op op) {
    const int end = next_flag(head, false);
    return reduce(value, (int)(gpuopt_emu::lane() - first()), end, op);
  }
  template <class Flag, class Op> T TailSegmentedReduce(T value, Flag tail, Op op) {
    const int end = next_flag(tail, true);
    return reduce(value, (int)(gpuopt_emu::lane() - first()), end, op);
  }
};

template <class T, int Width = 32, int = 0> class WarpScan {
  static_assert(Width > 0 && Width <= 32, "a logical warp has 1 to 32 lanes");
  enum { SEGMENT = Width & (Width - 1) ? 32 : Width };
  unsigned first() const { return gpuopt_emu::lane() / SEGMENT * SEGMENT; }
  unsigned mask() const { return (Width == 32 ? ~0u : (1u << Width) - 1) << first(); }
  int rank() const { return (int)(gpuopt_emu::lane() - first()); }
  T down(T value, int by) const {
    return gpuopt_emu::shuffle(gpuopt_emu::Shuffle::up, mask(), value, (unsigned)by, SEGMENT, 0);
  }

 public:
  typedef NullType TempStorage;
  explicit WarpScan(TempStorage &) {}

  T Broadcast(T value, unsigned lane) {
    return gpuopt_emu::shuffle(gpuopt_emu::Shuffle::index, mask(), value, first() + lane, 32, 0);
  }
  template <class Op> void InclusiveScan(T in, T &out, Op op) {
    for (int step = 1; step < Width; step *= 2) {
      const T before = down(in, step);
      if (rank() >= step) in = op(before, in);
    }
    out = in;
  }
  template <class Op> void InclusiveScan(T in, T &out, Op op, T &all) {
    InclusiveScan(in, out, op);
    all = Broadcast(out, Width - 1);
  }
  template <class Op> void Scan(T in, T &inclusive, T &exclusive, Op op) {
    InclusiveScan(in, inclusive, op);
    exclusive = down(inclusive, 1);  // of the first lane: undefined
  }
  template <class Op> void Scan(T in, T &inclusive, T &exclusive, T initial, Op op) {
    Scan(in, inclusive, exclusive, op);
    inclusive = op(initial, inclusive);
    exclusive = rank() ? op(initial, exclusive) : initial;
  }
  template <class Op> void ExclusiveScan(T in, T &out, Op op) {
    T inclusive;
    Scan(in, inclusive, out, op);
  }
  template <class Op> void ExclusiveScan(T in, T &out, T initial, Op op) {
    T inclusive;
    Scan(in, inclusive, out, initial, op);
  }
  template <class Op> void ExclusiveScan(T in, T &out, T initial, Op op, T &all) {
    T inclusive;
    Scan(in, inclusive, out, op);
    out = rank() ? op(initial, out) : initial;
    all = Broadcast(inclusive, Width - 1);
  }
  void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, cub::Sum(), all); }
  void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }
};

}  // namespace cub

#endif
