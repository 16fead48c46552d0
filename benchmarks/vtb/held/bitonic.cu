// Held out: every block of 256 threads sorts 4096 keys in 16 KB of shared memory: one long region.
#include "../bench.h"
#define KEYS 4096

__global__ void sort(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[KEYS];
    for (int i = threadIdx.x; i < KEYS; i += 256) keys[i] = in[(size_t)blockIdx.x * KEYS + i];
    __syncthreads();
    for (int size = 2; size <= KEYS; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int p = threadIdx.x; p < KEYS / 2; p += 256) {
                int i = 2 * p - (p & (stride - 1));
                unsigned a = keys[i], b = keys[i + stride];
                if ((a > b) == ((i & size) == 0)) keys[i] = b, keys[i + stride] = a;
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < KEYS; i += 256) out[(size_t)blockIdx.x * KEYS + i] = keys[i];
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(4096);
    unsigned *in = filled<unsigned>((size_t)blocks * KEYS, mixed);
    unsigned *out = filled<unsigned>((size_t)blocks * KEYS, [](unsigned) { return 0u; });
    std::vector<unsigned> got = measured("bitonic", out, (size_t)blocks * KEYS, [=] { sort<<<blocks, 256>>>(in, out); });
    for (int i = 1; i < KEYS; ++i) must(got[i - 1] <= got[i], "an order");
}
