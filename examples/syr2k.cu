// C = alpha (A B^T + B A^T) + beta C, with A and B of n rows and m columns: one element of C per thread, 2-D blocks.

#include "example.h"

__global__ void syr2k(int n, int m, float alpha, float beta, const float *A, const float *B, float *C)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        float sum = 0.0f;
        for (int k = 0; k < m; ++k) {
            sum += A[(size_t)i * m + k] * B[(size_t)j * m + k];
            sum += B[(size_t)i * m + k] * A[(size_t)j * m + k];
        }
        const size_t at = (size_t)i * n + j;
        C[at] = alpha * sum + beta * C[at];
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_B, SEED_C };

int main(int argc, char **argv)
{
    Options options("syr2k", argc, argv);
    const int n = options.number("rows", 80);
    const int m = options.number("columns", 48);
    const int block_x = options.number("block x", 32);
    const int block_y = options.number("block y", 8);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const float alpha = 0.5f;
    const float beta = 1.25f;
    const size_t count = (size_t)n * m;
    const size_t count_C = (size_t)n * n;

    float *A = filled_array(count, SEED_A);
    float *B = filled_array(count, SEED_B);
    float *C = device_array<float>(count_C);

    const dim3 block(block_x, block_y);
    const dim3 grid((n - 1) / block.x + 1, (n - 1) / block.y + 1);
    std::printf("syr2k: %d x %d, %u x %u blocks of %u x %u threads\n", n, m, grid.x, grid.y, block.x, block.y);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        fill_device(C, count_C, SEED_C);  // the kernel overwrites it
        watch.start();
        syr2k<<<grid, block>>>(n, m, alpha, beta, A, B, C);
        watch.stop();
    }
    watch.report("syr2k", "syr2k", sizeof(float) * (2.0 * count + 2.0 * count_C));

    Results results("syr2k", sum_tolerance(2.0 * m));
    const std::vector<float> got = to_host(C, count_C);
    results.add(got);
    for (size_t i : options.checked(n))
        for (size_t j : options.checked(n)) {
            Sum sum;
            sum.add((double)beta * input(i * n + j, SEED_C));
            for (int k = 0; k < m; ++k) {
                sum.add((double)alpha * input(i * m + k, SEED_A) * input(j * m + k, SEED_B));
                sum.add((double)alpha * input(i * m + k, SEED_B) * input(j * m + k, SEED_A));
            }
            results.expect("C", i * n + j, got[i * n + j], sum.value, sum.magnitude);
        }

    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return results.finish();
}
