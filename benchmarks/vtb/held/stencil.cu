// Held out: a stencil of radius 4 over tiles of 32 x 8 pixels with their border in shared memory: streams.
#include "../bench.h"
#define W 4096

__global__ void smooth(const float *in, float *out, int height)
{
    __shared__ float tile[16][40];
    int x = blockIdx.x * 32, y = blockIdx.y * 8;
    for (int r = threadIdx.y; r < 16; r += 8) {
        for (int c = threadIdx.x; c < 40; c += 32) {
            int px = min(max(x + c - 4, 0), W - 1), py = min(max(y + r - 4, 0), height - 1);
            tile[r][c] = in[(size_t)py * W + px];
        }
    }
    __syncthreads();
    float sum = tile[threadIdx.y + 4][threadIdx.x + 4];
    for (int k = 1; k <= 4; ++k) {
        sum += (tile[threadIdx.y + 4 - k][threadIdx.x + 4] + tile[threadIdx.y + 4 + k][threadIdx.x + 4]) / (k + 1);
        sum += (tile[threadIdx.y + 4][threadIdx.x + 4 - k] + tile[threadIdx.y + 4][threadIdx.x + 4 + k]) / (k + 2);
    }
    out[(size_t)(y + threadIdx.y) * W + x + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int rows = blocks_or(512);
    float *in = filled<float>((size_t)rows * 8 * W, small), *out = filled<float>((size_t)rows * 8 * W, small);
    measured("stencil", out, (size_t)rows * 8 * W,
             [=] { smooth<<<dim3(W / 32, rows), dim3(32, 8)>>>(in, out, rows * 8); });
}
