// MV: matrix times vector, a block of 32 threads per 32 rows, tiles of 32 columns through shared memory.
#include "bench.h"
#define WIDTH 1024
#ifdef PAPER // the vector comes out of constant memory: GPUs of the time cache no global loads
__constant__ float x[WIDTH];
#define VECTOR unused
#else
#define VECTOR x
#endif

__global__ void mv(const float *a, const float *VECTOR, float *y)
{
    __shared__ float tile[32 * 33 + 11];
    int row = blockIdx.x * 32, t = threadIdx.x;
    float sum = 0;
    for (int m = 0; m < WIDTH; m += 32) {
        for (int i = 0; i < 32; ++i) tile[i * 33 + t] = a[(size_t)(row + i) * WIDTH + m + t];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += tile[t * 33 + k] * x[m + k];
        __syncthreads();
    }
    y[row + t] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(16384);
    size_t n = (size_t)blocks * 32 * WIDTH;
    float *a = filled<float>(n, small), *x = filled<float>(WIDTH, [](unsigned i) { return small(i + 7); });
    float *y = filled<float>(blocks * 32, small);
#ifdef PAPER
    cudaMemcpyToSymbol(::x, x, sizeof ::x, 0, cudaMemcpyDeviceToDevice);
#endif
    std::vector<float> got = measured("mv", y, blocks * 32, [=] { mv<<<blocks, 32>>>(a, x, y); });
    const int samples[] = {0, blocks * 16 + 5, blocks * 32 - 1};
    for (int r : samples) {
        double sum = 0;
        for (int k = 0; k < WIDTH; ++k) sum += (double)small((unsigned)(r * WIDTH + k)) * small(k + 7);
        must(fabs(sum - got[r]) < 1e-3, "a row");
    }
}
