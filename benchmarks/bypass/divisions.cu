// Times of row walks beside shared memory under every division of L1, in milliseconds (medians).
//
//     divisions [REPEAT [COLUMNS]] > RUN.csv        then: python benchmarks/bypass_divisions.py RUN.csv... -o FILE.csv

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); std::exit(1); } } while (0)
#include "divisions_kernels.cu"
typedef void (*Kernel)(int, int, const float *, const float *, const float *, float *);
__global__ void fill(float *p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = (float)(i * 2654435761u % 1021) / 1021; }
int main(int argc, char **argv)
{
    const int repeat = argc > 1 ? atoi(argv[1]) : 5;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    const int sms = p.multiProcessorCount, m = argc > 2 ? atoi(argv[2]) : 512;
    const size_t most = (size_t)sms * 2048 * m;
    float *A, *B, *x, *y;
    CHECK(cudaMalloc(&A, most * 4)); CHECK(cudaMalloc(&B, most * 4)); CHECK(cudaMalloc(&x, m * 4 + 64)); CHECK(cudaMalloc(&y, (size_t)sms * 4096 * 4));
    fill<<<1024, 256>>>(A, most); fill<<<1024, 256>>>(B, most); fill<<<1, 256>>>(x, m + 16);
    const struct { const char *name; Kernel f; } kernels[] = { { "memory", memory }, { "registers", registers }, { "two", two }, { "heavy", heavy }, { "strided", strided } };
    const int launches[][3] = { { 64, 12288, 8 }, { 64, 12288, 16 }, { 64, 4096, 16 }, { 64, 4096, 32 }, { 64, 24576, 8 }, { 64, 8192, 20 }, { 128, 12288, 8 }, { 128, 12288, 12 },
        { 128, 8192, 16 }, { 128, 20480, 10 }, { 128, 40960, 5 }, { 128, 16384, 6 }, { 256, 1024, 8 }, { 256, 12288, 4 }, { 256, 12288, 8 }, { 256, 24576, 4 }, { 256, 24576, 6 }, { 256, 32768, 7 },
        { 256, 40960, 2 }, { 256, 40960, 5 }, { 256, 65536, 3 }, { 512, 8192, 4 }, { 512, 16384, 4 }, { 512, 32768, 4 }, { 512, 49152, 2 }, { 1024, 32768, 2 } };
    const int percents[] = { -1, 1, 8, 15, 29, 44, 58, 72, 86, 100 };
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
    std::printf("kernel,threads,shared,blocks,percent,ms\n");
    for (auto &k : kernels)
        for (auto &l : launches) {
            const int n = l[2] * sms * l[0];
            CHECK(cudaFuncSetAttribute(k.f, cudaFuncAttributeMaxDynamicSharedMemorySize, l[1]));
            for (int percent : percents) {
                CHECK(cudaFuncSetAttribute(k.f, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
                std::vector<float> all;
                for (int r = 0; r <= repeat; ++r) {
                    float ms;
                    CHECK(cudaEventRecord(a));
                    k.f<<<l[2] * sms, l[0], l[1]>>>(n, m, A, B, x, y);
                    CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b)); CHECK(cudaEventElapsedTime(&ms, a, b));
                    if (r) all.push_back(ms);
                }
                std::sort(all.begin(), all.end());
                std::printf("%s,%d,%d,%d,%d,%.5f\n", k.name, l[0], l[1], l[2], percent, all[all.size() / 2]);
            }
        }
    CHECK(cudaDeviceSynchronize());
}
