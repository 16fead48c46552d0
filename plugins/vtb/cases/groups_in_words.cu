// gpu: h200; policy: factor=2, form="turns"
// run: main
// Comments and messages that name the block's group are no uses of it.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void grouped(const int *x, int *y)
{
    auto block = cg::this_thread_block(); // this_thread_block() is what the whole block agrees on
    __shared__ int s[64 * 20];
    int t = block.thread_rank(), at = x[block.group_index().x * block.size() + t];
    for (int k = 0; k < 9; ++k) at = x[at & 511]; /* ends when the entire block votes so */
    s[t] = at;
    block.sync();
    const int mark = '"', length = sizeof("block");
    y[block.group_index().x * 64 + t] = s[63 - t] + length - mark + 1'000;
}

int main()
{
    int *x, *y;
    cudaMallocManaged(&x, 512 * sizeof(int));
    cudaMallocManaged(&y, 512 * sizeof(int));
    for (int i = 0; i < 512; ++i) x[i] = i * 37 % 509;
    grouped<<<7, 64>>>(x, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int sum = 0;
    for (int i = 0; i < 7 * 64; ++i) sum = sum * 31 + y[i];
    printf("%d\n", sum);
}
