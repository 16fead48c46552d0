// SP: scalar products of pairs of vectors; a block of 64 threads holds 1024 partial sums in shared memory. With -DPAPER the
// loop over a vector's elements, whose length the SDK's kernel does not know, is not unrolled: CUDA 4.0 unrolled loops of
// known length alone (its Programming Guide, appendix B, #pragma unroll).
#include "bench.h"
#define ELEMENTS 4096
#ifdef PAPER
#define ONE_TURN _Pragma("unroll 1")
#else
#define ONE_TURN
#endif

__global__ void scalar(const float *a, const float *b, float *c, int vectors)
{
    __shared__ float sums[1024 + 12];
    for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
        size_t base = (size_t)v * ELEMENTS;
        for (int i = threadIdx.x; i < 1024; i += 64) {
            float sum = 0;
            ONE_TURN for (int p = i; p < ELEMENTS; p += 1024) sum += a[base + p] * b[base + p];
            sums[i] = sum;
        }
        for (int stride = 512; stride > 0; stride /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += 64) sums[i] += sums[stride + i];
        }
        __syncthreads();
        if (threadIdx.x == 0) c[v] = sums[0];
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int vectors = blocks_or(16384), blocks = vectors < 4224 ? vectors : 4224;
    size_t n = (size_t)vectors * ELEMENTS;
    float *a = filled<float>(n, small), *b = filled<float>(n, [](unsigned i) { return small(i + 5); });
    float *c = filled<float>(vectors, small);
    std::vector<float> got = measured("sp", c, vectors, [=] { scalar<<<blocks, 64>>>(a, b, c, vectors); });
    const int samples[] = {0, vectors - 1};
    for (int v : samples) {
        double sum = 0;
        for (unsigned p = 0; p < ELEMENTS; ++p) sum += (double)small(v * ELEMENTS + p) * small(v * ELEMENTS + p + 5);
        must(fabs(sum - got[v]) < 1e-3 * ELEMENTS, "a product");
    }
}
