// C = alpha A B + beta C for A (n x k), B (k x m) and C (n x m): one element of C per thread, nothing staged by hand.

#include "example.h"

__global__ void gemm(int n, int m, int k, float alpha, float beta, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < m) {
        float sum = 0.0f;
        for (int l = 0; l < k; ++l)
            sum += A[(size_t)row * k + l] * B[(size_t)l * m + column];
        const size_t at = (size_t)row * m + column;
        C[at] = alpha * sum + beta * C[at];
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_B, SEED_C };

int main(int argc, char **argv)
{
    Options options("gemm", argc, argv);
    const int n = options.number("rows", 72);
    const int m = options.number("columns", 80);
    const int k = options.number("inner", 64);
    const int block_x = options.number("block x", 32);
    const int block_y = options.number("block y", 8);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const float alpha = 0.75f;
    const float beta = -1.0f;
    const size_t count_A = (size_t)n * k;
    const size_t count_B = (size_t)k * m;
    const size_t count_C = (size_t)n * m;

    float *A = filled_array(count_A, SEED_A);
    float *B = filled_array(count_B, SEED_B);
    float *C = device_array<float>(count_C);

    const dim3 block(block_x, block_y);
    const dim3 grid((m - 1) / block.x + 1, (n - 1) / block.y + 1);
    std::printf("gemm: %d x %d x %d, %u x %u blocks of %u x %u threads\n", n, k, m, grid.x, grid.y, block.x, block.y);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        fill_device(C, count_C, SEED_C);  // the kernel overwrites it
        watch.start();
        gemm<<<grid, block>>>(n, m, k, alpha, beta, A, B, C);
        watch.stop();
    }
    watch.report("gemm", "gemm", sizeof(float) * ((double)count_A + count_B + 2.0 * count_C));

    Results results("gemm", sum_tolerance(k));
    const std::vector<float> got = to_host(C, count_C);
    results.add(got);
    for (size_t i : options.checked(n))
        for (size_t j : options.checked(m)) {
            Sum sum;
            sum.add((double)beta * input(i * m + j, SEED_C));
            for (int l = 0; l < k; ++l)
                sum.add((double)alpha * input(i * k + l, SEED_A) * input((size_t)l * m + j, SEED_B));
            results.expect("C", i * m + j, got[i * m + j], sum.value, sum.magnitude);
        }

    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return results.finish();
}
