// gpu: h200; policy: factor=2, form="turns"
// run: main
// The block's cooperative group is the virtual block's; the program's question for the occupancy is answered.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void grouped(const int *x, int *y)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    __shared__ int s[64 * 20];
    int t = block.thread_rank(), at = x[block.group_index().x * block.size() + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511];
    s[t] = at;
    block.sync();
    int other = s[63 - block.thread_index().x] + tile.shfl(at, 3) + tile.thread_rank();
    cg::sync(block);
    cg::this_thread_block().sync();
    y[block.group_index().x * 64 + t] = other + block.group_dim().x;
}

int main()
{
    int *x, *y, blocks = 0;
    cudaMallocManaged(&x, 512 * sizeof(int));
    cudaMallocManaged(&y, 512 * sizeof(int));
    for (int i = 0; i < 512; ++i) x[i] = i * 37 % 509;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grouped, 64, 0);
    grouped<<<7, 64>>>(x, y);
    printf("%s %d\n", cudaGetErrorString(cudaDeviceSynchronize()), blocks > 0);
    int sum = 0;
    for (int i = 0; i < 7 * 64; ++i) sum = sum * 31 + y[i];
    printf("%d\n", sum);
}
