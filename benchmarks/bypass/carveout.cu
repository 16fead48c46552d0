// Rows walked by threads of blocks that also use shared memory: what is left as L1 decides.
//
//     carveout THREADS SHARED_BYTES BLOCKS_PER_SM COLUMNS REPEAT [CARVEOUT]   (percent of shared memory; none: unset)
//
// Compiled with -DKERNEL_ELSEWHERE, it launches the kernel of walk_and_share.cu, which is compiled beside it.

#include "../../examples/example.h"

#ifdef KERNEL_ELSEWHERE
__global__ void walk_and_share(int n, int m, const float *A, const float *x, float *y);
#else
#include "walk_and_share.cu"
#endif

int main(int argc, char **argv)
{
    Options options("carveout", argc, argv);
    const int threads = options.number("threads", 64);
    const int shared = options.number("shared bytes", 4096);
    const int per_sm = options.number("blocks per SM", 1);
    const int m = options.number("columns", 64);
    const int repeat = options.number("repeat", 1);
    const int carveout = options.number("carve-out", 101);
    options.finish();
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const int blocks = per_sm * properties.multiProcessorCount, n = blocks * threads;
    float *A = filled_array((size_t)n * m, 1), *x = filled_array(m, 2), *y = device_array<float>(n);
    CHECK(cudaFuncSetAttribute(walk_and_share, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    if (carveout <= 100)
        CHECK(cudaFuncSetAttribute(walk_and_share, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        CHECK(cudaMemset(y, 0, n * sizeof(float)));
        watch.start();
        walk_and_share<<<blocks, threads, shared>>>(n, m, A, x, y);
        watch.stop();
    }
    watch.report("carveout", "walk_and_share", 4.0 * n * m);
    Results results("carveout", 1.0);
    results.add(to_host(y, n));
    return results.finish();
}
