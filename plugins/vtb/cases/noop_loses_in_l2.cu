// gpu: h200
// Eight in one would win where the chains' loads come from DRAM, and lose where they meet in L2.
__global__ void exchange(const unsigned *data, unsigned mask, unsigned *out)
{
    __shared__ unsigned words[160 * 64];
    int t = threadIdx.x;
    unsigned at = (blockIdx.x * 64 + t) * 2654435761u & mask, h = t;
    for (int k = 0; k < 34; ++k) {
        h = (h ^ data[at]) * 0x01000193u;
        at = (at ^ h >> 7) & mask;
    }
    for (int w = 0; w < 160; ++w) words[w * 64 + t] = (h + w) % (160 * 64);
    __syncthreads();
    unsigned other = t;
    for (int w = 0; w < 800; ++w) other = words[other];
    out[blockIdx.x * 64 + t] = h ^ other;
}

void run(const unsigned *data, unsigned *out) { exchange<<<8192, 64>>>(data, 0xffffff, out); }
