#pragma once

#include "rows.h"

// One row per thread, as slowly as possible for a cache: a kernel in a header, patched for every file that launches it.
static __global__ void row_sums(const float *matrix, const float *weights, float *sums, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        for (int column = 0; column < columns; column++) {
            sums[row] += matrix[row * columns + column] * weights[column];
        }
    }
}
