// STO, like StoreGPU: a thread hashes a chunk of 127 bytes' worth of words that an extent list places; digests and chunks
// are exchanged through shared memory, one thread's bytes beside the other's. With -DPAPER words of chunks lie beside each
// other, as in the paper's kernel, hashing takes its rounds, and threads use 16 words of those declared, as in StoreGPU (of
// 4 * 1024 - 32, beside 48 bytes of arguments, 512 for each warp); else it waits for extents that name each other.
#include "bench.h"
#define THREADS 128
#ifdef PAPER
#define WORDS 16
#else
#define WORDS 31
#endif

__global__ void store(const unsigned *data, const int *extents, unsigned mask, unsigned *digests)
{
    __shared__ unsigned chunk[THREADS * 31 + 108];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    unsigned at = extents[i] & mask, h = 0x811c9dc5u;
#ifdef PAPER
#pragma GCC unroll 8
    for (int word = 0; word < 8; ++word) {
        unsigned w = data[(word * gridDim.x * THREADS + i) & mask];
        for (int round = 0; round < 24; ++round) h = ((h ^ w) * 0x01000193u << 5 | h >> 27) + at;
    }
#else
    for (int hop = 0; hop < 6; ++hop) {      // extents are chained: each names the next
        unsigned w = data[at];
        h = (h ^ w) * 0x01000193u;
        at = (at ^ w ^ h >> 7) & mask;
    }
#endif
    for (int w = 0; w < WORDS; ++w) chunk[w * THREADS + t] = h + w * 0x9e3779b9u;
    __syncthreads();
    unsigned other = 0;
    for (int w = 0; w < WORDS; ++w) other = (other << 5 | other >> 27) ^ chunk[w * THREADS + (t * 5 + w) % THREADS];
    digests[i] = h ^ other;
}

static unsigned word(unsigned i) { return mixed(i * 3 + 1); }

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384), n = blocks * THREADS;
    unsigned mask = (1u << SPREAD(blocks)) - 1;
    unsigned *data = filled<unsigned>(mask + 1, word);
    int *extents = filled<int>(n, [](unsigned i) { return (int)(mixed(i) >> 1); });
    unsigned *digests = filled<unsigned>(n, [](unsigned) { return 0u; });
    std::vector<unsigned> got =
        measured("sto", digests, n, [=] { store<<<blocks, THREADS>>>(data, extents, mask, digests); });
    auto hash = [=](unsigned i) {
        unsigned at = (mixed(i) >> 1) & mask, h = 0x811c9dc5u;
#ifdef PAPER
        for (unsigned next = 0; next < 8; ++next) {
            unsigned w = word((next * n + i) & mask);
            for (int round = 0; round < 24; ++round) h = ((h ^ w) * 0x01000193u << 5 | h >> 27) + at;
        }
#else
        for (int hop = 0; hop < 6; ++hop) {
            unsigned w = word(at);
            h = (h ^ w) * 0x01000193u;
            at = (at ^ w ^ h >> 7) & mask;
        }
#endif
        return h;
    };
    const int samples[] = {0, n / 2 + 77, n - 1};
    for (int i : samples) {
        unsigned other = 0, first = i / THREADS * THREADS, t = i % THREADS;
        for (unsigned w = 0; w < WORDS; ++w)
            other = (other << 5 | other >> 27) ^ (hash(first + (t * 5 + w) % THREADS) + w * 0x9e3779b9u);
        must(got[i] == (hash(i) ^ other), "a digest");
    }
}
