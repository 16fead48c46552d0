// gpu: h200; learn: on
// run: kernel=neighbours grid=601 block=64 x=601*64
// run: kernel=votes grid=301 block=96 x=301*96 y=301*3
// run: kernel=tiles grid=301 block=64 x=301*64
// run: kernel=last grid=(n+31)/32 block=32 n=20011 x=n
// Threads that exchange data with those of their warp, which stay together.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void neighbours(int *x)
{
    int value = x[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    __syncwarp();
    x[blockIdx.x * 64 + threadIdx.x] += value;
}
__global__ void votes(const unsigned *x, unsigned *y)
{
    const unsigned set = __ballot_sync(~0u, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32)
        return;
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = set;
}
__global__ void tiles(int *x)
{
    __shared__ int most[2];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int value = x[blockIdx.x * 64 + block.thread_rank()];
    for (int step = tile.size() / 2; step > 0; step /= 2)
        value = max(value, tile.shfl_down(value, step));
    if (tile.thread_rank() == 0)
        most[threadIdx.x / 32] = value;
    cg::sync(block);
    x[blockIdx.x * 64 + threadIdx.x] -= max(most[0], most[1]);
}
__global__ void last(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] += __reduce_max_sync(__ballot_sync(n - i + threadIdx.x >= 32 ? ~0u : (1u << (n - i + threadIdx.x)) - 1, 1), x[i]);
}

void all(int *x, unsigned *u, unsigned *v)
{
    neighbours<<<601, 64>>>(x);
    votes<<<601, 96>>>(u, v);
    last<<<(40000 + 31) / 32, 32>>>(x, 40000);
    tiles<<<601, 64>>>(x);
}
