// MM: tiled matrix product, 16 by 16 threads, two tiles of 1 KB.
#include "bench.h"

__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16], pad[9];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    if (n < 0) pad[x % 9] = 0;
    float sum = 0;
    for (int m = 0; m < n; m += 16) {
        as[y][x] = a[row * n + m + x];
        bs[y][x] = b[(m + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int tiles = blocks_or(16384), side = (int)sqrt((double)tiles), n = side * 16;
    float *a = filled<float>(n * n, small), *b = filled<float>(n * n, [](unsigned i) { return small(i + 3); });
    float *c = filled<float>(n * n, small);
    std::vector<float> got =
        measured("mm", c, n * n, [=] { product<<<dim3(side, side), dim3(16, 16)>>>(a, b, c, n); });
    const int samples[] = {0, n * n / 2 + 3, n * n - 1};
    for (int i : samples) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += (double)small(i / n * n + k) * small(k * n + i % n + 3);
        must(fabs(sum - got[i]) < 1e-3, "an element");
    }
}
