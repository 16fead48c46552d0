// Held out: a random forest. 128 threads take a sample each through 12 trees of 20 levels in global memory, then the block
// counts votes of threads in 32 KB of shared memory and looks for every sample's class.
#include "../bench.h"
#define THREADS 128
#define TREES 12
#define CLASSES 64

__global__ void classify(const float *samples, const float *splits, unsigned mask, int levels, unsigned *out)
{
    __shared__ float votes[CLASSES * THREADS];
    int t = threadIdx.x;
    float x = samples[blockIdx.x * THREADS + t], y = samples[blockIdx.x * THREADS + (t ^ 1)];
    unsigned leaf[TREES];
    for (int tree = 0; tree < TREES; ++tree) {
        unsigned at = tree * 1021;
        for (int level = 0; level < levels; ++level) {
            at = (2 * at + (splits[at] < (level & 1 ? y : x) * (level + 1)) + 1) & mask;
        }
        leaf[tree] = at % CLASSES;
    }
    for (int c = 0; c < CLASSES; ++c) votes[c * THREADS + t] = 0;
    __syncthreads();
    for (int tree = 0; tree < TREES; ++tree) votes[leaf[tree] * THREADS + t] += 1 + tree * 0.25f;
    __syncthreads();
    float most = -1;
    unsigned best = 0;
    for (int c = 0; c < CLASSES; ++c) {
        float have = votes[c * THREADS + t] + votes[c * THREADS + (t ^ 1)];
        if (have > most) most = have, best = c;
    }
    out[blockIdx.x * THREADS + t] = best;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(8192), n = blocks * THREADS, levels = blocks > 1000 ? 20 : 10;
    unsigned mask = blocks > 1000 ? (1u << PLACES) - 1 : (1u << 14) - 1;
    float *samples = filled<float>(n, small), *splits = filled<float>(mask + 1, [](unsigned i) { return small(i + 9); });
    unsigned *out = filled<unsigned>(n, [](unsigned) { return 0u; });
    measured("forest", out, n, [=] { classify<<<blocks, THREADS>>>(samples, splits, mask, levels, out); });
}
