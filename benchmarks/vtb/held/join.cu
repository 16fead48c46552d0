// Held out (no part in choosing the decision's constants): a hash join's probe. 64 threads look up keys in a chained table
// (head, then up to 6 nodes), stage what they found in 20 KB of shared memory and write it out by partition.
#include "../bench.h"
#define THREADS 64
#define KEYS 4
#define PARTS 80

__global__ void probe(const unsigned *keys, const unsigned *heads, const uint2 *nodes, unsigned mask, unsigned *out)
{
    __shared__ unsigned staged[PARTS * THREADS];
    int t = threadIdx.x;
    unsigned found[KEYS];
    for (int k = 0; k < KEYS; ++k) {
        unsigned key = keys[(blockIdx.x * KEYS + k) * THREADS + t], at = heads[key & mask];
        for (int hop = 0; hop < 6; ++hop) {
            uint2 node = nodes[at];
            if (node.x % 16 == key % 16) break;
            at = (node.y ^ key) & mask;
        }
        found[k] = at;
    }
    for (int p = 0; p < PARTS; ++p) staged[p * THREADS + t] = 0;
    __syncthreads();
    for (int k = 0; k < KEYS; ++k) staged[found[k] % PARTS * THREADS + t] += found[k] | 1;
    __syncthreads();
    for (int p = t; p < PARTS; p += THREADS) {
        unsigned sum = 0;
        for (int k = 0; k < THREADS; ++k) sum = sum * 3 + staged[p * THREADS + (k + t) % THREADS];
        out[blockIdx.x * PARTS + p] = sum;
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384);
    unsigned mask = blocks > 1000 ? (1u << PLACES) - 1 : (1u << 14) - 1;
    size_t n = (size_t)blocks * THREADS * KEYS;
    unsigned *keys = filled<unsigned>(n, mixed);
    unsigned *heads = filled<unsigned>(mask + 1, [=](unsigned i) { return mixed(i + 77) & mask; });
    uint2 *nodes = filled<uint2>(mask + 1, [=](unsigned i) { return make_uint2(mixed(i * 5), mixed(i * 9) & mask); });
    unsigned *out = filled<unsigned>((size_t)blocks * PARTS, [](unsigned) { return 0u; });
    measured("join", out, (size_t)blocks * PARTS,
             [=] { probe<<<blocks, THREADS>>>(keys, heads, nodes, mask, out); });
}
