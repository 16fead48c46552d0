// Kernels of several kinds at sizes and block shapes from the command line, for benchmarks/learning.py: row walks, row
// walks beside streams, gathers beside shared memory, histograms, products, stencils, column sums.
//   points KERNEL BLOCKS THREADS LENGTH LAUNCHES [EVERY]   prints milliseconds of all launches and a sum of the output's bits
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            std::exit(1); \
        } \
    } while (0)

__global__ void fill(float *data, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + seed;
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        data[i] = (float)(h & 0xffff) / 65536.0f - 0.5f;
    }
}

// Each thread walks its own row and adds up in memory.
__global__ void rows(const float *a, const float *x, float *y, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int j = 0; j < length; ++j)
        y[i] += a[(size_t)i * length + j] * x[j];
}

// Rows of two matrices, sums in memory.
__global__ void two_rows(const float *a, const float *x, float *y, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int j = 0; j < length; ++j) {
        y[i] += a[(size_t)i * length + j] * 0.5f;
        y[i] += x[(size_t)i * length + j] * 1.5f;
    }
}

// Each thread walks its own row while others' data stream by, at indices with a remainder.
__global__ void rows_and_stream(const float *a, const float *x, float *y, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int all = gridDim.x * blockDim.x;
    y[i] = 0;
    for (int j = 0; j < length; ++j) {
        y[i] += a[(size_t)i * length + j] * x[(size_t)j * all + (i + j * 64) % all];
        y[i] += a[(size_t)i * length + length - 1 - j];
    }
}

// Follows indices through a table in memory, then exchanges results in shared memory.
__global__ void gather(const float *a, const float *x, float *y, int length)
{
    __shared__ float results[2048];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = gridDim.x * blockDim.x;
    unsigned at = i;
    float sum = 0;
    for (int j = 0; j < length; ++j) {
        const float value = a[at];
        sum += value;
        at = (at * 1664525u + (unsigned)((value + 0.5f) * 65536.0f) * 40503u) % all;
    }
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        results[k] = x[k];
    __syncthreads();
    results[threadIdx.x] += sum;
    __syncthreads();
    y[i] = results[(threadIdx.x * 7 + 3) % blockDim.x];
}

// A histogram in shared memory, added to the whole one.
__global__ void histogram(const float *a, const float *, float *y, int length)
{
    __shared__ unsigned bins[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    const size_t first = (size_t)blockIdx.x * length * blockDim.x + threadIdx.x;
    for (int j = 0; j < length; ++j)
        atomicAdd(&bins[(unsigned)((a[first + (size_t)j * blockDim.x] + 0.5f) * 1023.0f) & 1023u], 1u);
    __syncthreads();
    unsigned *out = (unsigned *)y;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        if (bins[i])
            atomicAdd(&out[i], bins[i]);
}

// c = a * b for square matrices of `length`.
__global__ void product(const float *a, const float *b, float *c, int length)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < length; ++k)
        sum += a[(size_t)row * length + k] * b[(size_t)k * length + column];
    c[(size_t)row * length + column] = sum;
}

// Five points of a square grid of `length`.
__global__ void stencil(const float *a, const float *, float *y, int length)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || z < 1 || x >= length - 1 || z >= length - 1)
        return;
    const size_t at = (size_t)z * length + x;
    y[at] = 0.2f * (a[at] + a[at - 1] + a[at + 1] + a[at - length] + a[at + length]);
}

// Sums of columns: neighbours read neighbours.
__global__ void columns(const float *a, const float *x, float *y, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int j = 0; j < length; ++j)
        sum += a[(size_t)j * all + i] * x[j];
    y[i] = sum;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        std::fprintf(stderr, "points KERNEL BLOCKS THREADS LENGTH LAUNCHES [EVERY]\n");
        return 2;
    }
    const char *name = argv[1];
    const int blocks = std::atoi(argv[2]), threads = std::atoi(argv[3]), length = std::atoi(argv[4]);
    const int launches = std::atoi(argv[5]), every = argc > 6 ? std::atoi(argv[6]) : 16;
    const bool square = !std::strcmp(name, "product") || !std::strcmp(name, "stencil");
    const size_t all = square ? (size_t)length * length : (size_t)blocks * threads;
    const size_t count = square ? all : all * length;
    const size_t result = all < 1024 ? 1024 : all;
    float *a, *x, *y;
    CHECK(cudaMalloc(&a, count * sizeof(float)));
    CHECK(cudaMalloc(&x, (count < 4096 ? 4096 : count) * sizeof(float)));
    CHECK(cudaMalloc(&y, result * sizeof(float)));
    fill<<<1024, 256>>>(a, count, 1);
    fill<<<1024, 256>>>(x, count < 4096 ? 4096 : count, 2);
    CHECK(cudaMemset(y, 0, result * sizeof(float)));
    const dim3 block = square ? dim3(threads, 256 / threads) : dim3(threads);
    const dim3 grid = square ? dim3(length / block.x, length / block.y) : dim3(blocks);
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    for (int run = 0; run < launches; ++run) {
        if (!std::strcmp(name, "rows"))
            rows<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "rows_and_stream"))
            rows_and_stream<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "two_rows"))
            two_rows<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "gather"))
            gather<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "histogram"))
            histogram<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "product"))
            product<<<grid, block>>>(a, x, y, length);
        else if (!std::strcmp(name, "stencil"))
            stencil<<<grid, block>>>(a, x, y, length);
        else
            columns<<<grid, block>>>(a, x, y, length);
        if (every && run % every == every - 1)
            CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::vector<unsigned> bits(result);
    CHECK(cudaMemcpy(bits.data(), y, result * sizeof(float), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (size_t i = 0; i < result; ++i)
        sum = (sum ^ bits[i]) * 1099511628211ull;
    std::printf("%.6f %016llx\n", milliseconds, sum);
    return 0;
}
