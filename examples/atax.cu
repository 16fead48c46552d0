// y = A^T (A x), with A stored by rows: first one row per thread, then one column per thread.
//
// The first kernel's warps read 32 lines at a time, the second's read one: the same matrix, two cache behaviours.

#include "example.h"

__global__ void multiply_rows(int rows, int columns, const float *A, const float *x, float *product)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        float sum = 0.0f;
        for (int j = 0; j < columns; ++j)
            sum += A[i * columns + j] * x[j];
        product[i] = sum;
    }
}

__global__ void multiply_columns(int rows, int columns, const float *A, const float *product, float *y)
{
    const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns) {
        float sum = 0.0f;
        for (int i = 0; i < rows; ++i)
            sum += A[(size_t)i * columns + j] * product[i];
        y[j] = sum;
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_X };

int main(int argc, char **argv)
{
    Options options("atax", argc, argv);
    const int rows = options.number("rows", 512);
    const int columns = options.number("columns", 192);
    const int threads = options.number("threads per block", 256);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const size_t count = (size_t)rows * columns;

    float *A = filled_array(count, SEED_A);
    float *x = filled_array(columns, SEED_X);
    float *product = device_array<float>(rows);
    float *y = device_array<float>(columns);

    const int row_blocks = (rows - 1) / threads + 1;
    const int column_blocks = (columns - 1) / threads + 1;
    std::printf("atax: %d x %d, %d and %d blocks of %d threads\n", rows, columns, row_blocks, column_blocks, threads);
    Stopwatch first, second;
    for (int run = 0; run <= repeat; ++run) {
        first.start();
        multiply_rows<<<row_blocks, threads>>>(rows, columns, A, x, product);
        first.stop();
        second.start();
        multiply_columns<<<column_blocks, threads>>>(rows, columns, A, product, y);
        second.stop();
    }
    const double bytes = sizeof(float) * ((double)count + columns + rows);
    first.report("atax", "multiply_rows", bytes);
    second.report("atax", "multiply_columns", bytes);

    Results results("atax", sum_tolerance((double)rows + columns));
    const std::vector<float> got_product = to_host(product, rows);
    const std::vector<float> got_y = to_host(y, columns);
    results.add(got_product);
    results.add(got_y);
    for (size_t i : options.checked(rows)) {
        Sum sum;
        for (int j = 0; j < columns; ++j)
            sum.add((double)input(i * columns + j, SEED_A) * input(j, SEED_X));
        results.expect("product", i, got_product[i], sum.value, sum.magnitude);
    }
    for (size_t j : options.checked(columns)) {
        Sum sum;  // of the product that the first kernel left, which is right by now
        for (int i = 0; i < rows; ++i)
            sum.add((double)input((size_t)i * columns + j, SEED_A) * got_product[i]);
        results.expect("y", j, got_y[j], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(A));
    CHECK(cudaFree(x));
    CHECK(cudaFree(product));
    CHECK(cudaFree(y));
    return results.finish();
}
