// Kernels that fail, one per run (the argument): when the calls that follow learn of it, and whether it stays.
#include "api_print.h"
#include <cassert>

__global__ void asserts(int n) { assert(n > 100); }
__global__ void traps() { __trap(); }
__global__ void writes_nowhere(int *p) { *p = 1; }
__global__ void fine(int *p) { *p = 4; }

int main(int, char **argv)
{
    int *p, *q = nullptr, value = 0;
    MUST(cudaMalloc(&p, 64));
    switch (atoi(argv[1])) {
    case 0: asserts<<<1, 1>>>(5); break;
    case 1: traps<<<1, 1>>>(); break;
    case 2: writes_nowhere<<<1, 1>>>(nullptr); break;
    }
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaDeviceSynchronize());
    printf("last: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaMalloc(&q, 4));
    SHOW(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    fine<<<1, 1>>>(p);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaStreamSynchronize(0));
    SHOW(cudaFree(p));
    SHOW(cudaDeviceReset());
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
}
