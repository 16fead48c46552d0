// CUB's device-wide algorithms by key, in segments and of neighbours.
#include "show.h"
#include <cub/cub.cuh>

const int N = 24, SEGMENTS = 4;

struct Close {
  __host__ __device__ bool operator()(int a, int b) const { return a / 2 == b / 2; }
};
struct Smallest {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};
struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
struct Square {
  __host__ __device__ int operator()(int a) const { return a * a; }
};
struct Plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Odd {
  __host__ __device__ bool operator()(int a) const { return a & 1; }
};

template <class F> void run(F f) {
  size_t bytes = 0;
  void *storage = nullptr;
  f(nullptr, bytes);
  cudaMalloc(&storage, bytes);
  f(storage, bytes);
  finish("run");
  cudaFree(storage);
}
#define RUN(call) run([&](void *s, size_t &b) { call; })

static int *keys, *in, *out, *more, *count;

static void by_key() {
  RUN(cub::DeviceScan::InclusiveSumByKey(s, b, keys, in, out, N));
  show("inclusive sums by key", out, N);
  RUN(cub::DeviceScan::ExclusiveSumByKey(s, b, keys, in, out, N));
  show("exclusive sums by key", out, N);
  RUN(cub::DeviceScan::InclusiveScanByKey(s, b, keys, in, out, Smallest(), N, Close()));
  show("smallest so far, close keys", out, N);
  RUN(cub::DeviceScan::ExclusiveScanByKey(s, b, keys, in, out, Smallest(), 9, N));
  show("exclusive, smallest so far", out, N);
  RUN(cub::DeviceScan::InclusiveScanInit(s, b, in, out, Smallest(), 3, N));
  show("smallest so far from 3 on", out, N);
  RUN(cub::DeviceSelect::UniqueByKey(s, b, keys, in, out, more, count, N));
  show("first of each key", out, *count);
  show("and its value", more, *count);
}

static void in_segments() {
  int *begin = array<int>(SEGMENTS + 1);
  for (int i = 0; i <= SEGMENTS; ++i) begin[i] = i * i * 3 / 2;
  memset(out, 0, N * sizeof *out);
  memset(more, 0, N * sizeof *more);
  RUN(cub::DeviceSegmentedRadixSort::SortKeys(s, b, in, out, N, SEGMENTS, begin, begin + 1));
  show("segments sorted", out, N);
  RUN(cub::DeviceSegmentedRadixSort::SortPairsDescending(s, b, in, out, keys, more, N, SEGMENTS, begin, begin + 1, 0, 3));
  show("down by three bits", out, N);
  show("with their keys", more, N);
  RUN(cub::DeviceSegmentedSort::StableSortPairs(s, b, in, out, keys, more, N, SEGMENTS, begin, begin + 1));
  show("stable", out, N);
  show("and their keys", more, N);
  memcpy(out, in, N * sizeof *in);
  cub::DoubleBuffer<int> two(out, more);
  RUN(cub::DeviceSegmentedSort::SortKeysDescending(s, b, two, N, SEGMENTS, begin, begin + 1));
  show("in two buffers", two.Current(), begin[SEGMENTS]);
}

static void neighbours() {
  RUN(cub::DeviceAdjacentDifference::SubtractLeftCopy(s, b, in, out, N));
  show("less what is to the left", out, N);
  RUN(cub::DeviceAdjacentDifference::SubtractRightCopy(s, b, in, out, N, Smallest()));
  show("smaller of two neighbours", out, N);
  memcpy(out, in, N * sizeof *in);
  RUN(cub::DeviceAdjacentDifference::SubtractLeft(s, b, out, N));
  show("in place", out, N);
  RUN(cub::DeviceRunLengthEncode::NonTrivialRuns(s, b, keys, out, more, count, N));
  show("runs begin", out, *count);
  show("lengths", more, *count);
}

static void others() {
  RUN(cub::DeviceReduce::TransformReduce(s, b, in, out, N, Plus(), Square(), 100));
  show("squares", out, 1);
  RUN(cub::DeviceMergeSort::SortKeysCopy(s, b, in, out, N, Less()));
  show("sorted", out, N);
  RUN(cub::DeviceMerge::MergeKeys(s, b, out, N, keys, N, more, Less()));
  show("merged", more, 2 * N);
  RUN(cub::DeviceSelect::FlaggedIf(s, b, in, keys, out, count, N, Odd()));
  show("of odd keys", out, *count);
  cub::DeviceTransform::Transform(in, out, N, Square());
  show("transformed", out, N);
  int **from = array<int *>(2), **to = array<int *>(2), *sizes = array<int>(2);
  from[0] = in, from[1] = keys, to[0] = more + 10, to[1] = more, sizes[0] = 5, sizes[1] = 10;
  memset(more, 0, N * sizeof *more);
  RUN(cub::DeviceCopy::Batched(s, b, from, to, sizes, 2));
  show("copied", more, 20);
}

int main() {
  keys = array<int>(N), in = array<int>(N), out = array<int>(N), more = array<int>(2 * N), count = array<int>(1);
  for (int i = 0; i < N; ++i) keys[i] = i * i / 40, in[i] = i * 7 % 13;
  by_key();
  in_segments();
  neighbours();
  others();
}
