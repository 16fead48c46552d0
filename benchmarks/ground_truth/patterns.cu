// One kernel per pattern of memory access: what the emulator's caches are compared with hardware counters on.
//
// Each kernel is launched once (and `repeat` times more for its time); `patterns NAME...` takes a part of them.

#include "../../examples/example.h"

#include <functional>
#include <string>

static __device__ unsigned mixed(unsigned value)
{
    value = (value ^ (value >> 16)) * 0x7feb352du;
    value = (value ^ (value >> 15)) * 0x846ca68bu;
    return value ^ (value >> 16);
}

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void copy1(const float *in, float *out) { out[THREAD] = in[THREAD]; }
__global__ void copy4(const float4 *in, float4 *out) { out[THREAD] = in[THREAD]; }
__global__ void copy_double(const double *in, double *out) { out[THREAD] = in[THREAD]; }
__global__ void misaligned(const float *in, float *out) { out[THREAD] = in[THREAD + 1]; }
__global__ void stride2(const float *in, float *out) { out[THREAD] = in[THREAD * 2]; }
__global__ void stride8(const float *in, float *out) { out[THREAD] = in[THREAD * 8]; }
__global__ void stride32(const float *in, float *out) { out[THREAD] = in[THREAD * 32]; }
__global__ void half_lanes(const float *in, float *out)
{
    if (threadIdx.x & 1)
        out[THREAD] = in[THREAD];
}

__global__ void radius4(const float *in, float *out)
{
    float sum = 0.0f;
    for (int d = 0; d < 9; ++d)
        sum += in[THREAD + d];
    out[THREAD] = sum;
}

static __device__ float gathered(const float *table, unsigned mask)
{
    float sum = 0.0f;
    unsigned at = THREAD;
    for (int i = 0; i < 8; ++i) {
        at = mixed(at + i);
        sum += table[at & mask];
    }
    return sum;
}
__global__ void gather_32k(const float *in, float *out) { out[THREAD] = gathered(in, (32 << 8) - 1); }
__global__ void gather_256k(const float *in, float *out) { out[THREAD] = gathered(in, (256 << 8) - 1); }
__global__ void gather_2m(const float *in, float *out) { out[THREAD] = gathered(in, (2 << 18) - 1); }
__global__ void gather_16m(const float *in, float *out) { out[THREAD] = gathered(in, (16 << 18) - 1); }

__global__ void chase(const float *in, float *out)
{
    unsigned at = THREAD & 0xffff;
    for (int i = 0; i < 16; ++i)
        at = (at + (unsigned)(fabsf(in[at]) * 1024.0f) + 97) & 0xffff;
    out[THREAD] = (float)at;
}

__global__ void broadcast(const float *in, float *out)
{
    float sum = 0.0f;
    for (int i = 0; i < 512; ++i)
        sum += in[i] * (float)(i + 1);
    out[THREAD] = sum;
}

// Every block walks over its own part of `in` again and again: blocks per SM times this is what L1 must hold.
static __device__ float swept(const float *in, int words, int times)
{
    const float *mine = in + (size_t)blockIdx.x * words;
    float sum = 0.0f;
    for (int t = 0; t < times; ++t)
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            sum += mine[i] * (float)(t + 1);
    return sum;
}
__global__ void sweep_8k(const float *in, float *out) { out[THREAD] = swept(in, 8 << 8, 8); }
__global__ void sweep_24k(const float *in, float *out) { out[THREAD] = swept(in, 24 << 8, 8); }
__global__ void sweep_32k(const float *in, float *out) { out[THREAD] = swept(in, 32 << 8, 8); }
__global__ void sweep_48k(const float *in, float *out) { out[THREAD] = swept(in, 48 << 8, 8); }

// A row of 256 floats per thread, and four streams that are read once beside it, with each cache operator.
#define ROWS_WITH(NAME, LOAD)                                                         \
    __global__ void NAME(const float *in, const float *streams, float *out)           \
    {                                                                                 \
        const unsigned thread = THREAD, threads = gridDim.x * blockDim.x;             \
        const float *row = in + (size_t)thread * 128;                                 \
        float sum = 0.0f;                                                             \
        for (int j = 0; j < 128; ++j) {                                               \
            sum += row[j];                                                            \
            if ((j & 31) == 0)                                                        \
                sum += LOAD(&streams[(size_t)(j >> 5) * threads + thread]);           \
        }                                                                             \
        out[thread] = sum;                                                            \
    }
ROWS_WITH(rows_ca, __ldca)
ROWS_WITH(rows_cg, __ldcg)
ROWS_WITH(rows_cs, __ldcs)
ROWS_WITH(rows_ldg, __ldg)

__global__ void own_store(float *out)
{
    out[THREAD] = (float)THREAD;
    float sum = 0.0f;
    for (int i = 0; i < 4; ++i) {
        volatile float *mine = out + THREAD;
        *mine = *mine + 1.0f;
        sum += *mine;
    }
    out[THREAD] = sum;
}

