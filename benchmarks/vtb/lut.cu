// LUT (not one of the paper's ten): a block of 64 threads keeps a codebook of 1 KB in shared memory as long as it lives and
// follows chains with it; at its end it exchanges 40 KB of results. Turns on all of it would be turns on everything:
// CO-VTB gives every virtual block a codebook of its own, and turns are about the exchange alone.
#include "bench.h"
#define THREADS 64
#define WORDS 160

__global__ void follow(const unsigned *data, const unsigned *codes, unsigned mask, int hops, unsigned *out)
{
    __shared__ unsigned book[256], results[WORDS * THREADS];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += THREADS) book[k] = codes[(blockIdx.x * 256 + k) & mask];
    __syncthreads();
    unsigned at = (blockIdx.x * THREADS + t) * 2654435761u & mask, h = t;
    for (int k = 0; k < hops; ++k) {
        unsigned w = data[at];
        h = (h ^ w ^ book[w & 255]) * 0x01000193u;
        at = (at ^ w ^ h >> 7) & mask;
    }
    for (int w = 0; w < WORDS; ++w) results[w * THREADS + t] = h + w * 0x9e3779b9u;
    __syncthreads();
    unsigned other = 0;
    for (int w = 0; w < WORDS; ++w) other = (other << 5 | other >> 27) ^ results[w * THREADS + (t * 5 + w) % THREADS];
    out[blockIdx.x * THREADS + t] = h ^ other ^ book[h & 255];
}

static unsigned word(unsigned i) { return mixed(i * 3 + 1); }

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(8192), hops = blocks > 1000 ? 192 : 24;
    unsigned mask = blocks > 1000 ? (1u << PLACES) - 1 : (1u << 14) - 1;
    unsigned *data = filled<unsigned>(mask + 1, word), *codes = filled<unsigned>(mask + 1, mixed);
    unsigned *out = filled<unsigned>((size_t)blocks * THREADS, [](unsigned) { return 0u; });
    std::vector<unsigned> got = measured("lut", out, (size_t)blocks * THREADS,
                                         [=] { follow<<<blocks, THREADS>>>(data, codes, mask, hops, out); });
    const int samples[] = {0, blocks / 2, blocks - 1};
    for (int b : samples) {
        auto code = [=](unsigned k) { return mixed((b * 256 + k) & mask); };
        auto hash = [=](unsigned t) {
            unsigned at = (b * THREADS + t) * 2654435761u & mask, h = t;
            for (int k = 0; k < hops; ++k) {
                unsigned w = word(at);
                h = (h ^ w ^ code(w & 255)) * 0x01000193u;
                at = (at ^ w ^ h >> 7) & mask;
            }
            return h;
        };
        unsigned other = 0, t = 7;
        for (unsigned w = 0; w < WORDS; ++w)
            other = (other << 5 | other >> 27) ^ (hash((t * 5 + w) % THREADS) + w * 0x9e3779b9u);
        must(got[b * THREADS + t] == (hash(t) ^ other ^ code(hash(t) & 255)), "a chain");
    }
}
