// gpu: h200; policy: factor=2, form="pipe"
// run: main
// The first iterations of loops run before the turn: behind a barrier, from the thread's index on, with loops and
// variables in them.
#include <cstdio>

__global__ void bins(const unsigned char *data, unsigned *counts, int n)
{
    __shared__ unsigned char mine[32 * 64];
    int t = threadIdx.x;
    for (int b = 0; b < 32; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 64) {
        unsigned bin = data[blockIdx.x * n + i] & 31;
        ++mine[bin * 64 + t];
        ++mine[(data[blockIdx.x * n + i] >> 3) * 64 + t];
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += mine[(t & 31) * 64 + k] * (k + 1);
    counts[blockIdx.x * 64 + t] = sum;
}

__global__ void sums(const unsigned char *a, unsigned *c, int n)
{
    __shared__ int s[1000];
    for (int i = threadIdx.x; i < 1000; i += 64) {
        int sum = 0;
        for (int p = i; p < n; p += 100) sum += a[blockIdx.x * n + p];
        s[i] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 30) s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + 3 * s[999 - threadIdx.x];
}

// What the loop loads is written before it, and where it begins is changed: not peeled.
__global__ void written(unsigned char *data, unsigned *counts, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    data[blockIdx.x * n + 63 - t] += 1;
    __syncthreads();
    for (int i = t; i < n; i += 64) s[t] += data[blockIdx.x * n + i];
    __syncthreads();
    counts[blockIdx.x * 64 + t] = s[63 - t];
}

int main()
{
    const int blocks = 5;
    unsigned char *data;
    unsigned *counts;
    cudaMallocManaged(&data, blocks * 2300);
    cudaMallocManaged(&counts, blocks * 64 * 4);
    for (int i = 0; i < blocks * 2300; ++i) data[i] = (unsigned char)(i * 7 + i / 13);
    for (int n = 70; n <= 2300; n += 2230) {
        unsigned sum = 0;
        bins<<<blocks, 64>>>(data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        sums<<<blocks, 64>>>(data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        written<<<blocks, 64>>>(data, counts, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < blocks * 64; ++i) sum = sum * 31 + counts[i];
        printf("%d %u\n", n, sum);
    }
    return 0;
}
