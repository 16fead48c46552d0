// TP: transpose by tiles of 32 by 32, 128 threads.
#include "bench.h"

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32 * 33 + 9];
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (int i = 0; i < 8; ++i) tile[(y + 4 * i) * 33 + x] = in[(size_t)(by + y + 4 * i) * n + bx + x];
    __syncthreads();
    for (int i = 0; i < 8; ++i) out[(size_t)(bx + y + 4 * i) * n + by + x] = tile[x * 33 + y + 4 * i];
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int side = (int)sqrt((double)blocks_or(65536)), n = side * 32;
    float *in = filled<float>((size_t)n * n, small), *out = filled<float>((size_t)n * n, small);
    std::vector<float> got =
        measured("tp", out, (size_t)n * n, [=] { transpose<<<dim3(side, side), dim3(32, 4)>>>(in, out, n); });
    const int samples[] = {0, n * (n / 2) + 3, n * n - 1};
    for (int i : samples) must(got[i] == small(i % n * n + i / n), "an element");
}
