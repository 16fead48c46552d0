// In which order blocks come to multiprocessors, and how the warps of one share its issue slots.
#include "probe.h"
#include <algorithm>

__device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void where(unsigned *sm, unsigned long long *when, unsigned long long wait)
{
    if (threadIdx.x != 0)
        return;
    unsigned mine;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(mine));
    const unsigned long long start = nanoseconds();
    sm[blockIdx.x] = mine;
    when[blockIdx.x] = start;
    while (nanoseconds() - start < wait * (1 + blockIdx.x % 3))
        ;
}

static void blocks(int threads, size_t shared, int sms)
{
    int resident = 0;
    CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, where, threads, shared));
    const unsigned grid = unsigned(3 * resident * sms);
    Memory<unsigned> sm(grid);
    Memory<unsigned long long> when(grid);
    where<<<grid, threads, shared>>>(sm, when, 20000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned long long> times = when.host();
    const unsigned long long first = *std::min_element(times.begin(), times.end());
    for (unsigned long long &time : times)
        time -= first;
    std::printf("{\"probe\": \"blocks\", \"threads\": %d, \"resident\": %d", threads, resident);
    print_list("sm", sm.host());
    print_list("nanoseconds", times);
    std::printf("}\n");
}

template <int Kind> __global__ void share(float *data, long long *start, long long *end)
{
    const unsigned warp = threadIdx.x / 32;
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < 512; ++i) {
        if (Kind == 0) { // four independent chains
            a = a * 1.0001f + 1;
            b = b * 1.0001f + 1;
            c = c * 1.0001f + 1;
            d = d * 1.0001f + 1;
        } else { // loads that hit
            a += __ldcg(data + (i * 32 + threadIdx.x % 32) % 4096);
        }
    }
    const long long finish = clock64();
    if (threadIdx.x % 32 == 0) {
        start[warp] = begin;
        end[warp] = finish;
    }
    data[4096 + threadIdx.x] = a + b + c + d;
}

template <int Kind> static void warps(const char *name, float *data, unsigned count)
{
    Memory<long long> start(count), end(count);
    share<Kind><<<1, count * 32>>>(data, start, end);
    CHECK(cudaGetLastError());
    std::vector<long long> from = start.host(), to = end.host();
    const long long first = *std::min_element(from.begin(), from.end());
    for (size_t i = 0; i < from.size(); ++i) {
        from[i] -= first;
        to[i] -= first;
    }
    std::printf("{\"probe\": \"warps\", \"work\": \"%s\", \"warps\": %u", name, count);
    print_list("start", from);
    print_list("end", to);
    std::printf("}\n");
}

int main()
{
    int sms = 0, most = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    blocks(1024, 0, sms);
    blocks(256, 0, sms);
    blocks(128, size_t(most), sms); // one block per multiprocessor
    Memory<float> data(4096 + 1024);
    CHECK(cudaMemset(data, 0, 4096 * sizeof(float)));
    for (const unsigned count : {4, 16, 32}) {
        warps<0>("arithmetic", data, count);
        warps<1>("loads", data, count);
    }
    return 0;
}
