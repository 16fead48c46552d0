// q = A p and s = A^T r, the two products of a step of the biconjugate gradient method; A is stored by rows.

#include "example.h"

__global__ void product_of_rows(int rows, int columns, const float *A, const float *p, float *q)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        const float *row = A + i * columns;
        float sum = 0.0f;
        for (int j = 0; j < columns; ++j)
            sum += row[j] * p[j];
        q[i] = sum;
    }
}

__global__ void product_of_columns(int rows, int columns, const float *A, const float *r, float *s)
{
    const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    float sum = 0.0f;
    for (int i = 0; i < rows; ++i)
        sum += A[(size_t)i * columns + j] * r[i];
    s[j] = sum;
}

enum Seed : unsigned { SEED_A = 1, SEED_P, SEED_R };

int main(int argc, char **argv)
{
    Options options("bicg", argc, argv);
    const int rows = options.number("rows", 512);
    const int columns = options.number("columns", 192);
    const int threads = options.number("threads per block", 256);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const size_t count = (size_t)rows * columns;

    float *A = filled_array(count, SEED_A);
    float *p = filled_array(columns, SEED_P);
    float *r = filled_array(rows, SEED_R);
    float *q = device_array<float>(rows);
    float *s = device_array<float>(columns);

    const dim3 block(threads);
    const dim3 row_grid((rows - 1) / threads + 1);
    const dim3 column_grid((columns - 1) / threads + 1);
    std::printf("bicg: %d x %d, %u and %u blocks of %d threads\n", rows, columns, row_grid.x, column_grid.x, threads);
    Stopwatch first, second;
    for (int run = 0; run <= repeat; ++run) {
        first.start();
        product_of_rows<<<row_grid, block>>>(rows, columns, A, p, q);
        first.stop();
        second.start();
        product_of_columns<<<column_grid, block>>>(rows, columns, A, r, s);
        second.stop();
    }
    const double bytes = sizeof(float) * ((double)count + columns + rows);
    first.report("bicg", "product_of_rows", bytes);
    second.report("bicg", "product_of_columns", bytes);

    Results results("bicg", sum_tolerance((double)rows + columns));
    const std::vector<float> got_q = to_host(q, rows);
    const std::vector<float> got_s = to_host(s, columns);
    results.add(got_q);
    results.add(got_s);
    for (size_t i : options.checked(rows)) {
        Sum sum;
        for (int j = 0; j < columns; ++j)
            sum.add((double)input(i * columns + j, SEED_A) * input(j, SEED_P));
        results.expect("q", i, got_q[i], sum.value, sum.magnitude);
    }
    for (size_t j : options.checked(columns)) {
        Sum sum;
        for (int i = 0; i < rows; ++i)
            sum.add((double)input((size_t)i * columns + j, SEED_A) * input(i, SEED_R));
        results.expect("s", j, got_s[j], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(A));
    CHECK(cudaFree(p));
    CHECK(cudaFree(r));
    CHECK(cudaFree(q));
    CHECK(cudaFree(s));
    return results.finish();
}
