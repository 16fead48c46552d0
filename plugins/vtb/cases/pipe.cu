// gpu: h200; policy: factor=3, form="pipe"
// run: main
// One after the other has the memory: blocks make different numbers of rounds, and say when they come no more. A constant shape allows regions in loops.
#include <cstdio>

__global__ void rounds(int n, const int *table, int *y)
{
    __shared__ int s[64];
    int at = blockIdx.x;
    for (int r = 0; r < n + (int)blockIdx.x % 4; ++r) {
        at = table[(at + threadIdx.x * 7) % 512];
        at = table[(at + r) % 512];
        s[threadIdx.x] = at;
        __syncthreads();
        at += s[63 - threadIdx.x];
        __syncthreads();
    }
    y[blockIdx.x * 64 + threadIdx.x] = at;
}

int main()
{
    int *table, *y;
    cudaMallocManaged(&table, 512 * sizeof(int));
    cudaMallocManaged(&y, 7 * 64 * sizeof(int));
    for (int i = 0; i < 512; ++i) table[i] = i * 37 % 512;
    rounds<<<7, 64>>>(3, table, y);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < 7 * 64; ++i) sum = sum * 31 + y[i];
    printf("%d\n", sum);
}
