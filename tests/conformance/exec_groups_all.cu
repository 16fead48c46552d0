// Cooperative groups: what every kind of group says of itself, reductions and scans of all kinds in the order in which a GPU
// joins floats, tiles of several warps, updates of atomics, one thread for all.
// flags: -std=c++17
#include "show.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;
typedef unsigned long long u64;

__device__ u64 word(float v) { return __float_as_uint(v); }
__device__ u64 word(double v) { return __double_as_longlong(v); }
template <class T> __device__ u64 word(T v) { return (u64)v; }
template <class T> __device__ T value(int t) { return (T)(t * 37 % 101); }
template <> __device__ float value<float>(int t) { return 1.0f / (t * 37 % 101 + 1) + t * 1000 % 7; }
template <> __device__ double value<double>(int t) { return 1.0 / (t * 37 % 101 + 1) + t * 1000 % 7; }

__device__ int joined(int a, int b) { return (a * 31 + b * 17 + 3) & 0xffff; }

template <class T, class Group> __device__ int each(const Group &group, u64 *o, int stride) {
  const T v = value<T>(threadIdx.x);
  int k = 0;
  o[k++ * stride] = word(cg::reduce(group, v, cg::plus<T>()));
  o[k++ * stride] = word(cg::reduce(group, v, cg::less<T>()));
  o[k++ * stride] = word(cg::reduce(group, v, cg::greater<T>()));
  o[k++ * stride] = word(cg::inclusive_scan(group, v));
  o[k++ * stride] = word(cg::inclusive_scan(group, v, cg::plus<T>()));
  o[k++ * stride] = word(cg::inclusive_scan(group, v, cg::greater<T>()));
  o[k++ * stride] = word(cg::exclusive_scan(group, v));
  o[k++ * stride] = word(cg::exclusive_scan(group, v, cg::plus<T>()));
  o[k++ * stride] = word(cg::exclusive_scan(group, v, cg::less<T>()));
  return k;
}
template <class Group> __device__ int whole(const Group &group, u64 *o, int stride) {
  const unsigned v = threadIdx.x * 2654435761u;
  int k = 0;
  o[k++ * stride] = cg::reduce(group, v, cg::bit_and<unsigned>());
  o[k++ * stride] = cg::reduce(group, v, cg::bit_or<unsigned>());
  o[k++ * stride] = cg::reduce(group, v, cg::bit_xor<unsigned>());
  o[k++ * stride] = cg::reduce(group, (u64)v * v, cg::bit_xor<u64>());
  o[k++ * stride] = cg::reduce(group, (short)v, cg::less<short>());
  o[k++ * stride] = cg::inclusive_scan(group, v, cg::bit_xor<unsigned>());
  o[k++ * stride] = cg::exclusive_scan(group, v, cg::bit_or<unsigned>());
  o[k++ * stride] = cg::reduce(group, (int)(v & 0xffff), [](int a, int b) { return joined(a, b); });
  o[k++ * stride] = cg::inclusive_scan(group, (int)(v & 0xffff), [](int a, int b) { return joined(a, b); });
  o[k++ * stride] = cg::exclusive_scan(group, (int)(v & 0xffff), [](int a, int b) { return joined(a, b); });
  return k;
}
template <class Group> __device__ int all_of(const Group &group, u64 *o, int stride) {
  int k = each<int>(group, o, stride);
  k += each<unsigned>(group, o + k * stride, stride);
  k += each<long long>(group, o + k * stride, stride);
  k += each<u64>(group, o + k * stride, stride);
  k += each<float>(group, o + k * stride, stride);
  k += each<double>(group, o + k * stride, stride);
  return k + whole(group, o + k * stride, stride);
}
constexpr int LINES = 64, THREADS = 128;

