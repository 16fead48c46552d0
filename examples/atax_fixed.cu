// y = A^T (A x) as in atax.cu, with everything known when it is compiled: size, block and grid are constants.
//
// What can be decided here needs no launch to look at: strides, trip counts and resident threads are all in the source.
// Other sizes: nvcc -DNX=8192 -DNY=4096.

#include "example.h"

#ifndef NX
#define NX 512  // rows
#endif
#ifndef NY
#define NY 192  // columns
#endif
#define BLOCK 256

typedef float DATA_TYPE;

__global__ void multiply_rows(const DATA_TYPE *A, const DATA_TYPE *x, DATA_TYPE *product)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX) {
        product[i] = 0;
        for (int j = 0; j < NY; j++)
            product[i] += A[i * NY + j] * x[j];  // the sum is in memory, and so is written in every iteration
    }
}

__global__ void multiply_columns(const DATA_TYPE *A, const DATA_TYPE *product, DATA_TYPE *y)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < NY) {
        y[j] = 0;
        for (int i = 0; i < NX; i++)
            y[j] += A[i * NY + j] * product[i];
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_X };

int main(int argc, char **argv)
{
    Options options("atax_fixed", argc, argv);
    const int repeat = options.number("repeat", 1);
    options.finish();
    static_assert((long long)NX * NY < 0x80000000LL, "the kernels index with int");

    DATA_TYPE *A = filled_array((size_t)NX * NY, SEED_A);
    DATA_TYPE *x = filled_array(NY, SEED_X);
    DATA_TYPE *product = device_array<DATA_TYPE>(NX);
    DATA_TYPE *y = device_array<DATA_TYPE>(NY);

    const dim3 block(BLOCK);
    const dim3 row_grid((NX + BLOCK - 1) / BLOCK);
    const dim3 column_grid((NY + BLOCK - 1) / BLOCK);
    std::printf("atax_fixed: %d x %d, %u and %u blocks of %d threads\n", NX, NY, row_grid.x, column_grid.x, BLOCK);
    Stopwatch first, second;
    for (int run = 0; run <= repeat; ++run) {
        first.start();
        multiply_rows<<<row_grid, block>>>(A, x, product);
        first.stop();
        second.start();
        multiply_columns<<<column_grid, block>>>(A, product, y);
        second.stop();
    }
    const double bytes = sizeof(DATA_TYPE) * ((double)NX * NY + NX + NY);
    first.report("atax_fixed", "multiply_rows", bytes);
    second.report("atax_fixed", "multiply_columns", bytes);

    Results results("atax_fixed", sum_tolerance((double)NX + NY));
    const std::vector<DATA_TYPE> got_product = to_host(product, NX);
    const std::vector<DATA_TYPE> got_y = to_host(y, NY);
    results.add(got_product);
    results.add(got_y);
    for (size_t i : options.checked(NX)) {
        Sum sum;
        for (int j = 0; j < NY; ++j)
            sum.add((double)input(i * NY + j, SEED_A) * input(j, SEED_X));
        results.expect("product", i, got_product[i], sum.value, sum.magnitude);
    }
    for (size_t j : options.checked(NY)) {
        Sum sum;  // of the product that the first kernel left, which is right by now
        for (int i = 0; i < NX; ++i)
            sum.add((double)input((size_t)i * NY + j, SEED_A) * got_product[i]);
        results.expect("y", j, got_y[j], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(A));
    CHECK(cudaFree(x));
    CHECK(cudaFree(product));
    CHECK(cudaFree(y));
    return results.finish();
}
