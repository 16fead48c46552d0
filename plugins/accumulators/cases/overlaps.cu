// run: main
// One launch after the other: arrays apart, next to each other, with bytes in common, the same one.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void windows(int n, int m, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[i] += x[j] * 0.5f;
}

int main()
{
    const int room = 400, n = 100, m = 25;
    float host[room], *p;
    cudaMalloc(&p, sizeof(host));
    const int starts[][2] = { { 0, 200 }, { 0, 25 }, { 0, 24 }, { 3, 0 }, { 100, 0 }, { 99, 0 }, { 0, 0 }, { 60, 50 } };
    for (const auto &start : starts) {
        for (int i = 0; i < room; ++i) host[i] = (float)(i % 7);
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        windows<<<1, 1>>>(1, m, p + start[0], p + start[1]);
        if (start[0] + m <= start[1] || start[1] + n <= start[0])
            windows<<<4, 32>>>(n, m, p + start[0], p + start[1]);
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < room; ++i) sum += host[i] * (i + 1);
        std::printf("%d %d %.9g\n", start[0], start[1], sum);
    }
    windows<<<4, 32>>>(n, 0, p, nullptr);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return cudaFree(p) != cudaSuccess;
}