template <int N> __global__ void of_tiles(u64 *o) {
  auto tile = cg::tiled_partition<N>(cg::this_thread_block());
  all_of(tile, o + threadIdx.x, THREADS);
}
__global__ void of_coalesced(u64 *o, int kind) {
  const int t = threadIdx.x;
  if (kind == 0 ? t % 3 == 0 : kind == 1 ? t % 32 < 19 : kind == 2 ? (t * 7 + t / 32) % 5 != 2 : true) {
    auto group = cg::coalesced_threads();
    all_of(group, o + t, THREADS);
  }
}
__global__ void of_partitions(u64 *o, int kind) {
  const int t = threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (kind == 0) {
    auto part = cg::labeled_partition(warp, t * t % 5);
    all_of(part, o + t, THREADS);
  } else if (kind == 1) {
    auto part = cg::binary_partition(warp, t % 7 < 3);
    all_of(part, o + t, THREADS);
  } else if (kind == 2) {
    auto half = cg::tiled_partition<16>(warp);
    auto part = cg::labeled_partition(half, t / 3 % 4);
    all_of(part, o + t, THREADS);
  } else if (t % 32 < 27) {
    auto group = cg::coalesced_threads();
    auto part = kind == 3 ? cg::labeled_partition(group, t % 4) : kind == 4 ? cg::binary_partition(group, t % 5 == 1) : cg::tiled_partition(group, 4);
    all_of(part, o + t, THREADS);
  }
}
template <int N> __global__ void several_warps(u64 *o) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<N>(block);
  const int t = threadIdx.x;
  int k = 0;
  o[k++ * 256 + t] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 1000000 * tile.meta_group_size();
  o[k++ * 256 + t] = tile.size() + 1000 * tile.num_threads();
  o[k++ * 256 + t] = tile.any(t == 100);
  o[k++ * 256 + t] = tile.all(t < 150);
  o[k++ * 256 + t] = tile.shfl(t * 3, 41);
  o[k++ * 256 + t] = word(cg::reduce(tile, value<float>(t), cg::plus<float>()));
  o[k++ * 256 + t] = word(cg::reduce(tile, value<double>(t), cg::plus<double>()));
  o[k++ * 256 + t] = word(cg::reduce(tile, value<int>(t), cg::greater<int>()));
  o[k++ * 256 + t] = word(cg::inclusive_scan(tile, value<float>(t), cg::plus<float>()));
  o[k++ * 256 + t] = word(cg::exclusive_scan(tile, value<float>(t), cg::plus<float>()));
  o[k++ * 256 + t] = word(cg::inclusive_scan(tile, value<int>(t)));
  o[k++ * 256 + t] = word(cg::exclusive_scan(tile, value<int>(t)));
  o[k++ * 256 + t] = word(cg::exclusive_scan(tile, value<double>(t)));
  o[k++ * 256 + t] = word(cg::inclusive_scan(tile, value<int>(t), cg::less<int>()));
  o[k++ * 256 + t] = word(cg::exclusive_scan(tile, value<int>(t), cg::greater<int>()));
  tile.sync();
}
__global__ void of_blocks(u64 *o) {
  auto block = cg::this_thread_block();
  auto grid = cg::this_grid();
  const u64 i = grid.thread_rank();
  u64 *at = o + i * 16;
  const dim3 b = block.group_index(), s = block.group_dim(), d = block.dim_threads();
  const dim3 t = block.thread_index();
  at[0] = b.x + 10 * b.y + 100 * b.z;
  at[1] = t.x + 10 * t.y + 100 * t.z;
  at[2] = s.x + 10 * s.y + 100 * s.z + 1000 * d.x;
  at[3] = block.thread_rank() + 1000 * block.size() + 1000000 * block.num_threads();
  at[4] = grid.size() + 10000 * grid.num_threads();
  at[5] = grid.num_blocks() + 1000 * grid.block_rank();
  at[6] = grid.dim_blocks().x + 10 * grid.dim_blocks().y + 100 * grid.dim_blocks().z;
  at[7] = grid.block_index().x + 10 * grid.block_index().y + 100 * grid.block_index().z;
  cg::thread_group any = block;
  at[8] = any.thread_rank() + 1000 * any.size();
  cg::thread_group part = cg::tiled_partition(block, 8);
  at[9] = part.thread_rank() + 1000 * part.size();
  cg::sync(part);
  at[10] = cg::thread_rank(block) + 1000 * cg::group_size(block);
  auto warp = cg::tiled_partition<32>(block);
  at[11] = warp.match_any(t.x) + ((u64)warp.meta_group_rank() << 40);
  int same = 0;
  at[12] = warp.match_all(b.x, same) + ((u64)same << 40);
  at[13] = warp.shfl_xor(t.y * 3 + t.x, 5) + 1000 * warp.shfl_up(t.x, 2) + 1000000 * warp.shfl_down(t.x, 3);
  at[14] = warp.ballot(t.x & 1) + ((u64)(warp.any(t.z) + 2 * warp.all(t.x < 8)) << 40);
  auto small = cg::tiled_partition<4>(warp);
  at[15] = small.ballot(t.x & 2) + 100 * small.meta_group_rank() + 10000 * small.meta_group_size() + 1000000 * small.shfl(t.x, 1);
}
__global__ void updates(u64 *o, int *sums, float *fractions) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(sums[0]), most(sums[1]), out(sums[2]), next(sums[3]), later(sums[4]);
  cuda::atomic_ref<float, cuda::thread_scope_device> fraction(fractions[0]);
  o += blockIdx.x * 96;
  cg::reduce_update_async(warp, sum, t, cg::plus<int>());
  cg::reduce_update_async(warp, most, t * 7 % 64, cg::greater<int>());
  cg::reduce_update_async(warp, fraction, 0.5f, cg::plus<float>());
  if (t < 32) cg::reduce_store_async(warp, out, t, cg::plus<int>());
  if (t < 32) {
    o[t] = cg::inclusive_scan_update(warp, next, t);
    o[32 + t] = cg::exclusive_scan_update(warp, next, 2, cg::plus<int>());
    o[64 + t] = cg::exclusive_scan_update(warp, later, t % 5 + 1);
  }
}
__global__ void one_for_all(u64 *o, int *count) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  cg::invoke_one(block, [&] { atomicAdd(count, 1000); });
  cg::invoke_one(tile, [&](int by) { atomicAdd(count, by); }, 3);
  o[threadIdx.x] = cg::invoke_one_broadcast(tile, [&](int a) { return a * 5; }, 7);
  if (threadIdx.x % 2) {
    auto group = cg::coalesced_threads();
    cg::invoke_one(group, [&] { atomicAdd(count + 1, 1); });
    o[64 + threadIdx.x] = cg::invoke_one_broadcast(group, [] { return 9; });
    o[128 + threadIdx.x] = group.meta_group_rank() + 100 * group.meta_group_size() + 1000 * group.shfl((int)threadIdx.x, 3) +
                           1000000ull * group.shfl_down((int)threadIdx.x, 2);
  }
}
void lines(const char *name, u64 *o, int threads, int count) {
  finish(name);
  for (int k = 0; k < count; ++k) {
    char line[64];
    snprintf(line, sizeof line, "%s %d", name, k);
    digest(line, o + k * threads, threads);
  }
  memset(o, 0, threads * count * sizeof *o);
}
int main() {
  u64 *o = array<u64>(LINES * 256);
#define TILE(n) of_tiles<n><<<1, THREADS>>>(o); lines("tiles of " #n, o, THREADS, LINES);
  TILE(1) TILE(2) TILE(4) TILE(8) TILE(16) TILE(32)
  for (int kind = 0; kind < 4; ++kind) {
    of_coalesced<<<1, THREADS>>>(o, kind);
    lines("coalesced", o, THREADS, LINES);
  }
  for (int kind = 0; kind < 6; ++kind) {
    of_partitions<<<1, THREADS>>>(o, kind);
    lines("partitions", o, THREADS, LINES);
  }
  several_warps<64><<<1, 256>>>(o);
  lines("64", o, 256, 15);
  several_warps<128><<<1, 256>>>(o);
  lines("128", o, 256, 15);
  several_warps<256><<<1, 256>>>(o);
  lines("256", o, 256, 15);
  u64 *places = array<u64>(16 * 64 * 12);
  of_blocks<<<dim3(2, 3, 2), dim3(8, 4, 2)>>>(places);
  digest("blocks", places, 16 * 64 * 12);
  for (int k = 0; k < 16; ++k) printf(" %llx", places[16 * 133 + k]);
  puts("");
  int *sums = array<int>(16);
  float *fractions = array<float>(1);
  sums[3] = 10, sums[4] = 100;
  updates<<<3, 64>>>(o, sums + 5, fractions);
  finish("updates");
  updates<<<1, 64>>>(o, sums, fractions);
  show("updates", sums, 5);
  show("fractions", fractions, 1);
  show("scans", o, 96);
  memset(o, 0, 2048);
  int *count = array<int>(2);
  one_for_all<<<1, 64>>>(o, count);
  show("one for all", count, 2);
  show("given", o, 192);
}
