// flags: -std=c++17
// CUB's sums of floats in warps and blocks: the order of the additions shows in the bits.
#include "show.h"
#include <cub/cub.cuh>
const int MOST = 256 * 4;
__device__ float value(int i) {
  unsigned r = i * 2654435761u + 12345u;
  r ^= r >> 15; r *= 0x846ca68bu; r ^= r >> 13;
  return __int_as_float((int)((r & 0x80ffffffu) + 0x3c000000u)) ;
}
struct Add { template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; } };
// Not associative in a way that even one wrong pair shows.
struct Mix { __device__ float operator()(float a, float b) const { return a * 0.75f + b; } };
template <int T, cub::BlockReduceAlgorithm A, int ITEMS, int Y = 1> __global__ void reduce(float *out, int valid) {
  using R = cub::BlockReduce<float, T, A, Y>;
  __shared__ typename R::TempStorage s;
  const int me = threadIdx.x + threadIdx.y * T;
  float in[ITEMS];
  for (int i = 0; i < ITEMS; ++i) in[i] = value(me * ITEMS + i);
  float sum = R(s).Sum(in);
  if (!me) out[0] = sum;
  __syncthreads();
  sum = R(s).Sum(in[0], valid);
  if (!me) out[1] = sum;
  __syncthreads();
  sum = R(s).Reduce(in, Add());
  if (!me) out[2] = sum;
  __syncthreads();
  sum = R(s).Reduce(in[0], Add(), valid);
  if (!me) out[3] = sum;
  __syncthreads();
  sum = R(s).Reduce(in[0], Mix());
  if (!me) out[4] = sum;
  __syncthreads();
  sum = R(s).Sum(in[0]);
  if (!me) out[5] = sum;
}
template <int T, cub::BlockScanAlgorithm A, int ITEMS> __global__ void scan(float *out) {
  using S = cub::BlockScan<float, T, A>;
  __shared__ typename S::TempStorage s;
  const int me = threadIdx.x;
  float in[ITEMS], o[ITEMS], total = 0, one;
  for (int i = 0; i < ITEMS; ++i) in[i] = value(me * ITEMS + i);
  float *to = out + me * ITEMS;
  const auto keep = [&]() { for (int i = 0; i < ITEMS; ++i) to[i] = o[i]; if (!me) out[MOST] = total; to += MOST + 1; out += MOST + 1; __syncthreads(); };
  const auto keep_one = [&]() { to[0] = one; if (!me) out[MOST] = total; to += MOST + 1; out += MOST + 1; __syncthreads(); };
  S(s).InclusiveSum(in, o, total); keep();
  S(s).ExclusiveSum(in, o, total); keep();
  S(s).InclusiveSum(in[0], one, total); keep_one();
  S(s).ExclusiveSum(in[0], one, total); keep_one();
  S(s).InclusiveScan(in, o, Mix(), total); keep();
  S(s).ExclusiveScan(in, o, 0.125f, Add(), total); keep();
  S(s).InclusiveScan(in[0], one, Mix(), total); keep_one();
  S(s).ExclusiveScan(in[0], one, 0.125f, Mix(), total); keep_one();
}
template <int W> __global__ void warps(float *out) {
  using R = cub::WarpReduce<float, W>;
  using S = cub::WarpScan<float, W>;
  constexpr int COUNT = W & (W - 1) ? 1 : 32 / W;
  __shared__ typename R::TempStorage r[COUNT];
  __shared__ typename S::TempStorage s[COUNT];
  const int me = threadIdx.x, group = me / W;
  const bool first = me % W == 0;
  float in = value(me), one, other, total = 0;
  if (group >= COUNT) return;
  one = R(r[group]).Sum(in); if (first) out[me] = one; __syncwarp(__activemask());
  one = R(r[group]).Sum(in, W - 1); if (first) out[32 + me] = one; __syncwarp(__activemask());
  one = R(r[group]).Reduce(in, Mix()); if (first) out[64 + me] = one; __syncwarp(__activemask());
  one = R(r[group]).Reduce(in, Mix(), W / 2 + 1); if (first) out[96 + me] = one; __syncwarp(__activemask());
  S(s[group]).InclusiveSum(in, one); out[128 + me] = one; __syncwarp(__activemask());
  S(s[group]).ExclusiveSum(in, one); out[160 + me] = one; __syncwarp(__activemask());
  S(s[group]).InclusiveSum(in, one, total); out[192 + me] = one + total; __syncwarp(__activemask());
  S(s[group]).InclusiveScan(in, one, Mix()); out[224 + me] = one; __syncwarp(__activemask());
  S(s[group]).ExclusiveScan(in, one, 0.125f, Mix()); out[256 + me] = one; __syncwarp(__activemask());
  S(s[group]).Scan(in, one, other, Add()); out[288 + me] = one; if (!first) out[320 + me] = other; __syncwarp(__activemask());
}
template <int W> __global__ void segments(float *out) {
  using R = cub::WarpReduce<float, W>;
  __shared__ typename R::TempStorage r[32 / W];
  const int me = threadIdx.x;
  const bool head = me % W == 0 || me % 5 == 2;
  float one = R(r[me / W]).HeadSegmentedSum(value(me), head); if (head) out[me] = one;
  __syncwarp();
  one = R(r[me / W]).TailSegmentedSum(value(me), me % 5 == 1 || me % W == W - 1); if (me % W == 0 || me % 5 == 2) out[32 + me] = one;
}
void words(const char *name, const float *v, int count, int shown) {
  finish(name);
  printf("%s:", name);
  for (int i = 0; i < shown; ++i) { unsigned w; memcpy(&w, v + i, 4); printf(" %x", w); }
  printf("\n");
  digest(name, v, count);
}
template <int T, cub::BlockReduceAlgorithm A, int ITEMS, int Y = 1> void reduce_all(const char *name) {
  float *o = array<float>(6);
  reduce<T, A, ITEMS, Y><<<1, dim3(T, Y)>>>(o, T * Y * 2 / 3 + 1);
  words(name, o, 6, 6);
}
template <int T, cub::BlockScanAlgorithm A, int ITEMS> void scan_all(const char *name) {
  float *o = array<float>(8 * (MOST + 1));
  scan<T, A, ITEMS><<<1, T>>>(o);
  finish(name);
  for (int k = 0; k < 8; ++k) {
    char line[80];
    snprintf(line, sizeof line, "%s %d", name, k);
    words(line, o + k * (MOST + 1), MOST + 1, 40);
  }
}
template <int W> void warp_all(const char *name) {
  float *o = array<float>(352);
  warps<W><<<1, 32>>>(o);
  finish(name);
  for (int k = 0; k < 11; ++k) {
    char line[80];
    snprintf(line, sizeof line, "%s %d", name, k);
    words(line, o + k * 32, 32, 32);
  }
}
template <int W> void segment_all(const char *name) {
  float *o = array<float>(64);
  segments<W><<<1, 32>>>(o);
  words(name, o, 64, 64);
}
#define REDUCE(T, ITEMS)                                                                      \
  reduce_all<T, cub::BLOCK_REDUCE_WARP_REDUCTIONS, ITEMS>("warps " #T " " #ITEMS);
int main() {
  REDUCE(64, 3) REDUCE(128, 4) REDUCE(48, 1)
  scan_all<32, cub::BLOCK_SCAN_RAKING, 2>("scan raking 32 2");
  scan_all<128, cub::BLOCK_SCAN_RAKING, 4>("scan raking 128 4");
  scan_all<200, cub::BLOCK_SCAN_WARP_SCANS, 1>("scan warps 200 1");
  scan_all<96, cub::BLOCK_SCAN_WARP_SCANS, 2>("scan warps 96 2");
  scan_all<64, cub::BLOCK_SCAN_WARP_SCANS, 1>("scan warps 64 1");
  warp_all<32>("warp 32"); warp_all<8>("warp 8"); warp_all<7>("warp 7");
  segment_all<8>("segments 8");
}
