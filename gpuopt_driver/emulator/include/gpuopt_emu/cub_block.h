// CUB's block-wide primitives: what the threads bring is put into the temporary storage, and one thread does the work in
// the order in which CUB's default algorithms combine.
#ifndef GPUOPT_EMU_CUB_BLOCK_H
#define GPUOPT_EMU_CUB_BLOCK_H

#include "atomics.h"
#include "cub_sort.h"
#include "cub_warp.h"
#include "sync.h"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int Xx, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Yy = 1, int Zz = 1, int = 0>
class BlockReduce {
  enum { THREADS = Xx * Yy * Zz };

 public:
  struct TempStorage : detail::Raw<T, THREADS> {};
  explicit BlockReduce(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}
  BlockReduce(TempStorage &storage, int rank) : all_(storage.data()), rank_(rank) {}

  // The result is the first thread's.
  template <class Op> T Reduce(T value, Op op, int valid) {
    detail::place(all_ + rank_, value);
    CTA_SYNC();
    if (rank_) return value;
    if (valid > THREADS) valid = THREADS;
    for (int first = 0; first < valid; first += 32) detail::reduce_lanes(all_ + first, valid - first < 32 ? valid - first : 32, op);
    T sum = all_[0];
    for (int first = 32; first < valid; first += 32) sum = op(sum, all_[first]);
    return sum;
  }
  template <class Op> T Reduce(T value, Op op) { return Reduce(value, op, THREADS); }
  template <int Nn, class Op> T Reduce(T (&items)[Nn], Op op) { return Reduce(detail::reduce_items(items, op), op); }
  T Sum(T value) { return Reduce(value, cub::Sum()); }
  T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int Nn> T Sum(T (&items)[Nn]) { return Reduce(items, cub::Sum()); }

 private:
  T *all_;
  int rank_;
};

