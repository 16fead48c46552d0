// HG: histogram of what a decision tree says of items: 128 bins; a block of 64 threads classifies 2 items per thread, then
// threads keep byte counters of their own in shared memory, and the block adds them up.
#include "bench.h"
#define ITEMS 2
#define LEVELS 12

__global__ void histogram(const unsigned *items, const unsigned *tree, unsigned mask, unsigned *counts)
{
    __shared__ unsigned char mine[128 * 64 + 32];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 64 * ITEMS;
    unsigned bins[ITEMS];
    for (int i = 0; i < ITEMS; ++i) bins[i] = items[base + i * 64 + t] & mask;
    for (int level = 0; level < LEVELS; ++level)
        for (int i = 0; i < ITEMS; ++i) bins[i] = (tree[bins[i]] + bins[i] * 5) & mask;
    for (int b = 0; b < 128; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i) ++mine[(bins[i] & 127) * 64 + t];
    __syncthreads();
    for (int b = t; b < 128; b += 64) {
        unsigned sum = 0;
        for (int k = 0; k < 64; ++k) sum += mine[b * 64 + (k + t) % 64];
        counts[blockIdx.x * 128 + b] = sum;
    }
}

static unsigned node(unsigned i) { return mixed(i * 7 + 3); }

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384);
    unsigned mask = blocks > 1000 ? (1u << 24) - 1 : (1u << 14) - 1;
    size_t n = (size_t)blocks * 64 * ITEMS;
    unsigned *items = filled<unsigned>(n, mixed), *tree = filled<unsigned>(mask + 1, node);
    unsigned *counts = filled<unsigned>(blocks * 128, [](unsigned) { return 0u; });
    std::vector<unsigned> got =
        measured("hg", counts, blocks * 128, [=] { histogram<<<blocks, 64>>>(items, tree, mask, counts); });
    unsigned wanted[128] = {};
    for (size_t i = n - 64 * ITEMS; i < n; ++i) {
        unsigned bin = mixed((unsigned)i) & mask;
        for (int level = 0; level < LEVELS; ++level) bin = (node(bin) + bin * 5) & mask;
        ++wanted[bin & 127];
    }
    for (int b = 0; b < 128; ++b) must(got[(blocks - 1) * 128 + b] == wanted[b], "a bin");
}
