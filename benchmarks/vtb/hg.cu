// HG: histogram of 256 bins; threads keep byte counters of their own in shared memory (32 of 256 bins at a time), then
// the block adds them up.
#include "bench.h"
#define PER_THREAD 64

__global__ void histogram(const unsigned char *data, unsigned *counts)
{
    __shared__ unsigned char mine[128 * 64 + 32];
    int t = threadIdx.x;
    for (int b = 0; b < 128; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    size_t base = (size_t)blockIdx.x * 64 * PER_THREAD;
    for (int i = 0; i < PER_THREAD; ++i) ++mine[(data[base + i * 64 + t] & 127) * 64 + t];
    __syncthreads();
    for (int b = t; b < 128; b += 64) {
        unsigned sum = 0;
        for (int k = 0; k < 64; ++k) sum += mine[b * 64 + (k + t) % 64];
        counts[blockIdx.x * 128 + b] = sum;
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384);
    size_t n = (size_t)blocks * 64 * PER_THREAD;
    unsigned char *data = filled<unsigned char>(n, [](unsigned i) { return (unsigned char)mixed(i); });
    unsigned *counts = filled<unsigned>(blocks * 128, [](unsigned) { return 0u; });
    std::vector<unsigned> got =
        measured("hg", counts, blocks * 128, [=] { histogram<<<blocks, 64>>>(data, counts); });
    unsigned wanted[128] = {};
    for (size_t i = n - 64 * PER_THREAD; i < n; ++i) ++wanted[mixed((unsigned)i) & 127];
    for (int b = 0; b < 128; ++b) must(got[(blocks - 1) * 128 + b] == wanted[b], "a bin");
}