// Numbers are added in CUB's order: by warps, or by segments of threads of which each thread of the first warp has one.
template <class T, int Xx, BlockScanAlgorithm How = BLOCK_SCAN_RAKING, int Yy = 1, int Zz = 1, int = 0> class BlockScan {
  enum {
    THREADS = Xx * Yy * Zz,
    BY_WARPS = How == BLOCK_SCAN_WARP_SCANS && THREADS % 32 == 0,
    SEGMENT = BY_WARPS ? 32 : (THREADS + 31) / 32,
    SEGMENTS = (THREADS + SEGMENT - 1) / SEGMENT,
    SUMS = SEGMENTS > 32 ? SEGMENTS : 32,
  };

 public:
  // Before the first thread's: what comes before the block; behind the last one's: what all brought,
  // and what segments did.
  struct TempStorage : detail::Raw<T, THREADS + 2 + SUMS> {};
  explicit BlockScan(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}
  BlockScan(TempStorage &storage, int rank) : all_(storage.data()), rank_(rank) {}

 private:
  template <bool Inclusive, int Nn, class Op> static void spread(T (&in)[Nn], T (&out)[Nn], T before, bool has, Op op) {
    for (int i = 0; i < Nn; ++i) {
      const T next = has ? op(before, in[i]) : in[i];
      out[i] = Inclusive || !has ? next : before;
      before = next;
      has = true;
    }
  }
  // The sums up to each of `count` numbers, in the steps of a scan by shuffles.
  template <class Op> static void scan_lanes(T *values, int count, Op op) {
    for (int step = 1; step < count; step *= 2)
      for (int lane = count - 1; lane >= step; --lane) values[lane] = op(values[lane - step], values[lane]);
  }
  // The sums up to each thread; all of them. A number that is known to come before goes into each warp's first sum.
  template <class Op> void scan_warps(Op op, const T *initial) {
    detail::place(all_ + THREADS, all_[0]);
    for (int first = 0; first < THREADS; first += 32) {
      scan_lanes(all_ + first, 32, op);
      const T whole = first ? op(all_[THREADS], all_[first + 31]) : all_[31];
      const T before = !initial ? all_[THREADS] : first ? op(*initial, all_[THREADS]) : *initial;
      for (int lane = 0; (first || initial) && lane < 32; ++lane) all_[first + lane] = op(before, all_[first + lane]);
      all_[first + 31] = initial ? op(*initial, whole) : whole;
      all_[THREADS] = whole;
    }
  }
  // The sums up to each segment, kept until what comes before the block is known; all of them.
  template <class Op> void scan_segments(Op op) {
    T *const sums = all_ + THREADS + 2;
    for (int s = 0; s < SEGMENTS; ++s) {
      const int first = s * SEGMENT, end = first + SEGMENT < THREADS ? first + SEGMENT : THREADS;
      detail::place(sums + s, all_[first]);
      for (int i = first + 1; i < end; ++i) sums[s] = op(sums[s], all_[i]);
    }
    scan_lanes(sums, SEGMENTS, op);
    detail::place(all_ + THREADS, sums[SEGMENTS - 1]);
  }
  // Makes each thread's number the sum up to it.
  template <class Op> void spread_segments(Op op, bool has_prefix) {
    const T *const sums = all_ + THREADS + 2;
    for (int s = 0; s < SEGMENTS; ++s) {
      const int first = s * SEGMENT, end = first + SEGMENT < THREADS ? first + SEGMENT : THREADS;
      if (s && SEGMENT > 1) {
        const T before = has_prefix ? op(all_[THREADS + 1], sums[s - 1]) : sums[s - 1];
        detail::place(all_ + first - 1, before);
        all_[first] = op(before, all_[first]);
      } else if (SEGMENT == 1) {
        all_[first] = has_prefix ? op(all_[THREADS + 1], sums[s]) : sums[s];
      } else if (has_prefix) {
        all_[first] = op(all_[THREADS + 1], all_[first]);
      }
      for (int i = first + 1; i < end; ++i) all_[i] = op(all_[i - 1], all_[i]);
    }
  }
  // Scans what the threads brought; `prefix` says what comes before the block, given the sum of it.
  template <bool Inclusive, int Nn, class Op, class Prefix>
  T scan(T (&in)[Nn], T (&out)[Nn], Op op, bool has_prefix, Prefix prefix) {
    detail::place(all_ + rank_, detail::reduce_items(in, op));
    CTA_SYNC();
    const T *const initial = BY_WARPS && has_prefix ? prefix.known() : nullptr;
    if (rank_ == 0) BY_WARPS ? scan_warps(op, initial) : scan_segments(op);
    CTA_SYNC();
    const T whole = all_[THREADS];
    if (rank_ < 32) {  // as CUB: the first warp asks, the first thread's answer counts
      const T answer = prefix(whole);
      if (rank_ == 0) {
        detail::place(all_ + THREADS + 1, answer);
        if (!BY_WARPS) spread_segments(op, has_prefix);
      }
    }
    CTA_SYNC();
    T before = rank_ ? all_[rank_ - 1] : all_[THREADS + 1];
    if (BY_WARPS && has_prefix && !initial && rank_) before = op(all_[THREADS + 1], before);
    if (Inclusive && Nn == 1 && (BY_WARPS || SEGMENT == 1)) {
      out[0] = BY_WARPS && has_prefix && !initial ? op(all_[THREADS + 1], all_[rank_]) : all_[rank_];
      return whole;
    }
    spread<Inclusive>(in, out, before, has_prefix || rank_, op);
    return whole;
  }
  struct Known {
    T value;
    T operator()(const T &) const { return value; }
    const T *known() const { return &value; }
  };
  template <class Op> struct Called {
    Op &op;
    T operator()(const T &whole) const { return op(whole); }
    const T *known() const { return nullptr; }
  };

 public:
  // Of several items:
  template <int Nn, class Op> void InclusiveScan(T (&in)[Nn], T (&out)[Nn], Op op) {
    scan<true>(in, out, op, false, Known{in[0]});
  }
  template <int Nn, class Op> void InclusiveScan(T (&in)[Nn], T (&out)[Nn], Op op, T &all) {
    all = scan<true>(in, out, op, false, Known{in[0]});
  }
  template <int Nn, class Op, class Prefix> void InclusiveScan(T (&in)[Nn], T (&out)[Nn], Op op, Prefix &prefix) {
    scan<true>(in, out, op, true, Called<Prefix>{prefix});
  }
  template <int Nn, class Op> void ExclusiveScan(T (&in)[Nn], T (&out)[Nn], Op op) {
    scan<false>(in, out, op, false, Known{in[0]});
  }
  template <int Nn, class Op> void ExclusiveScan(T (&in)[Nn], T (&out)[Nn], T initial, Op op) {
    scan<false>(in, out, op, true, Known{initial});
  }
  template <int Nn, class Op> void ExclusiveScan(T (&in)[Nn], T (&out)[Nn], T initial, Op op, T &all) {
    all = scan<false>(in, out, op, true, Known{initial});
  }
  template <int Nn, class Op, class Prefix> void ExclusiveScan(T (&in)[Nn], T (&out)[Nn], Op op, Prefix &prefix) {
    scan<false>(in, out, op, true, Called<Prefix>{prefix});
  }
  template <int Nn> void InclusiveSum(T (&in)[Nn], T (&out)[Nn]) { InclusiveScan(in, out, Sum()); }
  template <int Nn> void InclusiveSum(T (&in)[Nn], T (&out)[Nn], T &all) { InclusiveScan(in, out, Sum(), all); }
  template <int Nn, class Prefix> void InclusiveSum(T (&in)[Nn], T (&out)[Nn], Prefix &p) { InclusiveScan(in, out, Sum(), p); }
  template <int Nn> void ExclusiveSum(T (&in)[Nn], T (&out)[Nn]) { ExclusiveScan(in, out, T(), Sum()); }
  template <int Nn> void ExclusiveSum(T (&in)[Nn], T (&out)[Nn], T &all) { ExclusiveScan(in, out, T(), Sum(), all); }
  template <int Nn, class Prefix> void ExclusiveSum(T (&in)[Nn], T (&out)[Nn], Prefix &p) { ExclusiveScan(in, out, Sum(), p); }

  // Of one item:
  template <class... Rest> void InclusiveScan(T in, T &out, Rest &&...rest) {
    one(in, out, [&](T(&a)[1], T(&b)[1]) { InclusiveScan(a, b, std::forward<Rest>(rest)...); });
  }
  template <class... Rest> void ExclusiveScan(T in, T &out, Rest &&...rest) {
    one(in, out, [&](T(&a)[1], T(&b)[1]) { ExclusiveScan(a, b, std::forward<Rest>(rest)...); });
  }
  template <class... Rest> void InclusiveSum(T in, T &out, Rest &&...rest) {
    one(in, out, [&](T(&a)[1], T(&b)[1]) { InclusiveSum(a, b, std::forward<Rest>(rest)...); });
  }
  template <class... Rest> void ExclusiveSum(T in, T &out, Rest &&...rest) {
    one(in, out, [&](T(&a)[1], T(&b)[1]) { ExclusiveSum(a, b, std::forward<Rest>(rest)...); });
  }

 private:
  template <class Scan> static void one(T in, T &out, Scan scan) {
    T from[1] = {in}, to[1];
    scan(from, to);
    out = to[0];
  }
  T *all_;
  int rank_;
};

