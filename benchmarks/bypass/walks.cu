// Kernels that live off L1 and read other data once: where bypassing may pay, and where it must not be done.
//
//     walks KERNEL BLOCKS_PER_SM COLUMNS REPEAT     (blocks of 256 threads, a row each; --no-check: no check on the CPU)
//
// stream4: a matrix by rows, four arrays once (sums in memory). registers: the same with sums in registers.
// stream1: one array only. vector4: the stream is a float4. wide: that with sums in registers. two: two matrices and two streams. products: sums of
// products, which must keep their rounding. fits: coalesced only.

#include <cstring>

#include "../../examples/example.h"

static const float NEVER = -1e30f;

__global__ void stream4(int n, int m, const float *A, const float *x, const float *a, const float *b, const float *c,
                        const float *d, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * x[j] + a[(size_t)j * n + i] + b[(size_t)j * n + i] + c[(size_t)j * n + i] +
                d[(size_t)j * n + i];
}

__global__ void registers(int n, int m, const float *__restrict__ A, const float *__restrict__ x,
                          const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                          const float *__restrict__ d, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)i * m + j] * x[j] + a[(size_t)j * n + i] + b[(size_t)j * n + i] + c[(size_t)j * n + i] +
               d[(size_t)j * n + i];
    y[i] = sum;
}

__global__ void stream1(int n, int m, const float *A, const float *x, const float *a, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * x[j] + a[(size_t)j * n + i];
}

__global__ void vector4(int n, int m, const float *A, const float *x, const float4 *a, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = a[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] * x[j] + v.x + v.y + v.z + v.w;
    }
}

__global__ void wide(int n, int m, const float *__restrict__ A, const float *__restrict__ x,
                     const float4 *__restrict__ a, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j) {
        const float4 v = a[(size_t)j * n + i];
        sum += A[(size_t)i * m + j] * x[j] + v.x + v.y + v.z + v.w;
    }
    y[i] = sum;
}

__global__ void two(int n, int m, const float *A, const float *B, const float *x, const float *a, const float *b,
                    float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += (A[(size_t)i * m + j] + B[(size_t)i * m + j]) * x[j] + a[(size_t)j * n + i] + b[(size_t)j * n + i];
}

__global__ void products(int n, int m, const float *A, const float *x, const float4 *a, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = a[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] * x[j] + v.x * v.y + v.z * v.w;
    }
}

__global__ void fits(int n, int m, const float *a, const float *b, const float *c, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += a[(size_t)j * n + i] * b[(size_t)j * n + i] + c[(size_t)j * n + i] * x[j];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "stream4";
    argv[argc > 1 ? 1 : 0] = argv[0];
    Options options("walks", argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv);
    const int per_sm = options.number("blocks per SM", 1);
    const int m = options.number("columns", 64);
    const int repeat = options.number("repeat", 1);
    options.finish();
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const int threads = 256, blocks = per_sm * properties.multiProcessorCount, n = blocks * threads;
    const size_t count = (size_t)n * m;
    const bool vectors =
        !std::strcmp(name, "vector4") || !std::strcmp(name, "products") || !std::strcmp(name, "wide");
    float *data[6];
    for (int k = 0; k < 6; ++k) data[k] = filled_array(k == 1 && vectors ? 4 * count : count, k + 1);
    float *x = filled_array(m, 9), *y = device_array<float>(n);
    float *A = data[0], *a = data[1], *b = data[2], *c = data[3], *d = data[4], *B = data[5];
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        CHECK(cudaMemset(y, 0, n * sizeof(float)));
        watch.start();
        if (!std::strcmp(name, "stream4")) stream4<<<blocks, threads>>>(n, m, A, x, a, b, c, d, y);
        else if (!std::strcmp(name, "registers")) registers<<<blocks, threads>>>(n, m, A, x, a, b, c, d, y);
        else if (!std::strcmp(name, "stream1")) stream1<<<blocks, threads>>>(n, m, A, x, a, y);
        else if (!std::strcmp(name, "products"))
            products<<<blocks, threads>>>(n, m, A, x, reinterpret_cast<float4 *>(a), y);
        else if (!std::strcmp(name, "wide"))
            wide<<<blocks, threads>>>(n, m, A, x, reinterpret_cast<float4 *>(a), y);
        else if (vectors) vector4<<<blocks, threads>>>(n, m, A, x, reinterpret_cast<float4 *>(a), y);
        else if (!std::strcmp(name, "two")) two<<<blocks, threads>>>(n, m, A, B, x, a, b, y);
        else fits<<<blocks, threads>>>(n, m, a, b, c, x, y);
        watch.stop();
    }
    watch.report("walks", name, 4.0 * count);
    Results results("walks", NEVER);
    results.add(to_host(y, n));
    return results.finish();
}
