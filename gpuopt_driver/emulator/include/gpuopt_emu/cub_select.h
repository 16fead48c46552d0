// CUB's device-wide algorithms that choose, count and visit; see cub_run.h.
#ifndef GPUOPT_EMU_CUB_SELECT_H
#define GPUOPT_EMU_CUB_SELECT_H

#include "cub_run.h"

namespace cub {

struct DeviceSelect {
  template <class In, class Out, class Count, class Nn, class Op>
  static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Count chosen, Nn n, Op op, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long kept = 0;
      for (long long i = 0; i < (long long)n; ++i) {
        const detail::ValueOf<In> one = in[i];
        if (op(one)) out[kept++] = one;
      }
      *chosen = kept;
    });
  }
  template <class In, class Flags, class Out, class Count, class Nn>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count chosen, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long kept = 0;
      for (long long i = 0; i < (long long)n; ++i)
        if (flags[i]) out[kept++] = in[i];
      *chosen = kept;
    });
  }
  template <class In, class Out, class Count, class Nn>
  static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Count chosen, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long kept = 0;
      for (long long i = 0; i < (long long)n; ++i)
        if (i == 0 || !(in[i] == in[i - 1])) out[kept++] = in[i];
      *chosen = kept;
    });
  }
  template <class In, class Flags, class Out, class Count, class Nn, class Op>
  static cudaError_t FlaggedIf(void *storage, size_t &bytes, In in, Flags flags, Out out, Count chosen, Nn n, Op op, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      long long kept = 0;
      for (long long i = 0; i < (long long)n; ++i)
        if (op(flags[i])) out[kept++] = in[i];
      *chosen = kept;
    });
  }
  template <class Keys, class In, class KeysOut, class Out, class Count, class Nn>
  static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys, In in, KeysOut keys_out, Out out, Count chosen, Nn n, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      long long kept = 0;
      for (long long i = 0; i < (long long)n; ++i)
        if (i == 0 || !(keys[i] == keys[i - 1])) keys_out[kept] = keys[i], out[kept++] = in[i];
      *chosen = kept;
    });
  }
};

struct DeviceAdjacentDifference {
  // Each item and the one to the left of it, or to the right; the first, or the last, stays as it is.
  template <class In, class Out, class Nn, class Op = Difference>
  static cudaError_t SubtractLeftCopy(void *storage, size_t &bytes, In in, Out out, Nn n, Op op = Op(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { for (long long i = (long long)n - 1; i >= 0; --i) out[i] = i ? op(in[i], in[i - 1]) : in[i]; });
  }
  template <class It, class Nn, class Op = Difference>
  static cudaError_t SubtractLeft(void *storage, size_t &bytes, It it, Nn n, Op op = Op(), cudaStream_t stream = 0) {
    return SubtractLeftCopy(storage, bytes, it, it, n, op, stream);
  }
  template <class In, class Out, class Nn, class Op = Difference>
  static cudaError_t SubtractRightCopy(void *storage, size_t &bytes, In in, Out out, Nn n, Op op = Op(), cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { for (long long i = 0; i < (long long)n; ++i) out[i] = i + 1 < (long long)n ? op(in[i], in[i + 1]) : in[i]; });
  }
  template <class It, class Nn, class Op = Difference>
  static cudaError_t SubtractRight(void *storage, size_t &bytes, It it, Nn n, Op op = Op(), cudaStream_t stream = 0) {
    return SubtractRightCopy(storage, bytes, it, it, n, op, stream);
  }
};

// What is not chosen follows in reverse order from the end.
struct DevicePartition {
  template <class In, class Out, class Count, class Nn, class Op>
  static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Count chosen, Nn n, Op op, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long kept = 0, left = 0;
      for (long long i = 0; i < (long long)n; ++i) {
        const detail::ValueOf<In> one = in[i];
        out[op(one) ? kept++ : (long long)n - ++left] = one;
      }
      *chosen = kept;
    });
  }
  template <class In, class Flags, class Out, class Count, class Nn>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count chosen, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long kept = 0, left = 0;
      for (long long i = 0; i < (long long)n; ++i) out[flags[i] ? kept++ : (long long)n - ++left] = in[i];
      *chosen = kept;
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Counts, class Runs, class Nn>
  static cudaError_t Encode(void *storage, size_t &bytes, In in, Unique unique, Counts counts, Runs runs, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      long long run = 0;
      for (long long i = 0, next; i < (long long)n; i = next, ++run) {
        for (next = i + 1; next < (long long)n && in[next] == in[i]; ++next) {}
        unique[run] = in[i];
        counts[run] = next - i;
      }
      *runs = run;
    });
  }
  // Runs of two and more: where they begin, and how long they are.
  template <class In, class Offsets, class Counts, class Runs, class Nn>
  static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, In in, Offsets offsets, Counts counts, Runs runs, Nn n, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN {
      long long run = 0;
      for (long long i = 0, next; i < (long long)n; i = next) {
        for (next = i + 1; next < (long long)n && in[next] == in[i]; ++next) {}
        if (next - i > 1) offsets[run] = i, counts[run++] = next - i;
      }
      *runs = run;
    });
  }
};

