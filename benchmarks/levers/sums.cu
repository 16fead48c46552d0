// Sums that loops keep in memory, beside the same kernels written with registers: `./sums [ROWS [COLUMNS [REPEAT]]]`.
// One line per kernel and form: name, form, median in ms, checksum of all results.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

__global__ void gesummv_memory(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[i] = 0.0f;
        y[i] = 0.0f;
        for (int j = 0; j < m; ++j) {
            s[i] += A[i * m + j] * x[j];
            y[i] += B[i * m + j] * x[j];
        }
        y[i] = 1.5f * s[i] - 0.75f * y[i];
    }
}

__global__ void gesummv_registers(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = 0.0f, b = 0.0f;
        for (int j = 0; j < m; ++j) {
            a += A[i * m + j] * x[j];
            b += B[i * m + j] * x[j];
        }
        s[i] = a;
        y[i] = 1.5f * a - 0.75f * b;
    }
}

__global__ void rows_memory(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[i] += A[i * m + j] * x[j];
}

__global__ void rows_registers(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = y[i];
        for (int j = 0; j < m; ++j)
            a += A[i * m + j] * x[j];
        y[i] = a;
    }
}

__global__ void columns_memory(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        for (int i = 0; i < m; ++i)
            y[j] += A[(size_t)i * n + j] * x[i];
}

__global__ void columns_registers(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        float a = y[j];
        for (int i = 0; i < m; ++i)
            a += A[(size_t)i * n + j] * x[i];
        y[j] = a;
    }
}

__global__ void product_memory(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, width = m / 8;
    const int i = blockIdx.y;
    if (j < n && i < 8)
        for (int k = 0; k < width; ++k)
            s[i * n + j] += A[i * width + k] * B[k * n + j];
}

__global__ void product_registers(int n, int m, const float *A, const float *B, const float *x, float *s, float *y)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, width = m / 8;
    const int i = blockIdx.y;
    if (j < n && i < 8) {
        float a = s[i * n + j];
        for (int k = 0; k < width; ++k)
            a += A[i * width + k] * B[k * n + j];
        s[i * n + j] = a;
    }
}

static float *filled(size_t count, unsigned seed)
{
    std::vector<float> host(count);
    for (float &one : host) {
        seed = seed * 1664525u + 1013904223u;
        one = (float)(seed >> 16) / 65536.0f - 0.5f;
    }
    float *device = nullptr;
    CHECK(cudaMalloc(&device, count * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static uint64_t checksum(const float *device, size_t count, uint64_t sum)
{
    std::vector<uint32_t> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (uint32_t one : host) sum = (sum ^ one) * 1099511628211ull;
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 16384, m = argc > 2 ? std::atoi(argv[2]) : 8192;
    const int repeat = argc > 3 ? std::atoi(argv[3]) : 60;
    const size_t all = (size_t)n * m;
    float *A = filled(all, 1), *B = filled(all, 2), *x = filled((size_t)n + m, 3);
    float *s = filled(8 * (size_t)n, 4), *y = filled(n, 5);
    const dim3 plain((n + 255) / 256), rows((n + 255) / 256, 8);
    const auto timed = [&](const char *kernel, const char *form, auto launch) {
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        std::vector<float> times;
        CHECK(cudaMemset(s, 0, 8 * (size_t)n * sizeof(float)));
        CHECK(cudaMemset(y, 0, n * sizeof(float)));
        for (int turn = 0; turn < repeat; ++turn) {
            float ms = 0;
            CHECK(cudaEventRecord(begin));
            launch();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            times.push_back(ms);
        }
        std::nth_element(times.begin(), times.begin() + repeat / 2, times.end());
        const uint64_t sum = checksum(y, n, checksum(s, 8 * (size_t)n, 0));
        std::printf("%s %s %.4f %016llx\n", kernel, form, times[repeat / 2], (unsigned long long)sum);
    };
    timed("gesummv", "memory", [&] { gesummv_memory<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("gesummv", "registers", [&] { gesummv_registers<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("rows", "memory", [&] { rows_memory<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("rows", "registers", [&] { rows_registers<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("columns", "memory", [&] { columns_memory<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("columns", "registers", [&] { columns_registers<<<plain, 256>>>(n, m, A, B, x, s, y); });
    timed("product", "memory", [&] { product_memory<<<rows, 256>>>(n, m, A, B, x, s, y); });
    timed("product", "registers", [&] { product_registers<<<rows, 256>>>(n, m, A, B, x, s, y); });
    return 0;
}
