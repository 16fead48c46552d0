// How much L1 data cache a kernel gets: one thread follows a random chain of 128-byte lines through memory of growing
// size, four times, and the latency per line rises where the chain does not fit any more. For several carve-out
// preferences (-1: none), block sizes and dynamic shared memory. Prints "KB:cycles" pairs.
//
//     nvcc -O2 -arch=sm_90 l1_capacity.cu -o l1_capacity && ./l1_capacity
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                  \
    do {                                                                             \
        const cudaError_t error = (call);                                            \
        if (error != cudaSuccess) {                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));      \
            std::exit(1);                                                            \
        }                                                                            \
    } while (0)

constexpr int LINE = 128, WORDS = LINE / 4, ROUNDS = 4, LARGEST_KB = 264;
constexpr double OUT_OF_L1 = 180; // cycles; L2 answers in about 220

template <int Threads>
__global__ void __launch_bounds__(Threads) follow(const unsigned *next, unsigned lines, long long *result)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
    for (unsigned i = 0; i < lines; ++i)
        at = next[at];
    const long long start = clock64();
    for (unsigned i = 0; i < ROUNDS * lines; ++i)
        at = next[at];
    result[0] = clock64() - start;
    result[1] = at;
}

// A random cycle through all lines, as the index of each line's successor.
static std::vector<unsigned> chain(unsigned lines)
{
    std::vector<unsigned> order(lines), next(lines * WORDS);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(7));
    for (unsigned i = 0; i < lines; ++i)
        next[order[i] * WORDS] = order[(i + 1) % lines] * WORDS;
    return next;
}

template <int Threads> static void measure(int carveout, size_t shared)
{
    CHECK(cudaFuncSetAttribute(follow<Threads>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    unsigned *next;
    long long *result;
    CHECK(cudaMalloc(&next, LARGEST_KB * 1024));
    CHECK(cudaMalloc(&result, 2 * sizeof *result));
    std::printf("%4d threads, carve-out %3d %%, %5zu B shared:", Threads, carveout, shared);
    for (int kb = 16; kb <= LARGEST_KB; kb += 4) {
        const unsigned lines = kb * 1024 / LINE;
        const std::vector<unsigned> host = chain(lines);
        CHECK(cudaMemcpy(next, host.data(), host.size() * sizeof host[0], cudaMemcpyHostToDevice));
        follow<Threads><<<1, Threads, shared>>>(next, lines, result);
        CHECK(cudaGetLastError());
        long long cycles;
        CHECK(cudaMemcpy(&cycles, result, sizeof cycles, cudaMemcpyDeviceToHost));
        const double each = double(cycles) / (ROUNDS * lines);
        std::printf(" %d:%.0f", kb, each);
        if (each > OUT_OF_L1)
            break;
    }
    std::printf("\n");
    CHECK(cudaFree(next));
    CHECK(cudaFree(result));
}

int main()
{
    for (const int carveout : {-1, 0, 4, 7, 14, 28, 44, 58, 72, 86, 100})
        measure<256>(carveout, 0);
    for (const int carveout : {-1, 0}) {
        measure<32>(carveout, 0);
        measure<128>(carveout, 0);
        measure<512>(carveout, 0);
        measure<1024>(carveout, 0);
    }
    for (const size_t shared : {1024, 4096, 16384, 49152})
        measure<256>(-1, shared);
    return 0;
}