struct DeviceHistogram {
  template <class In, class Counter, class Level, class Nn>
  static cudaError_t HistogramEven(void *storage, size_t &bytes, In in, Counter *counts, int levels, Level lower, Level upper, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      const int bins = levels - 1;
      for (int i = 0; i < bins; ++i) counts[i] = 0;
      for (Nn i = 0; i < n; ++i) {
        const detail::ValueOf<In> one = in[i];
        if (!(one < lower) && one < upper) ++counts[bin(one, lower, upper, bins, std::is_integral<Level>())];
      }
    });
  }
  template <class In, class Counter, class Level, class Nn>
  static cudaError_t HistogramRange(void *storage, size_t &bytes, In in, Counter *counts, int levels, const Level *bounds, Nn n, cudaStream_t stream = 0, bool = false) {
    GPUOPT_CUB_RUN {
      for (int i = 0; i < levels - 1; ++i) counts[i] = 0;
      for (Nn i = 0; i < n; ++i) {
        const long at = std::upper_bound(bounds, bounds + levels, in[i]) - bounds - 1;
        if (at >= 0 && at < levels - 1) ++counts[at];
      }
    });
  }

 private:
  template <class T, class Level> static int bin(T one, Level lower, Level upper, int bins, std::true_type) {
    return (int)(((unsigned long long)(one - lower) * (unsigned long long)bins) / (unsigned long long)(upper - lower));
  }
  template <class T, class Level> static int bin(T one, Level lower, Level upper, int bins, std::false_type) {
    const int at = (int)((one - lower) * (Level)((Level)bins / (upper - lower)));
    return at < bins ? at : bins - 1;
  }
};

struct DeviceFor {
  template <class Shape, class Op> static cudaError_t Bulk(void *storage, size_t &bytes, Shape n, Op op, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { for (Shape i = 0; i < n; ++i) op(i); });
  }
  template <class It, class Nn, class Op>
  static cudaError_t ForEachN(void *storage, size_t &bytes, It first, Nn n, Op op, cudaStream_t stream = 0) {
    GPUOPT_CUB_RUN { for (Nn i = 0; i < n; ++i) op(first[i]); });
  }
  template <class Shape, class Op> static cudaError_t Bulk(Shape n, Op op, cudaStream_t stream = 0) {
    size_t bytes = 0;
    return Bulk(static_cast<void *>(&bytes), bytes, n, op, stream);
  }
  template <class It, class Nn, class Op> static cudaError_t ForEachN(It first, Nn n, Op op, cudaStream_t stream = 0) {
    size_t bytes = 0;
    return ForEachN(static_cast<void *>(&bytes), bytes, first, n, op, stream);
  }
};

struct DeviceTransform {
  template <class In, class Out, class Nn, class Op> static cudaError_t Transform(In in, Out out, Nn n, Op op, cudaStream_t stream = 0) {
    return DeviceFor::Bulk(n, [=](Nn i) mutable { out[i] = op(in[i]); }, stream);
  }
};

// Keeps nothing: memory costs nothing to allocate here.
struct CachingDeviceAllocator {
  CachingDeviceAllocator(bool = false, bool = false) {}
  CachingDeviceAllocator(unsigned, unsigned, unsigned = 0, size_t = 0, bool = false, bool = false) {}
  cudaError_t DeviceAllocate(void **at, size_t bytes, cudaStream_t = 0) { return cudaMalloc(at, bytes); }
  cudaError_t DeviceAllocate(int, void **at, size_t bytes, cudaStream_t = 0) { return cudaMalloc(at, bytes); }
  cudaError_t DeviceFree(void *at) { return cudaFree(at); }
  cudaError_t DeviceFree(int, void *at) { return cudaFree(at); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

// A template, so that CCCL's own is taken where thrust brought it along.
template <class Error> typename std::enable_if<std::is_same<Error, cudaError_t>::value, Error>::type Debug(Error error, const char *file, int line) {
  if (error) fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line, cudaGetErrorString(error));
  return error;
}
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) exit(1)

}  // namespace cub

#endif