__global__ void transpose_direct(const float *in, float *out)
{
    const unsigned x = blockIdx.x % 64 * 32 + threadIdx.x % 32, y = blockIdx.x / 64 * 8 + threadIdx.x / 32;
    out[(size_t)x * 512 + y] = in[(size_t)y * 2048 + x];
}
template <int PAD> static __device__ void transposed(const float *in, float *out)
{
    __shared__ float tile[32][32 + PAD];
    const unsigned bx = blockIdx.x % 64, by = blockIdx.x / 64, tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    for (unsigned r = ty; r < 32; r += 8)
        tile[r][tx] = in[(size_t)(by * 32 + r) * 2048 + bx * 32 + tx];
    __syncthreads();
    for (unsigned r = ty; r < 32; r += 8)
        out[(size_t)(bx * 32 + r) * 512 + by * 32 + tx] = tile[tx][r];
}
__global__ void transpose_tiled(const float *in, float *out) { transposed<0>(in, out); }
__global__ void transpose_padded(const float *in, float *out) { transposed<1>(in, out); }

static __device__ float shared_walk(int stride)
{
    __shared__ float words[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = (float)i;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 32; ++i)
        sum += words[(threadIdx.x * stride + i) & 8191];
    return sum;
}
__global__ void shared_1(float *out) { out[THREAD] = shared_walk(1); }
__global__ void shared_2(float *out) { out[THREAD] = shared_walk(2); }
__global__ void shared_32(float *out) { out[THREAD] = shared_walk(32); }
__global__ void shared_33(float *out) { out[THREAD] = shared_walk(33); }

__global__ void histogram(const float *in, unsigned *counts)
{
    atomicAdd(&counts[(unsigned)((in[THREAD] + 1.0f) * 512.0f) & 1023], 1u);
}

// Matrices of `n` columns staged by tiles of 16 x 16, as in every textbook.
__global__ void tiled_product(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[16][16], b[16][16];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, per_row = n / 16;
    const int row = blockIdx.x / per_row * 16 + ty, column = blockIdx.x % per_row * 16 + tx;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        a[ty][tx] = A[(size_t)row * n + k + tx];
        b[ty][tx] = B[(size_t)(k + ty) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    C[(size_t)row * n + column] = sum;
}

struct Pattern {
    std::string name;
    std::function<void()> launch;
};

int main(int argc, char **argv)
{
    int repeat = 0;
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], "repeat=", 7) == 0)
            repeat = std::atoi(argv[i] + 7);
        else if (std::strcmp(argv[i], "--no-check") != 0)
            wanted.push_back(argv[i]);

    const size_t words = 36u << 20;
    const unsigned blocks = 1056, threads = 256, many = blocks * threads;  // eight blocks for each SM of an H200
    float *in = filled_array(words, 7);
    float *streams = filled_array((size_t)many * 4, 9);
    float *out = device_array<float>((size_t)many * 4);
    unsigned *counts = device_array<unsigned>(1024);
    CHECK(cudaMemset(counts, 0, 1024 * sizeof(unsigned)));

#define PLAIN(NAME) {#NAME, [=] { NAME<<<blocks, threads>>>(in, out); }}
#define ALONE(NAME) {#NAME, [=] { NAME<<<blocks, threads>>>(out); }}
#define ROWS(NAME) {#NAME, [=] { NAME<<<blocks, threads>>>(in, streams, out); }}
    const std::vector<Pattern> patterns = {
        PLAIN(copy1),
        {"copy4", [=] { copy4<<<blocks, threads>>>((const float4 *)in, (float4 *)out); }},
        {"copy_double", [=] { copy_double<<<blocks, threads>>>((const double *)in, (double *)out); }},
        PLAIN(misaligned), PLAIN(stride2), PLAIN(stride8), PLAIN(stride32), PLAIN(half_lanes), PLAIN(radius4),
        PLAIN(gather_32k), PLAIN(gather_256k), PLAIN(gather_2m), PLAIN(gather_16m), PLAIN(chase), PLAIN(broadcast),
        PLAIN(sweep_8k), PLAIN(sweep_24k), PLAIN(sweep_32k), PLAIN(sweep_48k),
        ROWS(rows_ca), ROWS(rows_cg), ROWS(rows_cs), ROWS(rows_ldg), ALONE(own_store),
        {"transpose_direct", [=] { transpose_direct<<<64 * 64, 256>>>(in, out); }},
        {"transpose_tiled", [=] { transpose_tiled<<<64 * 16, 256>>>(in, out); }},
        {"transpose_padded", [=] { transpose_padded<<<64 * 16, 256>>>(in, out); }},
        ALONE(shared_1), ALONE(shared_2), ALONE(shared_32), ALONE(shared_33),
        {"histogram", [=] { histogram<<<blocks, threads>>>(in, counts); }},
        {"tiled_product", [=] { tiled_product<<<32 * 32, 256>>>(in, in + (1 << 18), out, 512); }},
    };
    Results results("patterns", 0.0);
    for (const Pattern &pattern : patterns) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), pattern.name) == wanted.end())
            continue;
        CHECK(cudaMemset(out, 0, (size_t)many * 16));
        Stopwatch watch;
        for (int run = 0; run <= repeat; ++run) {
            watch.start();
            pattern.launch();
            watch.stop();
        }
        if (repeat > 0)
            watch.report("patterns", pattern.name.c_str(), 0.0);
        results.add(to_host(out, many));
    }
    return results.finish();
}