// Items of all threads at places that the caller gives, and back from others.
template <class T, int Xx, int Items, bool = false, int Yy = 1, int Zz = 1, int = 0> class BlockExchange {
  enum { THREADS = Xx * Yy * Zz };

 public:
  struct TempStorage : detail::Raw<T, THREADS * Items> {};
  explicit BlockExchange(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}

  void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
  void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
  void StripedToBlocked(const T (&in)[Items], T (&out)[Items]) {
    for (int i = 0; i < Items; ++i) detail::place(all_ + striped(i), in[i]);
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) out[i] = all_[blocked(i)];
  }
  void BlockedToStriped(const T (&in)[Items], T (&out)[Items]) {
    for (int i = 0; i < Items; ++i) detail::place(all_ + blocked(i), in[i]);
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) out[i] = all_[striped(i)];
  }
  template <class Rank> void ScatterToBlocked(T (&items)[Items], Rank (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) detail::place(all_ + ranks[i], items[i]);
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) items[i] = all_[blocked(i)];
  }
  template <class Rank> void ScatterToStriped(T (&items)[Items], Rank (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) detail::place(all_ + ranks[i], items[i]);
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) items[i] = all_[striped(i)];
  }

 private:
  int striped(int i) const { return rank_ + i * THREADS; }
  int blocked(int i) const { return rank_ * Items + i; }
  T *all_;
  int rank_;
};

