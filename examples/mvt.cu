// x1 = x1 + A y1 and x2 = x2 + A^T y2, with the sums kept in memory: every iteration writes what the next one reads.

#include "example.h"

__global__ void add_rows(int rows, int columns, const float *A, const float *y1, float *x1)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        for (int j = 0; j < columns; ++j)
            x1[i] += A[i * columns + j] * y1[j];
    }
}

__global__ void add_columns(int rows, int columns, const float *A, const float *y2, float *x2)
{
    const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns) {
        for (int i = 0; i < rows; ++i)
            x2[j] += A[(size_t)i * columns + j] * y2[i];
    }
}

enum Seed : unsigned { SEED_A = 1, SEED_X1, SEED_X2, SEED_Y1, SEED_Y2 };

int main(int argc, char **argv)
{
    Options options("mvt", argc, argv);
    const int rows = options.number("rows", 512);
    const int columns = options.number("columns", 192);
    const int threads = options.number("threads per block", 256);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const size_t count = (size_t)rows * columns;

    float *A = filled_array(count, SEED_A);
    float *y1 = filled_array(columns, SEED_Y1);
    float *y2 = filled_array(rows, SEED_Y2);
    float *x1 = device_array<float>(rows);
    float *x2 = device_array<float>(columns);

    const int row_blocks = (rows - 1) / threads + 1;
    const int column_blocks = (columns - 1) / threads + 1;
    std::printf("mvt: %d x %d, %d and %d blocks of %d threads\n", rows, columns, row_blocks, column_blocks, threads);
    Stopwatch first, second;
    for (int run = 0; run <= repeat; ++run) {
        fill_device(x1, rows, SEED_X1);  // the kernels add to these
        fill_device(x2, columns, SEED_X2);
        first.start();
        add_rows<<<row_blocks, threads>>>(rows, columns, A, y1, x1);
        first.stop();
        second.start();
        add_columns<<<column_blocks, threads>>>(rows, columns, A, y2, x2);
        second.stop();
    }
    first.report("mvt", "add_rows", sizeof(float) * ((double)count + columns + 2.0 * rows));
    second.report("mvt", "add_columns", sizeof(float) * ((double)count + rows + 2.0 * columns));

    Results results("mvt", sum_tolerance((double)rows + columns));
    const std::vector<float> got_x1 = to_host(x1, rows);
    const std::vector<float> got_x2 = to_host(x2, columns);
    results.add(got_x1);
    results.add(got_x2);
    for (size_t i : options.checked(rows)) {
        Sum sum;
        sum.add(input(i, SEED_X1));
        for (int j = 0; j < columns; ++j)
            sum.add((double)input(i * columns + j, SEED_A) * input(j, SEED_Y1));
        results.expect("x1", i, got_x1[i], sum.value, sum.magnitude);
    }
    for (size_t j : options.checked(columns)) {
        Sum sum;
        sum.add(input(j, SEED_X2));
        for (int i = 0; i < rows; ++i)
            sum.add((double)input((size_t)i * columns + j, SEED_A) * input(i, SEED_Y2));
        results.expect("x2", j, got_x2[j], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(A));
    CHECK(cudaFree(y1));
    CHECK(cudaFree(y2));
    CHECK(cudaFree(x1));
    CHECK(cudaFree(x2));
    return results.finish();
}
