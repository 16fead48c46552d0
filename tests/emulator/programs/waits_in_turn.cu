// Threads that wait beside barriers: for blocks that come later, for those that only arrive, and for time to pass.
#include "check.h"

// A barrier in each turn of what is waited for, by a plain load.
__device__ int flag;
__device__ __noinline__ void turns(int *out)
{
    __shared__ int seen;
    if (blockIdx.x + 1 == gridDim.x) {
        __syncthreads();
        if (threadIdx.x == 0) flag = 7;
        return;
    }
    for (;;) {
        if (threadIdx.x == 0) seen = flag;
        __syncthreads();
        const int now = seen;
        __syncthreads();
        if (now == 7) break;
    }
    if (threadIdx.x == 0) atomicAdd(out, 1);
}
typedef void (*Body)(int *);
__device__ Body body = turns;
__global__ void with_barriers(Body f, int *out) { f(out); }

// One warp waits at the block's barrier, where the other arrives and goes on.
__device__ volatile int begun, ended;
__global__ void arrive(int *out)
{
    __shared__ int values[64];
    const int t = threadIdx.x;
    if (t < 32) {
        while (!begun) {}
        __syncthreads();
        out[t] = values[32 + t];
        if (t == 0) ended = 1;
    } else {
        values[t] = t * 3;
        asm volatile("bar.arrive 0, 64;" ::: "memory");
        __threadfence();
        if (t == 63) begun = 1;
        while (!ended) {}
    }
}

// Atomic functions that change nothing are ways to read, though not in loops over a block's threads, which part here.
__global__ void part(int *counts, int *out, int n)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    atomicAdd(&counts[t], n >> 20);
    s[t] = t;
    __syncthreads();
    if (t >= n) return;
    for (int i = 0; i < 1 + t / 50; ++i) {
        out[t] += s[(t + 1) % n];
        __syncthreads();
        s[t] += i;
        __syncthreads();
    }
}

// All threads wait at the same time: one after another it would be six minutes.
__global__ void wait(long long time, int *out)
{
    const long long start = clock64();
    while (clock64() - start < time) {}
    atomicAdd(out, 1);
}

int main()
{
    int *out = device_array<int>(256), *counts = device_array<int>(256);
    Body f;
    EXPECT_STATUS(cudaMemcpyFromSymbol(&f, body, sizeof f), cudaSuccess);
    with_barriers<<<3, 31>>>(f, out);
    finish();
    EXPECT(*out, 2);
    arrive<<<1, 64>>>(out);
    finish();
    for (int t = 0; t < 32; ++t) EXPECT(out[t], 3 * (32 + t));
    cudaMemset(out, 0, 256 * sizeof(int));
    part<<<1, 256>>>(counts, out, 200);
    finish();
    for (int t = 0; t < 199; ++t) EXPECT(out[t] > 0, true);
    EXPECT(out[0], 1);
    *out = 0;
    wait<<<288, 256>>>(5000000, out);
    finish();
    EXPECT(*out, 288 * 256);
    return verdict();
}
