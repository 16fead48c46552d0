// Clusters of blocks: ranks, barriers, shared memory of neighbours, dimensions from the kernel and from the launch.
#include "show.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block adds up its neighbours' shared memory, round after round.
__global__ void __cluster_dims__(2, 2) ring(int *out) {
  __shared__ int mine[64];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  mine[threadIdx.x] = 1000 * (blockIdx.y * gridDim.x + blockIdx.x) + threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    cluster.sync();
    const int other = cluster.map_shared_rank(mine, (rank + 1) % cluster.num_blocks())[63 - threadIdx.x];
    cluster.sync();
    mine[threadIdx.x] += other;
  }
  cluster.sync();
  int *first = cluster.map_shared_rank(mine, 0);
  atomicAdd(first + threadIdx.x % 2, 1000000);
  cluster.sync();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = mine[threadIdx.x];
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 2) places(unsigned *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  unsigned *o = out + 8 * (blockIdx.z * gridDim.x + blockIdx.x);
  if (threadIdx.x) return;
  o[0] = cluster.block_rank();
  o[1] = cluster.block_index().x * 100 + cluster.block_index().y * 10 + cluster.block_index().z;
  o[2] = cluster.dim_blocks().x * 100 + cluster.dim_blocks().y * 10 + cluster.dim_blocks().z;
  o[3] = cluster.num_threads(), o[4] = cluster.num_blocks(), o[5] = cg::this_grid().num_clusters();
  o[6] = cluster.thread_rank();
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(o[7]));
}
__global__ void sized_at_launch(unsigned *out) {
  __shared__ unsigned sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  for (unsigned r = 0; r < cluster.num_blocks(); ++r)
    atomicAdd(cluster.map_shared_rank(&sum, r), (cluster.block_rank() + 1) * (threadIdx.x + 1));
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum * 100 + cluster.num_blocks() * 10 + cluster.block_rank();
  cluster.sync();
}
int main() {
  int *out = array<int>(8 * 64);
  ring<<<dim3(4, 2), 64>>>(out);
  show("ring", out, 8); digest("ring", out, 8 * 64);
  ring<<<dim3(3, 2), 64>>>(out);
  printf("odd grid: %d\n", cudaGetLastError() != cudaSuccess);
  unsigned *place = array<unsigned>(8 * 8);
  places<<<dim3(4, 1, 2), 40>>>(place);
  for (int b = 0; b < 8; ++b) show("place", place + 8 * b, 8);
  unsigned *sums = array<unsigned>(16);
  for (int size = 1; size <= 8; size *= 2) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(16), config.blockDim = dim3(33), config.attrs = &attribute, config.numAttrs = 1;
    printf("launch: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, sized_at_launch, sums)));
    show("sums", sums, 16);
  }
  sized_at_launch<<<16, 33>>>(sums);
  show("alone", sums, 16);
}
