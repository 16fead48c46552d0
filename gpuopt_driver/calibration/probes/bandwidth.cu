// Bytes per cycle of L1, shared memory, L2 and DRAM, with all multiprocessors at work.
#include "probe.h"
#include <algorithm>

enum Level { IN_L1, IN_L2 };

template <Level Where> __device__ __forceinline__ float4 load(const float4 *address)
{
    float4 value;
    if (Where == IN_L1)
        asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "l"(address));
    else
        asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "l"(address));
    return value;
}

// Every block reads `each` vectors from its own place, `rounds` times; or all of memory once, where each block has a part.
template <Level Where> __global__ void read(const float4 *data, size_t each, size_t apart, int rounds, float *out)
{
    const float4 *const mine = data + blockIdx.x * apart;
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
        for (size_t i = threadIdx.x; i < each; i += 4 * blockDim.x) {
            float4 part[4];
#pragma unroll
            for (int k = 0; k < 4; ++k)
                part[k] = load<Where>(mine + i + k * blockDim.x);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                sum += part[k].x + part[k].y + part[k].z + part[k].w;
        }
    if (sum == 1.25f)
        out[0] = sum;
}

__global__ void read_shared(int rounds, float *out)
{
    __shared__ float4 data[2048];
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
        data[i] = make_float4(i, i, i, i);
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
        for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) {
            const float4 part = data[(i + 32 * round) & 2047];
            sum += part.x + part.y + part.z + part.w;
        }
    if (sum == 1.25f)
        out[0] = sum;
}

template <class F> static float milliseconds(F launch)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int i = 0; i < 6; ++i) {
        float time = 0;
        CHECK(cudaEventRecord(start));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&time, start, stop));
        times.push_back(time);
    }
    std::sort(times.begin() + 1, times.end());
    return times[3];
}

static void print(const char *level, double bytes, float time)
{
    std::printf("{\"probe\": \"bandwidth\", \"level\": \"%s\", \"bytes_per_second\": %.6g}\n", level, bytes / (time * 1e-3));
}

int main()
{
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const size_t whole = size_t(1) << 31; // 2 GB
    Memory<float4> data(whole / sizeof(float4));
    Memory<float> out(1);
    CHECK(cudaMemset(data, 0, whole));
    const int grid = 2 * sms, threads = 1024;
    {
        const size_t each = 65536 / sizeof(float4);
        const float time = milliseconds([&] { read<IN_L1><<<sms, threads>>>(data, each, each, 400, out); });
        print("l1", double(sms) * 65536 * 400, time);
    }
    {
        const size_t each = 65536 / sizeof(float4); // all blocks together 16 MB
        const float time = milliseconds([&] { read<IN_L2><<<grid, threads>>>(data, each, each, 200, out); });
        print("l2", double(grid) * 65536 * 200, time);
    }
    {
        const size_t each = whole / sizeof(float4) / grid / (4 * threads) * (4 * threads);
        const float time = milliseconds([&] { read<IN_L2><<<grid, threads>>>(data, each, each, 1, out); });
        print("dram", double(grid) * each * sizeof(float4), time);
    }
    {
        const float time = milliseconds([&] { read_shared<<<grid, threads>>>(400, out); });
        print("shared", double(grid) * 2048 * sizeof(float4) * 400, time);
    }
    return 0;
}
