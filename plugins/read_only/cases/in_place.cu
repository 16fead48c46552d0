// learn: on
// run: main
// Launches whose arrays overlap keep the original: what it reads is what it has just written.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void shift(int n, const int *x, int *y)
{
    for (int j = 0; j < n; ++j)
        y[j] = x[j] + 1;
}

int main()
{
    const int room = 64;
    int host[room], *p;
    cudaMalloc(&p, sizeof(host));
    for (int start : { 32, 1, 0, 20, 19 }) {
        for (int i = 0; i < room; ++i) host[i] = i;
        cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
        for (int again = 0; again < 3; ++again)
            shift<<<1, 1>>>(20, p, p + start);
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
        for (int i = 0; i < room; ++i) std::printf("%d ", host[i]);
        std::printf("\n");
    }
    return cudaFree(p) != cudaSuccess;
}
