// run: main
// Pointers and sizes come in a structure.
#include <cstdio>
#include <cuda_runtime.h>

struct Sums {
    const float *x;
    float *y;
    int n, m;
};

__global__ void sums(Sums s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n)
        for (int j = 0; j < s.m; ++j)
            s.y[i] += s.x[j] * 0.5f;
}

int main()
{
    float host[300], *p;
    cudaMalloc(&p, sizeof(host));
    for (int start : { 100, 20, 0 }) {
        for (int i = 0; i < 300; ++i) host[i] = (float)(i % 7);
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        sums<<<1, 1>>>(Sums{ p, p + start, 1, 25 });
        if (start == 100) sums<<<4, 32>>>(Sums{ p, p + start, 100, 25 });
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < 300; ++i) sum += host[i] * (i + 1);
        std::printf("%d %.9g\n", start, sum);
    }
    return cudaFree(p) != cudaSuccess;
}
