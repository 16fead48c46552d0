// HG: histogram of where random walks through a graph stop: 128 bins; a thread of 64 walks to 4 stops (its own dice say
// where to, so walks do not run into each other), then threads keep byte counters of their own in shared memory, and the
// block adds them up. With -DPAPER bins are read, 64 by every thread, as in the paper's kernel: shared memory is what it does.
#include "bench.h"
#ifdef PAPER
#define STOPS 64
#else
#define STOPS 4
#define STEPS 8
#endif

__global__ void histogram(const unsigned *starts, const unsigned *graph, unsigned mask, unsigned *counts)
{
    __shared__ unsigned char mine[128 * 64 + 32];
    int t = threadIdx.x;
#ifdef PAPER
    unsigned step = gridDim.x * 64;
    const unsigned *bins = graph + blockIdx.x * 64 + t;
#else
    unsigned dice = starts[blockIdx.x * 64 + t], at = dice & mask, bins[STOPS];
    for (int i = 0; i < STOPS; ++i) {
        for (int step = 0; step < STEPS; ++step) {
            dice = dice * 1664525u + 1013904223u;
            at = (graph[at] ^ dice >> 8) & mask;
        }
        bins[i] = at;
    }
    const int step = 1;
#endif
    for (int b = 0; b < 128; ++b) mine[b * 64 + t] = 0;
    __syncthreads();
    for (int i = 0; i < STOPS; i += 4) {
        unsigned w = bins[i * step], x = bins[(i + 1) * step], y = bins[(i + 2) * step], z = bins[(i + 3) * step];
        ++mine[(w & 127) * 64 + t];
        ++mine[(x & 127) * 64 + t];
        ++mine[(y & 127) * 64 + t];
        ++mine[(z & 127) * 64 + t];
    }
    __syncthreads();
    for (int b = t; b < 128; b += 64) {
        unsigned sum = 0;
#pragma unroll 4
        for (int k = 0; k < 64; ++k) sum += mine[b * 64 + (k + 4 * t) % 64];
        counts[blockIdx.x * 128 + b] = sum;
    }
}

static unsigned node(unsigned i) { return mixed(i * 7 + 3); }

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384);
    unsigned mask = (1u << SPREAD(blocks)) - 1;
#ifdef PAPER
    while (blocks * 4096u > mask + 1) mask = 2 * mask + 1;
#endif
    size_t n = (size_t)blocks * 64;
    unsigned *starts = filled<unsigned>(n, mixed), *graph = filled<unsigned>(mask + 1, node);
    unsigned *counts = filled<unsigned>(blocks * 128, [](unsigned) { return 0u; });
    std::vector<unsigned> got =
        measured("hg", counts, blocks * 128, [=] { histogram<<<blocks, 64>>>(starts, graph, mask, counts); });
    unsigned wanted[128] = {};
#ifdef PAPER
    for (int i = 0; i < 64; ++i)
        for (int t = 0; t < 64; ++t) ++wanted[node(((i * blocks + blocks - 1) * 64 + t) & mask) & 127];
#else
    for (size_t i = n - 64; i < n; ++i) {
        unsigned dice = mixed((unsigned)i), at = dice & mask;
        for (int stop = 0; stop < STOPS; ++stop) {
            for (int step = 0; step < STEPS; ++step) {
                dice = dice * 1664525u + 1013904223u;
                at = (node(at) ^ dice >> 8) & mask;
            }
            ++wanted[at & 127];
        }
    }
#endif
    for (int b = 0; b < 128; ++b) must(got[(blocks - 1) * 128 + b] == wanted[b], "a bin");
}
