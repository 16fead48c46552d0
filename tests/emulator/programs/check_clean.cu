// Correct programs of the kinds that race detectors like to complain about: check mode must stay silent.
#include "check.h"
#include <cooperative_groups.h>

// Tiles with barriers, read by other threads than those that wrote them.
__global__ void tiled(const float *in, float *out, int n)
{
    __shared__ float tile[2][64];
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        tile[i % 2][threadIdx.x] = in[i * 64 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; ++k) sum += tile[i % 2][k];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Old reductions count on warps in step, newer ones say __syncwarp.
__global__ void reductions(int *out)
{
    __shared__ volatile int old[64];
    __shared__ int now[64];
    old[threadIdx.x] = now[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        old[threadIdx.x] += old[threadIdx.x + 32];
        old[threadIdx.x] += old[threadIdx.x + 16];
        for (int step = 32; step > 0; step /= 2) {
            const int other = now[threadIdx.x + step];
            __syncwarp();
            now[threadIdx.x] += other;
            __syncwarp();
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = now[0];
}

// The last block to finish adds up what the others wrote.
__device__ unsigned finished;
__global__ void last_block(const int *in, int *partial, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    if (threadIdx.x < gridDim.x) atomicAdd(total, partial[threadIdx.x]);
}

// An atomic addition made of compare-and-swap begins with a plain read.
__device__ void add(double *to, double value)
{
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(to), old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
}
__global__ void histogram(const unsigned char *in, int *bins, double *sum)
{
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
    add(sum, 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// Neighbouring bytes, written by different threads; all of them set the same flag.
__global__ void bytes(unsigned char *out, int *changed)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    *changed = 1;
}

__global__ void locked(int *lock, int *value)
{
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {
    }
    __threadfence();
    *value += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void whole_grid(int *data)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    data[i] = i;
    cooperative_groups::this_grid().sync();
    const int other = data[n - 1 - i];
    cooperative_groups::this_grid().sync();
    data[i] = other;
}

struct Shape {
    __device__ virtual int sides() const { return 0; }
};
struct Square : Shape {
    __device__ int sides() const override { return *four; }
    const int *four;
};
__device__ int next(int x) { return x + 1; }
__device__ int (*functions[2])(int) = {next, next};
__constant__ int four = 4;
__constant__ float weights[2][3] = {{0.5f, 0.25f, 0.125f}, {1, 2, 3}};  // nobody writes it: a constant in the fast code
__global__ void weighted(float *out)
{
    float sum = 0;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) sum += weights[i][j] * (threadIdx.x + j);
    out[threadIdx.x] = sum;
}
__global__ void indirect(int *out)
{
    Square square;
    square.four = &four;
    const Shape *shape = &square;
    int local[8];
    for (int i = 0; i < 8; ++i) local[i] = functions[i % 2](shape->sides() + i);
    memcpy(out + 8 * threadIdx.x, local, sizeof local);
}

int main()
{
    float *in = device_array<float>(256), *out = device_array<float>(256);
    int *data = device_array<int>(1024), *more = device_array<int>(1024);
    double *sum = device_array<double>(1);
    finish();
    weighted<<<1, 64>>>(out);
    tiled<<<4, 64>>>(in, out, 4);
    reductions<<<2, 64>>>(data);
    last_block<<<8, 32>>>(data, more, more + 1000);
    last_block<<<8, 32>>>(data, more, more + 1001);
    histogram<<<4, 64>>>(reinterpret_cast<unsigned char *>(in), data + 16, sum);
    bytes<<<4, 64>>>(reinterpret_cast<unsigned char *>(out), data + 40);
    locked<<<16, 32>>>(data + 50, data + 51);
    indirect<<<1, 32>>>(more);
    void *arguments[] = {&more};
    EXPECT((int)cudaLaunchCooperativeKernel(reinterpret_cast<void *>(whole_grid), 4, 32, arguments), 0);
    finish();
    EXPECT(more[1000], data[0] + data[1]);
    EXPECT(sum[0], 256.0);
    EXPECT(data[51], 16);
    EXPECT(more[0], 127);
    cudaFree(in), cudaFree(out), cudaFree(data), cudaFree(more), cudaFree(sum);
    return verdict();
}
