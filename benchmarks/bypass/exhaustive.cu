// Every choice of loads that matter, for some kernels of walks.cu: which is the best there is?
//
//     exhaustive BLOCKS_PER_SM COLUMNS     prints kernel, blocks, mask of bypassed loads (bit 0 first), milliseconds
//
// Loads by bit: wide, vector4: A, a. stream4: A, a and b, c and d. eight: A, four of the streams, the other four.
// broad: A, a, b. gather: column, value, x. The operator is .cs.

#include "../../examples/example.h"

template <bool PAST> __device__ float load(const float *p)
{
    if (!PAST) return *p;
    float v;
    asm("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
template <bool PAST> __device__ int load(const int *p)
{
    if (!PAST) return *p;
    int v;
    asm("ld.global.cs.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
template <bool PAST> __device__ float load(const float4 *p)
{
    float4 v;
    if (!PAST) v = *p;
    else asm("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v.x + v.y + v.z + v.w;
}

struct Data {
    int n, m;
    const float *A, *x, *s;  // s: up to eight streams behind each other
    const int *column;
    float *y;
};

template <int MASK> struct Wide {
    static __device__ void run(const Data &d, int i)
    {
        const float *__restrict__ A = d.A;
        const float4 *__restrict__ a = reinterpret_cast<const float4 *>(d.s);
        float sum = 0.0f;
        for (int j = 0; j < d.m; ++j)
            sum += load<MASK & 1>(A + (size_t)i * d.m + j) * d.x[j] + load<(MASK & 2) != 0>(a + (size_t)j * d.n + i);
        d.y[i] = sum;
    }
};
template <int MASK> struct Vector4 {
    static __device__ void run(const Data &d, int i)
    {
        const float4 *a = reinterpret_cast<const float4 *>(d.s);
        for (int j = 0; j < d.m; ++j)
            d.y[i] += load<MASK & 1>(d.A + (size_t)i * d.m + j) * d.x[j] + load<(MASK & 2) != 0>(a + (size_t)j * d.n + i);
    }
};
template <int MASK> struct Broad {
    static __device__ void run(const Data &d, int i)
    {
        const float4 *a = reinterpret_cast<const float4 *>(d.s), *b = a + (size_t)d.n * d.m;
        for (int j = 0; j < d.m; ++j)
            d.y[i] += load<MASK & 1>(d.A + (size_t)i * d.m + j) * d.x[j] + load<(MASK & 2) != 0>(a + (size_t)j * d.n + i) +
                      load<(MASK & 4) != 0>(b + (size_t)j * d.n + i);
    }
};
template <int MASK> struct Stream4 {
    static __device__ void run(const Data &d, int i)
    {
        const size_t each = (size_t)d.n * d.m;
        for (int j = 0; j < d.m; ++j) {
            const float *s = d.s + (size_t)j * d.n + i;
            d.y[i] += load<MASK & 1>(d.A + (size_t)i * d.m + j) * d.x[j] + load<(MASK & 2) != 0>(s) +
                      load<(MASK & 2) != 0>(s + each) + load<(MASK & 4) != 0>(s + 2 * each) +
                      load<(MASK & 4) != 0>(s + 3 * each);
        }
    }
};
template <int MASK> struct Eight {
    static __device__ void run(const Data &d, int i)
    {
        const size_t each = (size_t)d.n * d.m;
        const float *__restrict__ A = d.A;
        float sum = 0.0f;
        for (int j = 0; j < d.m; ++j) {
            const float *__restrict__ s = d.s + (size_t)j * d.n + i;
            float t = load<MASK & 1>(A + (size_t)i * d.m + j) * d.x[j];
#pragma unroll
            for (int k = 0; k < 8; ++k) t += k < 4 ? load<(MASK & 2) != 0>(s + k * each) : load<(MASK & 4) != 0>(s + k * each);
            sum += t;
        }
        d.y[i] = sum;
    }
};
template <int MASK> struct Gather {
    static __device__ void run(const Data &d, int i)
    {
        for (int j = 0; j < d.m; ++j) {
            const int k = load<MASK & 1>(d.column + (size_t)j * d.n + i);
            d.y[i] += load<(MASK & 2) != 0>(d.s + (size_t)j * d.n + i) * load<(MASK & 4) != 0>(d.x + k);
        }
    }
};

template <class Body> __global__ void kernel(Data d) { Body::run(d, blockIdx.x * blockDim.x + threadIdx.x); }

template <class Body> void one(const char *name, int per_sm, int mask, const Data &data)
{
    float best = 1e9f;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int run = 0; run < 6; ++run) {
        float milliseconds = 0;
        CHECK(cudaEventRecord(begin));
        kernel<Body><<<data.n / 256, 256>>>(data);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        if (run) best = std::min(best, milliseconds);
    }
    std::printf("%s,%d,%d,%.4f\n", name, per_sm, mask, best);
}

template <template <int> class Body, int MASK, bool MORE = (MASK >= 0)> struct All {
    static void run(const char *name, int per_sm, const Data &data)
    {
        one<Body<MASK>>(name, per_sm, MASK, data);
        All<Body, MASK - 1>::run(name, per_sm, data);
    }
};
template <template <int> class Body, int MASK> struct All<Body, MASK, false> {
    static void run(const char *, int, const Data &) {}
};

const int WINDOW = 45056;

__global__ void columns(size_t count, int *column)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride)
        column[k] = (int)((k / 32 * 2654435761u >> 7) % (WINDOW / 32) * 32 + k % 32);
}

int main(int argc, char **argv)
{
    Options options("exhaustive", argc, argv);
    const int per_sm = options.number("blocks per SM", 8), m = options.number("columns", 512);
    options.finish();
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const int n = per_sm * properties.multiProcessorCount * 256;
    const size_t count = (size_t)n * m;
    int *column = device_array<int>(count);
    columns<<<1056, 256>>>(count, column);
    const Data data = {n, m, filled_array(count, 1), filled_array(WINDOW, 2), filled_array(8 * count, 3), column,
                       device_array<float>(n)};
    CHECK(cudaMemset(data.y, 0, n * sizeof(float)));
    All<Wide, 3>::run("wide", per_sm, data);
    All<Vector4, 3>::run("vector4", per_sm, data);
    All<Stream4, 7>::run("stream4", per_sm, data);
    All<Eight, 7>::run("eight", per_sm, data);
    All<Broad, 7>::run("broad", per_sm, data);
    All<Gather, 7>::run("gather", per_sm, data);
    return 0;
}
