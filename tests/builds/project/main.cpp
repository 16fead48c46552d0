#include "rows.h"

#include <cstdio>
#include <cuda_runtime.h>

int main() {
    const int rows = 512, columns = 64;
    float *matrix = nullptr, *weights = nullptr, *sums = nullptr;
    cudaMallocManaged(&matrix, rows * columns * sizeof(float));
    cudaMallocManaged(&weights, columns * sizeof(float));
    cudaMallocManaged(&sums, rows * sizeof(float));
    for (int i = 0; i < rows * columns; i++) {
        matrix[i] = float(i % 7);
    }
    for (int i = 0; i < columns; i++) {
        weights[i] = float(i % 3);
    }
    for (int row = 0; row < rows; row++) {
        sums[row] = 0.0f;
    }
    plain_sums(matrix, sums, rows, columns);
    weighted_sums(matrix, weights, sums, rows, columns);
    double total = 0.0, expected = 0.0;
    for (int row = 0; row < rows; row++) {
        total += sums[row];
        for (int i = 0; i < columns; i++) {
            expected += matrix[row * columns + i] * (1.0f + weights[i]);
        }
    }
    std::printf("%.0f of %.0f\n", total, expected);
    return total == expected ? 0 : 1;
}
