// Launches that the carve-outs' regression was not fitted to: kernels of divisions.cu and others, in other shapes.
//
//     unseen [REPEAT [KERNEL]]
//
// Prints kernel, threads, bytes of shared memory, blocks per multiprocessor and columns of every launch, a checksum of
// its results and the median time in milliseconds. Built by nvcc and by gpuopt-nvcc, the checksums must be the same.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); std::exit(1); } } while (0)
#include "divisions_kernels.cu"

__global__ void three(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m / 2; ++j)
        sum += A[(size_t)i * m + j] * B[(size_t)i * m + j] - A[(size_t)i * m + j + m / 2] * x[j];
    y[i] = sum;
    END
}
__global__ void polynomial(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j) {
        const float v = A[(size_t)i * m + j];
        float p = 1;
        for (int k = 0; k < 5; ++k) p = p * v + x[k];
        sum += p / (1 + v * v);
    }
    y[i] = sum;
    END
}
__global__ void columns(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)j * n + i] * x[j];
    y[i] = sum;
    END
}
__global__ void saved(int n, int m, const float *A, const float *B, const float *x, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j] * x[j] + B[(size_t)i * m + j];
    END
}
__global__ void largest(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = -1, least = 2;
    for (int j = 0; j < m; ++j) {
        most = fmaxf(most, A[(size_t)i * m + j]);
        least = fminf(least, A[(size_t)i * m + j]);
    }
    y[i] = most - least;
    END
}
__global__ void shifted(int n, int m, const float *A, const float *B, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int j = 0; j < m - 1; ++j)
        y[i] += A[(size_t)i * m + j + 1] - A[(size_t)i * m + j];
    END
}

struct Launch { int n, m, blocks, threads, shared; const float *A, *B, *x; float *y; };
// Every launch by its kernel's name, so that it may be sent to a version of it.
static void launch_memory(const Launch &l) { memory<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_registers(const Launch &l) { registers<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_two(const Launch &l) { two<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_heavy(const Launch &l) { heavy<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_strided(const Launch &l) { strided<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_three(const Launch &l) { three<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_polynomial(const Launch &l) { polynomial<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_columns(const Launch &l) { columns<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_saved(const Launch &l) { saved<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_largest(const Launch &l) { largest<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }
static void launch_shifted(const Launch &l) { shifted<<<l.blocks, l.threads, l.shared>>>(l.n, l.m, l.A, l.B, l.x, l.y); }

static const struct { const char *name; const void *kernel; void (*launch)(const Launch &); } KERNELS[] = {
    { "memory", (const void *)memory, launch_memory }, { "registers", (const void *)registers, launch_registers },
    { "two", (const void *)two, launch_two }, { "heavy", (const void *)heavy, launch_heavy },
    { "strided", (const void *)strided, launch_strided }, { "three", (const void *)three, launch_three },
    { "polynomial", (const void *)polynomial, launch_polynomial }, { "columns", (const void *)columns, launch_columns },
    { "saved", (const void *)saved, launch_saved }, { "largest", (const void *)largest, launch_largest },
    { "shifted", (const void *)shifted, launch_shifted },
};
// Threads, bytes of shared memory, blocks per multiprocessor, columns.
static const int SHAPES[][4] = {
    { 64, 6144, 24, 384 }, { 64, 16384, 12, 512 }, { 64, 10240, 40, 384 }, { 96, 14336, 10, 512 }, { 96, 4096, 20, 384 },
    { 128, 10240, 16, 384 }, { 128, 24576, 8, 512 }, { 160, 8192, 12, 512 }, { 192, 20480, 8, 384 }, { 192, 49152, 4, 512 },
    { 256, 8192, 8, 384 }, { 256, 16384, 7, 512 }, { 256, 28672, 5, 512 }, { 256, 49152, 4, 384 }, { 320, 12288, 6, 512 },
    { 384, 36864, 3, 512 }, { 384, 16384, 5, 384 }, { 512, 24576, 4, 384 }, { 640, 40960, 3, 512 }, { 768, 24576, 2, 512 },
};

__global__ void fill(float *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (float)(i * 2654435761u % 1021) / 1021;
}

int main(int argc, char **argv)
{
    const int repeat = argc > 1 ? atoi(argv[1]) : 5;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    size_t elements = 0, threads = 0;
    for (auto &shape : SHAPES) {
        const size_t rows = (size_t)p.multiProcessorCount * shape[2] * shape[0];
        threads = std::max(threads, rows);
        elements = std::max(elements, rows * shape[3]);
    }
    float *A, *B, *x, *y;
    CHECK(cudaMalloc(&A, elements * 4)); CHECK(cudaMalloc(&B, elements * 4)); CHECK(cudaMalloc(&x, 4096)); CHECK(cudaMalloc(&y, threads * 4));
    fill<<<1024, 256>>>(A, elements); fill<<<1024, 256>>>(B, elements); fill<<<1, 256>>>(x, 1024);
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
    std::vector<uint32_t> results(threads);
    for (auto &k : KERNELS) {
        if (argc > 2 && strcmp(argv[2], k.name)) continue;
        for (auto &shape : SHAPES) {
            const int blocks = p.multiProcessorCount * shape[2], n = blocks * shape[0];
            CHECK(cudaFuncSetAttribute(k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape[1]));
            std::vector<float> all;
            for (int r = 0; r <= repeat; ++r) {
                float ms;
                CHECK(cudaMemset(y, 0, (size_t)n * 4));
                CHECK(cudaEventRecord(a));
                k.launch({ n, shape[3], blocks, shape[0], shape[1], A, B, x, y });
                CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b));
                if (r || !repeat) all.push_back(ms);
            }
            CHECK(cudaMemcpy(results.data(), y, (size_t)n * 4, cudaMemcpyDeviceToHost));
            uint64_t sum = 14695981039346656037u;
            for (int i = 0; i < n; ++i) sum = (sum ^ results[i]) * 1099511628211u;
            std::sort(all.begin(), all.end());
            std::printf("%s %dx%d/%d,%d %016llx %.5f\n", k.name, shape[0], shape[1], shape[2], shape[3], (unsigned long long)sum, all[all.size() / 2]);
        }
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
