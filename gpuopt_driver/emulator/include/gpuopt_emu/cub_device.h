// CUB's device-wide sums, scans and sorts; see cub_run.h.
#ifndef GPUOPT_EMU_CUB_DEVICE_H
#define GPUOPT_EMU_CUB_DEVICE_H

#include <chrono>  // as CUB's do
#include <iostream>

#include "cub_run.h"
#include "cub_sort.h"

namespace cub {

struct DeviceReduce {
  template <class In, class Out, class Nn, class Op, class T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, Nn n, Op op, T initial, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { detail::reduce(in, out, 0, (long long)n, op, initial); });
  }
  template <class In, class Out, class Nn>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, n, cub::Sum(), detail::StoredIn<Out, detail::ValueOf<In>>(), stream);
  }
  template <class In, class Out, class Nn, class Op, class Transform, class T>
  static cudaError_t TransformReduce(void *storage, size_t &bytes, In in, Out out, Nn n, Op op, Transform transform, T initial, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      T sum = initial;
      for (long long i = 0; i < (long long)n; ++i) sum = op(sum, transform(in[i]));
      *out = sum;
    });
  }
  template <class In, class Out, class Nn>
  static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, n, cub::Min(), std::numeric_limits<detail::ValueOf<In>>::max(), stream);
  }
  template <class In, class Out, class Nn>
  static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, n, cub::Max(), std::numeric_limits<detail::ValueOf<In>>::lowest(), stream);
  }
  template <class In, class Out, class Nn>
  static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { detail::reduce_index(in, out, 0, (long long)n, cub::ArgMin(), std::numeric_limits<detail::ValueOf<In>>::max()); });
  }
  template <class In, class Out, class Nn>
  static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { detail::reduce_index(in, out, 0, (long long)n, cub::ArgMax(), std::numeric_limits<detail::ValueOf<In>>::lowest()); });
  }
  template <class Keys, class Unique, class In, class Out, class Runs, class Op, class Nn>
  static cudaError_t ReduceByKey(void *storage, size_t &bytes, Keys keys, Unique unique, In in, Out out, Runs runs, Op op, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long run = 0;
      for (long long i = 0, next; i < (long long)n; i = next, ++run) {
        const detail::ValueOf<Keys> key = keys[i];
        detail::ValueOf<In> sum = in[i];
        for (next = i + 1; next < (long long)n && keys[next] == key; ++next) sum = op(sum, in[next]);
        unique[run] = key;
        out[run] = sum;
      }
      *runs = run;
    });
  }
};

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begin, class End, class Op, class T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, long long segments, Begin begin, End end, Op op, T initial, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { for (long long s = 0; s < segments; ++s) detail::reduce(in, out + s, begin[s], end[s], op, initial); });
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, long long segments, Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Sum(), detail::StoredIn<Out, detail::ValueOf<In>>(), stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, long long segments, Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Min(), std::numeric_limits<detail::ValueOf<In>>::max(), stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, long long segments, Begin begin, End end, cudaStream_t stream = 0, bool = false) {
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Max(), std::numeric_limits<detail::ValueOf<In>>::lowest(), stream);
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class T, class Nn>
  static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, Op op, T initial, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { detail::scan<false>(in, out, (long long)n, op, initial, true); });
  }
  template <class In, class Out, class Op, class Nn>
  static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out, Op op, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { detail::scan<true>(in, out, (long long)n, op, detail::ValueOf<In>(), false); });
  }
  template <class In, class Out, class Op, class T, class Nn>
  static cudaError_t InclusiveScanInit(void *storage, size_t &bytes, In in, Out out, Op op, T initial, Nn n, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { detail::scan<true>(in, out, (long long)n, op, initial, true); });
  }
  template <class In, class Out, class Nn>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), detail::ValueOf<In>(), n, stream);
  }
  template <class In, class Out, class Nn>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, Nn n, cudaStream_t stream = 0, bool = false) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
  template <class Keys, class In, class Out, class Op, class T, class Nn, class Same = Equality>
  static cudaError_t ExclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Op op, T initial, Nn n, Same same = Same(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { detail::scan_by_key<false>(keys, in, out, (long long)n, op, initial, same); });
  }
  template <class Keys, class In, class Out, class Op, class Nn, class Same = Equality>
  static cudaError_t InclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Op op, Nn n, Same same = Same(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { detail::scan_by_key<true>(keys, in, out, (long long)n, op, detail::ValueOf<In>(), same); });
  }
  template <class Keys, class In, class Out, class Nn, class Same = Equality>
  static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Nn n, Same same = Same(), cudaStream_t stream = 0) {
    return ExclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), detail::ValueOf<In>(), n, same, stream);
  }
  template <class Keys, class In, class Out, class Nn, class Same = Equality>
  static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out, Nn n, Same same = Same(), cudaStream_t stream = 0) {
    return InclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), n, same, stream);
  }
};

