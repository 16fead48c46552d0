// CV: rows of a separable convolution, 17 taps; a block of 128 threads holds 2048 pixels and their neighbours. With -DPAPER
// columns, as table 1 tells: 16 by 8 threads, 16 columns of 128 pixels (and one, against bank conflicts) are 8256 bytes,
// the SDK's kernel has 44 of arguments. 8 pixels at each end are neighbours, so a thread has 14 results.
#include "bench.h"

__constant__ float taps[17];

#ifdef PAPER
#define RESULTS 14

__global__ void columns(const float *in, float *out, int width, int height)
{
    __shared__ float line[16 * 129 + 11];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, first = blockIdx.y * RESULTS * 8;
    const float *from = in + (size_t)(first + y) * width + column;
    for (int i = 0; i < RESULTS; ++i) line[x * 129 + 8 + i * 8 + y] = from[i * 8 * width];
    line[x * 129 + y] = first > 0 ? from[-8 * width] : 0;
    line[x * 129 + 120 + y] = first + RESULTS * 8 < height ? from[RESULTS * 8 * width] : 0;
    __syncthreads();
    for (int i = 0; i < RESULTS; ++i) {
        float sum = 0;
        for (int k = 0; k < 17; ++k) sum += taps[k] * line[x * 129 + i * 8 + y + k];
        out[(size_t)(first + i * 8 + y) * width + column] = sum;
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int across = blocks_or(16384) / 4, height = 4 * RESULTS * 8;
    if (across < 1) across = 1;
    int width = across * 16;
    size_t n = (size_t)height * width;
    float *in = filled<float>(n, small), *out = filled<float>(n, small);
    float weights[17];
    for (int k = 0; k < 17; ++k) weights[k] = 1.0f / (1 + k);
    cudaMemcpyToSymbol(taps, weights, sizeof weights);
    std::vector<float> got =
        measured("cv", out, n, [=] { columns<<<dim3(across, 4), dim3(16, 8)>>>(in, out, width, height); });
    const int samples[] = {0, 7, 8, 111, 112, 335, height - 9, height - 1};
    for (int y : samples) {
        double sum = 0;
        int x = width - 3;
        for (int k = 0; k < 17; ++k)
            if (y + k >= 8 && y + k - 8 < height) sum += weights[k] * small((unsigned)((y + k - 8) * width + x));
        must(fabs(sum - got[(size_t)y * width + x]) < 1e-4, "a pixel");
    }
}
#else
__global__ void rows(const float *in, float *out, int width)
{
    __shared__ float line[2075];
    int t = threadIdx.x, first = blockIdx.x * 2048;
    const float *row = in + (size_t)blockIdx.y * width;
    for (int i = 0; i < 16; ++i) line[8 + i * 128 + t] = row[first + i * 128 + t];
    if (t < 8) line[t] = first + t >= 8 ? row[first + t - 8] : 0;
    if (t >= 120) line[t + 1936] = first + t + 1928 < width ? row[first + t + 1928] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
        float sum = 0;
        for (int k = 0; k < 17; ++k) sum += taps[k] * line[i * 128 + t + k];
        out[(size_t)blockIdx.y * width + first + i * 128 + t] = sum;
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int height = blocks_or(16384) / 4, width = 8192;
    if (height < 1) height = 1;
    size_t n = (size_t)height * width;
    float *in = filled<float>(n, small), *out = filled<float>(n, small);
    float weights[17];
    for (int k = 0; k < 17; ++k) weights[k] = 1.0f / (1 + k);
    cudaMemcpyToSymbol(taps, weights, sizeof weights);
    std::vector<float> got = measured("cv", out, n, [=] { rows<<<dim3(4, height), 128>>>(in, out, width); });
    const int samples[] = {0, 2047, 2048, 8191};
    for (int x : samples) {
        double sum = 0;
        for (int k = 0; k < 17; ++k)
            if (x + k >= 8 && x + k - 8 < width) sum += weights[k] * small((unsigned)((height - 1) * width + x + k - 8));
        must(fabs(sum - got[(size_t)(height - 1) * width + x]) < 1e-4, "a pixel");
    }
}
#endif