template <class Key, int Xx, int Items, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Yy = 1, int Zz = 1, int = 0>
class BlockRadixSort {
  enum { THREADS = Xx * Yy * Zz, COUNT = THREADS * Items };

 public:
  struct TempStorage {
    detail::Raw<Key, COUNT> keys;
    detail::Raw<Value, COUNT> values;
  };
  explicit BlockRadixSort(TempStorage &storage) : all_(storage), rank_(RowMajorTid(Xx, Yy, Zz)) {}

  void Sort(Key (&k)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, none_, begin, end, false, false); }
  void Sort(Key (&k)[Items], Value (&v)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, v, begin, end, false, false); }
  void SortDescending(Key (&k)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, none_, begin, end, true, false); }
  void SortDescending(Key (&k)[Items], Value (&v)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, v, begin, end, true, false); }
  void SortBlockedToStriped(Key (&k)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, none_, begin, end, false, true); }
  void SortBlockedToStriped(Key (&k)[Items], Value (&v)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, v, begin, end, false, true); }
  void SortDescendingBlockedToStriped(Key (&k)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, none_, begin, end, true, true); }
  void SortDescendingBlockedToStriped(Key (&k)[Items], Value (&v)[Items], int begin = 0, int end = sizeof(Key) * 8) { sort(k, v, begin, end, true, true); }

 private:
  void sort(Key (&keys)[Items], Value (&values)[Items], int begin, int end, bool descending, bool striped) {
    for (int i = 0; i < Items; ++i) {
      detail::place(all_.keys.data() + rank_ * Items + i, keys[i]);
      detail::place(all_.values.data() + rank_ * Items + i, values[i]);
    }
    CTA_SYNC();
    if (rank_ == 0) detail::sort_by_bits(all_.keys.data(), all_.values.data(), COUNT, begin, end, descending);
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) {
      const int at = striped ? rank_ + i * THREADS : rank_ * Items + i;
      keys[i] = all_.keys.data()[at];
      values[i] = all_.values.data()[at];
    }
  }
  TempStorage &all_;
  int rank_;
  Value none_[Items];
};

template <class T, int Xx, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Yy = 1, int Zz = 1, int = 0>
class BlockHistogram {
 public:
  typedef NullType TempStorage;
  explicit BlockHistogram(TempStorage &) {}
  template <class Counter> void InitHistogram(Counter (&counts)[Bins]) {
    for (int i = RowMajorTid(Xx, Yy, Zz); i < Bins; i += Xx * Yy * Zz) counts[i] = 0;
  }
  template <class Counter> void Histogram(T (&items)[Items], Counter (&counts)[Bins]) {
    InitHistogram(counts);
    CTA_SYNC();
    Composite(items, counts);
  }
  template <class Counter> void Composite(T (&items)[Items], Counter (&counts)[Bins]) {
    for (int i = 0; i < Items; ++i) atomicAdd(&counts[items[i]], (Counter)1);
  }
};

// Whether neighbours differ; the first item of all is a head, the last one a tail.
template <class T, int Xx, int Yy = 1, int Zz = 1, int = 0> class BlockDiscontinuity {
  enum { THREADS = Xx * Yy * Zz };

 public:
  struct TempStorage : detail::Raw<T, THREADS> {};
  explicit BlockDiscontinuity(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}
  template <int Nn, class Flag, class Op> void FlagHeads(Flag (&flags)[Nn], T (&items)[Nn], Op differ) {
    detail::place(all_ + rank_, items[Nn - 1]);
    CTA_SYNC();
    flags[0] = rank_ == 0 || differ(all_[rank_ - 1], items[0]);
    for (int i = 1; i < Nn; ++i) flags[i] = differ(items[i - 1], items[i]);
  }
  template <int Nn, class Flag, class Op> void FlagTails(Flag (&flags)[Nn], T (&items)[Nn], Op differ) {
    detail::place(all_ + rank_, items[0]);
    CTA_SYNC();
    for (int i = 0; i + 1 < Nn; ++i) flags[i] = differ(items[i], items[i + 1]);
    flags[Nn - 1] = rank_ == THREADS - 1 || differ(items[Nn - 1], all_[rank_ + 1]);
  }

 private:
  T *all_;
  int rank_;
};

}  // namespace cub

#endif
