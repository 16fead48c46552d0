// Cooperative groups: blocks, tiles, coalesced threads, partitions, reductions and scans, grids.
// flags: -std=c++17
#include "show.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int N> __device__ int tile_sum(cg::thread_block_tile<N> tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  return tile.shfl(v, 0);
}
__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  const int t = block.thread_rank();
  out[t] = tile_sum<32>(warp, t) + 100000 * tile.meta_group_rank();
  out[64 + t] = tile.ballot(t % 3 == 0) + 1000 * tile.any(t == 9) + 10000 * tile.all(t < 40);
  out[128 + t] = cg::reduce(tile, t, cg::plus<int>()) + 1000 * cg::reduce(warp, t % 13, cg::greater<int>());
  out[192 + t] = cg::inclusive_scan(tile, t) + 10000 * cg::exclusive_scan(tile, 1, cg::plus<int>());
  out[256 + t] = tile.match_any(t / 3) + 1000 * warp.meta_group_size();
  block.sync();
}
__global__ void partitions(int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  auto mine = cg::labeled_partition(warp, t % 5);
  out[t] = mine.size() * 100 + mine.thread_rank() + 10000 * mine.shfl(t, 1);
  auto half = cg::binary_partition(warp, t % 3 == 0);
  out[32 + t] = half.size() * 100 + half.thread_rank() + 10000 * half.meta_group_rank();
  out[64 + t] = cg::reduce(mine, t, cg::plus<int>()) + 1000 * cg::reduce(half, t, cg::less<int>());
}
__device__ int increment(int *counter) {
  auto active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}
__global__ void coalesced(int *out, int *counter) {
  const int t = threadIdx.x;
  if (t % 3 == 1) out[t] = increment(counter);
  __syncwarp();
  if (t < 20) {
    auto group = cg::coalesced_threads();
    out[64 + t] = group.size() * 100 + group.thread_rank() + 10000 * group.shfl_up(t, 1) + 1000000 * group.ballot(t & 1) % 1000;
  }
}
__global__ void copies(const int *in, int *out) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);
  cg::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
__global__ void whole_grid(int *data, int *out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const int n = grid.size(), me = grid.thread_rank();
  for (int r = 1; r <= rounds; ++r) {
    data[me] = me * r;
    grid.sync();
    const int other = data[(me + 37 * r) % n];
    grid.sync();
    if (other != (me + 37 * r) % n * r) atomicAdd(out, 1);
  }
  if (me == 0) out[1] = n + 1000000 * grid.is_valid();
}
__global__ void halves_of_a_block(int *out) {
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  s[threadIdx.x] = threadIdx.x;
  auto token = block.barrier_arrive();
  const int own = threadIdx.x * 2;
  block.barrier_wait(std::move(token));
  out[threadIdx.x] = own + s[63 - threadIdx.x];
}

int main() {
  int *out = array<int>(512), *in = array<int>(1 << 16);
  tiles<<<1, 64>>>(out);
  show("tiles", out + 31, 3);
  show("votes", out + 72, 3);
  digest("tiles", out, 320);
  partitions<<<1, 32>>>(out);
  show("partitions", out, 6);
  digest("partitions", out, 96);
  memset(out, 0, 2048);
  coalesced<<<1, 32>>>(out, in);
  show("coalesced", out, 8);
  digest("coalesced", out, 128);
  for (int i = 0; i < 256; ++i) in[i] = i * i;
  copies<<<2, 128>>>(in, out);
  digest("copies", out, 256);
  memset(out, 0, 2048);
  int rounds = 5;
  void *arguments[] = {&in, &out, &rounds};
  printf("launch: %d\n", (int)cudaLaunchCooperativeKernel((void *)whole_grid, dim3(24), dim3(96), arguments, 0, 0));
  show("grid", out, 2);
  printf("too large: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(1 << 20), dim3(96), arguments, 0, 0)));
  cudaGetLastError();
  halves_of_a_block<<<1, 64>>>(out);
  digest("halves", out, 64);
}
