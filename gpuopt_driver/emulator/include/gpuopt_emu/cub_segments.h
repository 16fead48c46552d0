// CUB's device-wide sorts of segments, and what merges sorted ranges or copies many; see cub_run.h.
#ifndef GPUOPT_EMU_CUB_SEGMENTS_H
#define GPUOPT_EMU_CUB_SEGMENTS_H

#include <string.h>

#include "cub_run.h"
#include "cub_sort.h"

namespace cub {

namespace detail {

// Segment after segment, by some bits of the keys; null pointers to values: there are none.
template <class Kk, class Vv, class Begin, class End>
cudaError_t sort_segments(void *storage, size_t &bytes, const Kk *in, Kk *out, const Vv *values_in, Vv *values_out, long long segments,
                          Begin begin, End end, int low, int high, bool descending, cudaStream_t stream) {
  GPUOPT_CUB_RUN {
    for (long long s = 0; s < segments; ++s) {
      const long long first = begin[s], last = end[s];
      if (last <= first) continue;
      const size_t n = (size_t)(last - first);
      std::vector<NullType> none(values_out ? 0 : n);
      for (long long i = first; i < last; ++i) out[i] = in[i];
      for (long long i = first; values_out && i < last; ++i) values_out[i] = values_in[i];
      if (values_out) sort_by_bits(out + first, values_out + first, n, low, high, descending);
      else sort_by_bits(out + first, none.data(), n, low, high, descending);
    }
  });
}

}  // namespace detail

#define GPUOPT_CUB_NO_VALUES static_cast<const NullType *>(nullptr), static_cast<NullType *>(nullptr)
// name: of the function, without what is sorted; the bits are parameters, or all of them.
#define GPUOPT_CUB_SEGMENTS(prefix, suffix, descending, BITS, LOW, HIGH)                                                              \
  template <class Kk, class Nn, class Begin, class End>                                                                               \
  static cudaError_t prefix##Keys##suffix(void *storage, size_t &bytes, const Kk *in, Kk *out, Nn, long long segments, Begin begin,   \
                                          End end BITS, cudaStream_t stream = 0) {                                                    \
    return detail::sort_segments(storage, bytes, in, out, GPUOPT_CUB_NO_VALUES, segments, begin, end, LOW, HIGH, descending, stream); \
  }                                                                                                                                   \
  template <class Kk, class Vv, class Nn, class Begin, class End>                                                                     \
  static cudaError_t prefix##Pairs##suffix(void *storage, size_t &bytes, const Kk *in, Kk *out, const Vv *values_in, Vv *values_out,  \
                                           Nn, long long segments, Begin begin, End end BITS, cudaStream_t stream = 0) {              \
    return detail::sort_segments(storage, bytes, in, out, values_in, values_out, segments, begin, end, LOW, HIGH, descending, stream); \
  }                                                                                                                                   \
  template <class Kk, class Nn, class Begin, class End>                                                                               \
  static cudaError_t prefix##Keys##suffix(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, Nn, long long segments, Begin begin,  \
                                          End end BITS, cudaStream_t stream = 0) {                                                    \
    const Kk *const in = keys.Current();                                                                                              \
    return detail::flip(storage, keys, detail::sort_segments(storage, bytes, in, keys.Alternate(), GPUOPT_CUB_NO_VALUES, segments,    \
                                                             begin, end, LOW, HIGH, descending, stream));                             \
  }                                                                                                                                   \
  template <class Kk, class Vv, class Nn, class Begin, class End>                                                                     \
  static cudaError_t prefix##Pairs##suffix(void *storage, size_t &bytes, DoubleBuffer<Kk> &keys, DoubleBuffer<Vv> &values, Nn,        \
                                           long long segments, Begin begin, End end BITS, cudaStream_t stream = 0) {                  \
    const Kk *const in = keys.Current();                                                                                              \
    const Vv *const values_in = values.Current();                                                                                     \
    const cudaError_t status = detail::sort_segments(storage, bytes, in, keys.Alternate(), values_in, values.Alternate(), segments,   \
                                                     begin, end, LOW, HIGH, descending, stream);                                      \
    return detail::flip(storage, values, detail::flip(storage, keys, status));                                                        \
  }
#define GPUOPT_CUB_BITS , int low = 0, int high = sizeof(Kk) * 8
#define GPUOPT_CUB_ALL_BITS

struct DeviceSegmentedRadixSort {
  GPUOPT_CUB_SEGMENTS(Sort, , false, GPUOPT_CUB_BITS, low, high)
  GPUOPT_CUB_SEGMENTS(Sort, Descending, true, GPUOPT_CUB_BITS, low, high)
};
struct DeviceSegmentedSort {
  GPUOPT_CUB_SEGMENTS(Sort, , false, GPUOPT_CUB_ALL_BITS, 0, (int)sizeof(Kk) * 8)
  GPUOPT_CUB_SEGMENTS(Sort, Descending, true, GPUOPT_CUB_ALL_BITS, 0, (int)sizeof(Kk) * 8)
  GPUOPT_CUB_SEGMENTS(StableSort, , false, GPUOPT_CUB_ALL_BITS, 0, (int)sizeof(Kk) * 8)
  GPUOPT_CUB_SEGMENTS(StableSort, Descending, true, GPUOPT_CUB_ALL_BITS, 0, (int)sizeof(Kk) * 8)
};
#undef GPUOPT_CUB_BITS
#undef GPUOPT_CUB_ALL_BITS
#undef GPUOPT_CUB_SEGMENTS
#undef GPUOPT_CUB_NO_VALUES

struct DeviceMerge {
  template <class Aa, class Bb, class Out, class Less = detail::Smaller>
  static cudaError_t MergeKeys(void *storage, size_t &bytes, Aa a, long long a_count, Bb b, long long b_count, Out out, Less less = Less(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      for (long long i = 0, k = 0; i < a_count || k < b_count;) {
        const bool second = i == a_count || (k < b_count && less(b[k], a[i]));
        if (second) out[i + k] = b[k], ++k;
        else out[i + k] = a[i], ++i;
      }
    });
  }
  template <class Aa, class Va, class Bb, class Vb, class Out, class Vv, class Less = detail::Smaller>
  static cudaError_t MergePairs(void *storage, size_t &bytes, Aa a, Va a_values, long long a_count, Bb b, Vb b_values, long long b_count, Out out, Vv values, Less less = Less(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      for (long long i = 0, k = 0; i < a_count || k < b_count;) {
        const bool second = i == a_count || (k < b_count && less(b[k], a[i]));
        if (second) out[i + k] = b[k], values[i + k] = b_values[k], ++k;
        else out[i + k] = a[i], values[i + k] = a_values[i], ++i;
      }
    });
  }
};

struct DeviceMemcpy {
  template <class From, class To, class Sizes>
  static cudaError_t Batched(void *storage, size_t &bytes, From from, To to, Sizes sizes, long long count, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { for (long long i = 0; i < count; ++i) memcpy((void *)to[i], (const void *)from[i], (size_t)sizes[i]); });
  }
};
struct DeviceCopy {
  template <class From, class To, class Sizes>
  static cudaError_t Batched(void *storage, size_t &bytes, From from, To to, Sizes sizes, long long count, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      for (long long i = 0; i < count; ++i)
        for (long long k = 0; k < (long long)sizes[i]; ++k) to[i][k] = from[i][k];
    });
  }
};

}  // namespace cub

#endif
