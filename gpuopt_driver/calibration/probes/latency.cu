// Latency per load of chains through memory of growing size: one thread follows a random cycle of lines. Latency rises
// where a level of the memory hierarchy does not hold the chain any more.
#include "probe.h"
#include <algorithm>
#include <numeric>
#include <random>

constexpr unsigned WORDS = LINE / 4;

template <bool InL1> __device__ unsigned load(const unsigned *address)
{
    unsigned value;
    if (InL1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

template <bool InL1>
__global__ void follow(const unsigned *next, unsigned warm, unsigned steps, long long *result)
{
    unsigned at = 0;
    for (unsigned i = 0; i < warm; ++i)
        at = load<InL1>(next + at);
    const long long start = clock64();
    for (unsigned i = 0; i < steps; ++i)
        at = load<InL1>(next + at);
    result[0] = clock64() - start;
    result[1] = at;
}

__global__ void follow_shared(unsigned words, unsigned steps, long long *result)
{
    extern __shared__ unsigned next[];
    for (unsigned i = 0; i < words; ++i)
        next[i] = (i + 33) % words;
    unsigned at = 0;
    const long long start = clock64();
    for (unsigned i = 0; i < steps; ++i)
        at = next[at];
    result[0] = clock64() - start;
    result[1] = at;
}

// A full cycle through a power of two of lines in an order without locality, made where it lies.
__global__ void link_lines(unsigned *next, unsigned lines)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines)
        next[size_t(i) * WORDS] = (i * 1664525u + 1013904223u) % lines * WORDS;
}

static std::vector<unsigned> random_cycle(unsigned lines)
{
    std::vector<unsigned> order(lines), next(size_t(lines) * WORDS);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(7));
    for (unsigned i = 0; i < lines; ++i)
        next[size_t(order[i]) * WORDS] = order[(i + 1) % lines] * WORDS;
    return next;
}

template <bool InL1> static double cycles(const unsigned *next, unsigned warm, unsigned steps)
{
    Memory<long long> result(2);
    follow<InL1><<<1, 1>>>(next, warm, steps, result);
    CHECK(cudaGetLastError());
    return double(result.host()[0]) / steps;
}

template <bool InL1> static void curve(const char *name, const std::vector<unsigned> &kilobytes)
{
    std::vector<double> found;
    for (const unsigned kb : kilobytes) {
        const unsigned lines = kb * (1024 / LINE);
        const Memory<unsigned> next(random_cycle(lines));
        found.push_back(cycles<InL1>(next, 2 * lines, std::max(lines, 4096u)));
    }
    std::printf("{\"probe\": \"%s\"", name);
    print_list("kilobytes", kilobytes);
    print_list("cycles", found);
    std::printf("}\n");
    std::fflush(stdout);
}

int main()
{
    std::vector<unsigned> small, large;
    for (unsigned kb = 4; kb <= 288; kb += 4)
        small.push_back(kb);
    for (unsigned mb : {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128})
        large.push_back(mb * 1024);
    CHECK(cudaFuncSetAttribute(follow<true>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    curve<true>("l1_latency", small);
    curve<false>("l2_latency", large);

    const unsigned lines = 1u << 23; // 1 GB
    Memory<unsigned> next(size_t(lines) * WORDS);
    link_lines<<<lines / 256, 256>>>(next, lines);
    CHECK(cudaGetLastError());
    std::printf("{\"probe\": \"dram_latency\", \"cycles\": %.1f}\n", cycles<false>(next, 16, 1 << 16));

    Memory<long long> result(2);
    follow_shared<<<1, 1, 8192>>>(2048, 4096, result);
    CHECK(cudaGetLastError());
    std::printf("{\"probe\": \"shared_latency\", \"cycles\": %.1f}\n", double(result.host()[0]) / 4096);
    return 0;
}
