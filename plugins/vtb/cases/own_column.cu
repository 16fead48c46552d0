// gpu: gtx480; policy: factor=2, form="co"
// run: main
// Threads stay in their own column of an array whose places are data: what is common of it stays in a register of theirs
// until others read it, and the rows that are a virtual block's own are read before the turn.
#include <cstdio>
#include <cstdlib>
__global__ void histogram(const unsigned *x, unsigned *counts)
{
    __shared__ unsigned char mine[128 * 64 + 32];
    int t = threadIdx.x;
    for (int b = 0; b < 128; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = 0; i < 48; ++i) {
        unsigned w = x[(blockIdx.x * 48 + i) * 64 + t];
        ++mine[(w & 127) * 64 + t];
        if (w >> 7 & 1) mine[(w >> 8 & 127) * 64 + t] += 2;
    }
    __syncthreads();
    for (int b = t; b < 128; b += 64) {
        unsigned sum = 0;
#pragma unroll 4
        for (int k = 0; k < 64; ++k) sum += mine[b * 64 + (k + 4 * t) % 64];
        counts[blockIdx.x * 128 + b] = sum;
    }
}
// Rows with two subscripts, the last ones not used; a block that is no multiple of a warp; elements are set from others.
__global__ void walks(const unsigned *x, int *y)
{
    __shared__ int seen[53][40];
    const int t = threadIdx.x;
    unsigned at = x[blockIdx.x * 40 + t];
    for (int r = 0; r < 51; ++r) seen[r][t] = r;
    for (int i = 0; i < 90; ++i) {
        at = x[at & 16383];
        seen[at & 31][t] ^= seen[at >> 6 & 31][t] + i;
        seen[50][t]--;
    }
    int kept = seen[50][t] * 3 + seen[at & 31][t];
    __syncthreads();
    int sum = kept;
    for (int r = 0; r < 51; ++r) sum = sum * 5 + seen[r][39 - t];
    y[blockIdx.x * 40 + t] = sum;
}
int main()
{
    unsigned *x, *counts;
    int *y;
    cudaMallocManaged(&x, 37 * 48 * 64 * 4); cudaMallocManaged(&counts, 37 * 128 * 4); cudaMallocManaged(&y, 37 * 40 * 4);
    for (int i = 0; i < 37 * 48 * 64; ++i) x[i] = rand();
    histogram<<<37, 64>>>(x, counts);
    walks<<<37, 40>>>(x, y);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    unsigned long long h = 7;
    for (int i = 0; i < 37 * 128; ++i) h = h * 31 + counts[i];
    for (int i = 0; i < 37 * 40; ++i) h = h * 31 + y[i];
    printf("%llx\n", h);
}
