// Clusters of blocks, tiles of several warps, atomics of 16 bytes: results that follow from CUDA's definitions.
#include <cooperative_groups.h>

#include <cstring>

#include "check.h"

namespace cg = cooperative_groups;

// Each block adds up its neighbours' shared memory, round after round.
__global__ void __cluster_dims__(2, 2) ring(int *out) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  mine[threadIdx.x] = 1000 * (blockIdx.y * gridDim.x + blockIdx.x) + threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    cluster.sync();
    const int other = cluster.map_shared_rank(mine, (rank + 1) % cluster.num_blocks())[31 - threadIdx.x];
    cluster.sync();
    mine[threadIdx.x] += other;
  }
  int &first = *cluster.map_shared_rank(&mine[0], 0);
  if (threadIdx.x == 0 && rank) atomicAdd(&first, 1000000);
  cluster.sync();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = mine[threadIdx.x];
  const bool right = cluster.block_index().x == blockIdx.x % 2 && cluster.block_index().y == blockIdx.y % 2 &&
                     cluster.dim_blocks().x == 2 && cluster.num_threads() == 128 &&
                     cluster.query_shared_rank(&first) == 0 && cg::this_grid().num_clusters() == gridDim.x * gridDim.y / 4;
  if (!right) out[0] = -1;
}

static void test_ring() {
  int *out, state[4][32], next[4][32];
  cudaMallocManaged(&out, 8 * 32 * sizeof(int));
  ring<<<dim3(4, 2), 32>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess, true);
  bool same = true;
  for (int cluster = 0; cluster < 2; ++cluster) {
    int block[4];
    for (int r = 0; r < 4; ++r) {
      block[r] = r / 2 * 4 + cluster * 2 + r % 2;
      for (int t = 0; t < 32; ++t) state[r][t] = 1000 * block[r] + t;
    }
    for (int round = 0; round < 3; ++round) {
      for (int r = 0; r < 4; ++r)
        for (int t = 0; t < 32; ++t) next[r][t] = state[r][t] + state[(r + 1) % 4][31 - t];
      memcpy(state, next, sizeof state);
    }
    state[0][0] += 3000000;
    for (int r = 0; r < 4; ++r)
      for (int t = 0; t < 32; ++t) same = same && out[block[r] * 32 + t] == state[r][t];
  }
  EXPECT(same, true);
  ring<<<dim3(3, 2), 32>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess, true);
}

__global__ void sized_at_launch(unsigned *out) {
  out[blockIdx.x] = cg::this_cluster().num_blocks() * 10 + cg::this_cluster().block_rank();
}

static void test_launch_attribute() {
  unsigned *out;
  cudaMallocManaged(&out, 8 * sizeof(unsigned));
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 8;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = dim3(8);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT(cudaLaunchKernelEx(&config, sized_at_launch, out) == cudaSuccess, true);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess, true);
  EXPECT(out[0] == 80 && out[7] == 87, true);
  sized_at_launch<<<8, 1>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess, true);
  EXPECT(out[7] == 10, true);
}

template <unsigned Size> __device__ int sum_of_tile(cg::thread_block block, int *part) {
  const auto tile = cg::tiled_partition<Size>(block);
  part[block.thread_rank()] = (int)block.thread_rank();
  for (unsigned half = Size / 2; half; half /= 2) {
    tile.sync();
    if (tile.thread_rank() < half) part[block.thread_rank()] += part[block.thread_rank() + half];
  }
  tile.sync();
  const int sum = part[tile.meta_group_rank() * Size];
  return sum + tile.shfl((int)tile.thread_rank(), 3) + 100 * tile.any(tile.thread_rank() == 5) + 10 * tile.all(1);
}

__global__ void tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int part[256];
  const cg::thread_block block = cg::this_thread_block(memory);
  const int small = sum_of_tile<64>(block, part);
  block.sync();
  const int big = sum_of_tile<128>(block, part);
  block.sync();
  const auto outer = cg::tiled_partition<128>(block);
  const auto inner = cg::tiled_partition<32>(outer);
  out[block.thread_rank()] = small + 2 * big + 100000 * inner.meta_group_rank();
}

static void test_tiles() {
  int *out;
  cudaMallocManaged(&out, 256 * sizeof(int));
  tiles<<<1, 256>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess, true);
  bool same = true;
  for (int t = 0; t < 256; ++t) {
    const int first = t / 64 * 64, wide = t / 128 * 128;
    const int small = 64 * first + 63 * 32 + 113, big = 128 * wide + 127 * 64 + 113;
    same = same && out[t] == small + 2 * big + 100000 * (t % 128 / 32);
  }
  EXPECT(same, true);
}

struct __align__(16) Pair {
  unsigned long long a, b;
};

__global__ void pairs(Pair *p) {
  for (int i = 0; i < 5; ++i)
    for (Pair seen = *p;;) {
      const Pair next = {seen.a + 1, seen.b + seen.a};
      const Pair old = atomicCAS(p, seen, next);
      if (old.a == seen.a && old.b == seen.b) break;
      seen = old;
    }
}

static void test_pairs() {
  Pair *p;
  cudaMallocManaged(&p, sizeof(Pair));
  p->a = p->b = 0;
  pairs<<<8, 40>>>(p);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess, true);
  EXPECT(p->a == 1600 && p->b == 1599ull * 800, true);
}

int main() {
  test_tiles();
  test_ring();
  test_launch_attribute();
  test_pairs();
  return verdict();
}