struct DeviceRadixSort {
  template <class Kk, class Nn>
  static cudaError_t SortKeys(void *storage, size_t &bytes, const Kk *in, Kk *out, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, static_cast<const NullType *>(nullptr), static_cast<NullType *>(nullptr), (size_t)n, begin, end, false, stream);
  }
  template <class Kk, class Nn>
  static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const Kk *in, Kk *out, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, static_cast<const NullType *>(nullptr), static_cast<NullType *>(nullptr), (size_t)n, begin, end, true, stream);
  }
  template <class Kk, class Vv, class Nn>
  static cudaError_t SortPairs(void *storage, size_t &bytes, const Kk *in, Kk *out, const Vv *values_in, Vv *values_out, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, values_in, values_out, (size_t)n, begin, end, false, stream);
  }
  template <class Kk, class Vv, class Nn>
  static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const Kk *in, Kk *out, const Vv *values_in, Vv *values_out, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, values_in, values_out, (size_t)n, begin, end, true, stream);
  }
  template <class Kk, class Nn>
  static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return detail::flip(storage, keys, SortKeys(storage, bytes, keys.Current(), keys.Alternate(), n, begin, end, stream));
  }
  template <class Kk, class Nn>
  static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    return detail::flip(storage, keys, SortKeysDescending(storage, bytes, keys.Current(), keys.Alternate(), n, begin, end, stream));
  }
  template <class Kk, class Vv, class Nn>
  static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, DoubleBuffer<Vv> &values, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    const cudaError_t status = SortPairs(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, begin, end, stream);
    return detail::flip(storage, values, detail::flip(storage, keys, status));
  }
  template <class Kk, class Vv, class Nn>
  static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, DoubleBuffer<Vv> &values, Nn n, int begin = 0, int end = sizeof(Kk) * 8, cudaStream_t stream = 0, bool = false) {
    const cudaError_t status = SortPairsDescending(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, begin, end, stream);
    return detail::flip(storage, values, detail::flip(storage, keys, status));
  }

 private:
  template <class Kk, class Vv>
  static cudaError_t sort(void *storage, size_t &bytes, const Kk *in, Kk *out, const Vv *values_in, Vv *values_out, size_t n, int begin, int end, bool descending, cudaStream_t stream) {
    GPUOPT_CUB_RUN {
      std::vector<NullType> none(values_out ? 0 : n);
      for (size_t i = 0; i < n; ++i) out[i] = in[i];
      for (size_t i = 0; values_out && i < n; ++i) values_out[i] = values_in[i];
      if (values_out) detail::sort_by_bits(out, values_out, n, begin, end, descending);
      else detail::sort_by_bits(out, none.data(), n, begin, end, descending);
    });
  }
};

struct DeviceMergeSort {
  template <class Kk, class Nn, class Less>
  static cudaError_t SortKeys(void *storage, size_t &bytes, Kk keys, Nn n, Less less, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN { std::stable_sort(keys, keys + n, less); });
  }
  template <class In, class Out, class Nn, class Less>
  static cudaError_t SortKeysCopy(void *storage, size_t &bytes, In in, Out out, Nn n, Less less, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      std::vector<detail::ValueOf<In>> all;
      for (Nn i = 0; i < n; ++i) all.push_back(in[i]);
      std::stable_sort(all.begin(), all.end(), less);
      for (Nn i = 0; i < n; ++i) out[i] = all[i];
    });
  }
  template <class Kk, class Nn, class Less>
  static cudaError_t StableSortKeys(void *storage, size_t &bytes, Kk keys, Nn n, Less less, cudaStream_t stream = 0, bool = false) {
    return SortKeys(storage, bytes, keys, n, less, stream);
  }
  template <class Kk, class Vv, class Nn, class Less>
  static cudaError_t SortPairs(void *storage, size_t &bytes, Kk keys, Vv values, Nn n, Less less, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      std::vector<std::pair<detail::ValueOf<Kk>, detail::ValueOf<Vv>>> all;
      for (Nn i = 0; i < n; ++i) all.emplace_back(keys[i], values[i]);
      std::stable_sort(all.begin(), all.end(), [&](const auto &a, const auto &b) { return less(a.first, b.first); });
      for (Nn i = 0; i < n; ++i) keys[i] = all[i].first, values[i] = all[i].second;
    });
  }
  template <class Kk, class Vv, class Nn, class Less>
  static cudaError_t StableSortPairs(void *storage, size_t &bytes, Kk keys, Vv values, Nn n, Less less, cudaStream_t stream = 0, bool = false) {
    return SortPairs(storage, bytes, keys, values, n, less, stream);
  }
};

}  // namespace cub

#include "cub_neighbours.h"
#include "cub_segments.h"
#include "cub_select.h"

#endif
