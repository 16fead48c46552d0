// Held out: rows named by an index are gathered (two loads that wait for each other), turned in 33 KB of shared memory and
// written as columns: 128 threads, 64 values each.
#include "../bench.h"
#define THREADS 128
#define ROWS 64

__global__ void turn(const int *index, const float *rows, unsigned mask, float *out)
{
    __shared__ float tile[ROWS][THREADS + 1];
    int t = threadIdx.x;
    for (int r = 0; r < ROWS; ++r) {
        int row = index[(blockIdx.x * ROWS + r) & mask];
        tile[r][t] = rows[((size_t)row * THREADS + t) & mask];
    }
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < ROWS; ++r) sum = sum * 0.5f + tile[r][(t * 5 + r) % THREADS] * tile[(r + t) % ROWS][t];
    out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(8192);
    unsigned mask = blocks > 1000 ? (1u << 25) - 1 : (1u << 14) - 1;
    int *index = filled<int>(mask + 1, [](unsigned i) { return (int)(mixed(i) >> 8); });
    float *rows = filled<float>(mask + 1, small), *out = filled<float>((size_t)blocks * THREADS, small);
    measured("gather", out, (size_t)blocks * THREADS, [=] { turn<<<blocks, THREADS>>>(index, rows, mask, out); });
}
