// y = alpha A x + beta B x, with A and B stored by rows and one row per thread.
//
// Neighbouring threads read addresses that are a whole row apart: each load of a warp touches 32 cache lines, to which
// the thread comes back for the next element. With enough warps these lines do not fit into the L1 cache. The sums are
// in memory: as they might overlap A, B or x, the compiler must not fetch the elements of several iterations together.

#include "example.h"

__global__ void gesummv(int rows, int columns, float alpha, float beta, const float *A, const float *B, const float *x,
                        float *tmp, float *y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        tmp[i] = 0.0f;
        y[i] = 0.0f;
        for (int j = 0; j < columns; ++j) {
            tmp[i] += A[i * columns + j] * x[j];
            y[i] += B[i * columns + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_B, SEED_X };

int main(int argc, char **argv)
{
    Options options("gesummv", argc, argv);
    const int rows = options.number("rows", 512);
    const int columns = options.number("columns", 192);
    const int threads = options.number("threads per block", 256);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const float alpha = 1.5f;
    const float beta = -0.75f;
    const size_t count = (size_t)rows * columns;

    float *A = filled_array(count, SEED_A);
    float *B = filled_array(count, SEED_B);
    float *x = filled_array(columns, SEED_X);
    float *tmp = device_array<float>(rows);
    float *y = device_array<float>(rows);

    const int blocks = (rows - 1) / threads + 1;
    std::printf("gesummv: %d x %d, %d blocks of %d threads\n", rows, columns, blocks, threads);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        watch.start();
        gesummv<<<blocks, threads>>>(rows, columns, alpha, beta, A, B, x, tmp, y);
        watch.stop();
    }
    watch.report("gesummv", "gesummv", sizeof(float) * (2.0 * count + columns + 2.0 * rows));

    Results results("gesummv", sum_tolerance(columns));
    const std::vector<float> got = to_host(y, rows);
    results.add(got);
    for (size_t i : options.checked(rows)) {
        Sum sum;
        for (int j = 0; j < columns; ++j) {
            const size_t at = i * columns + j;
            sum.add((double)alpha * input(at, SEED_A) * input(j, SEED_X));
            sum.add((double)beta * input(at, SEED_B) * input(j, SEED_X));
        }
        results.expect("y", i, got[i], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(x));
    CHECK(cudaFree(tmp));
    CHECK(cudaFree(y));
    return results.finish();
}
