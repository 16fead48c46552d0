// Kernels that live off L1 and read other data once: where bypassing may pay, and where it must not be done.
//
//     walks KERNEL BLOCKS_PER_SM COLUMNS REPEAT     (blocks of 256 threads, a row each; --no-check: no check on the CPU)
//
// stream4: a matrix by rows, four arrays once (sums in memory). registers: the same with sums in registers.
// stream1: one array only. vector4: the stream is a float4. wide: that with sums in registers. two: two matrices and two streams. products: sums of
// products, which must keep their rounding. fits: coalesced only. eight: eight arrays once, sums in registers. broad: two
// float4 arrays once, sums in memory. gather: columns and values once, and what the columns say out of 176 KB.

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

__global__ void eight(int n, int m, const float *__restrict__ A, const float *__restrict__ x,
                      const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                      const float *__restrict__ d, const float *__restrict__ e, const float *__restrict__ f,
                      const float *__restrict__ g, const float *__restrict__ h, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j) {
        const size_t at = (size_t)j * n + i;
        sum += A[(size_t)i * m + j] * x[j] + a[at] + b[at] + c[at] + d[at] + e[at] + f[at] + g[at] + h[at];
    }
    y[i] = sum;
}

__global__ void broad(int n, int m, const float *A, const float *x, const float4 *a, const float4 *b, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        const float4 v = a[(size_t)j * n + i];
        const float4 w = b[(size_t)j * n + i];
        y[i] += A[(size_t)i * m + j] * x[j] + v.x + v.y + v.z + v.w + w.x + w.y + w.z + w.w;
    }
}

const int WINDOW = 45056;

__global__ void gather(int n, int m, const int *column, const float *value, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j) {
        const int k = column[(size_t)j * n + i];
        const float v = value[(size_t)j * n + i];
        const float w = x[k];
        y[i] += v * w;
    }
}

__global__ void columns(size_t count, int *column)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride)
        column[k] = (int)((k / 32 * 2654435761u >> 7) % (WINDOW / 32) * 32 + k % 32);
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
    const bool is_broad = !std::strcmp(name, "broad"), is_gather = !std::strcmp(name, "gather");
    const int arrays = !std::strcmp(name, "eight") ? 10 : is_broad ? 3 : is_gather ? 2 : 6;
    float *data[10] = {};
    for (int k = 0; k < arrays; ++k)
        data[k] = filled_array(k >= 1 && (vectors || is_broad) && (k == 1 || is_broad) ? 4 * count : count, k + 1);
    float *x = filled_array(is_gather ? WINDOW : m, 9), *y = device_array<float>(n);
    float *A = data[0], *a = data[1], *b = data[2], *c = data[3], *d = data[4], *B = data[5];
    if (is_gather) columns<<<1056, 256>>>(count, reinterpret_cast<int *>(A));
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
        else if (is_gather) gather<<<blocks, threads>>>(n, m, reinterpret_cast<int *>(A), a, x, y);
        else if (is_broad)
            broad<<<blocks, threads>>>(n, m, A, x, reinterpret_cast<float4 *>(a), reinterpret_cast<float4 *>(b), y);
        else if (!std::strcmp(name, "eight"))
            eight<<<blocks, threads>>>(n, m, A, x, a, b, c, d, B, data[6], data[7], data[8], y);
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
