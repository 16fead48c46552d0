// What ends a kernel, and what the host hears of it; what device code prints.
#include "show.h"
#include <cassert>

__global__ void prints(int n) {
  if (threadIdx.x == 0) {
    const int written = printf("plain %d %u %x %c %s %5.2f %-6d| %06d %e %%\n", n, 7u, 255, 'q', "text", 3.14159, 42, -17, 12345.678);
    const int none = printf("no arguments\n");
    printf("returned %d %d\n", written, none);
    printf("%lld %llu %hd %p\n", 1ll << 40, 1ull << 63, (short)-3, (void *)0x10);
  }
}
__global__ void asserts(int n) { assert(n < 5); }
__global__ void traps() { __trap(); }
__global__ void faults(int *p) { *p = 1; }
__global__ void fine(int *p) { *p = 7; }

static void tell(const char *name) {
  const cudaError_t first = cudaDeviceSynchronize();
  const cudaError_t again = cudaGetLastError();
  int *p = nullptr;
  const cudaError_t alloc = cudaMalloc(&p, 4);
  printf("%s: %s, %s, %s\n", name, cudaGetErrorName(first), cudaGetErrorName(again), cudaGetErrorName(alloc));
}

int main(int argc, char **argv) {
  const int which = argc > 1 ? atoi(argv[1]) : 0;
  setvbuf(stdout, nullptr, _IONBF, 0);
  if (which == 0) {
    prints<<<1, 32>>>(5);
    finish("prints");
    asserts<<<1, 4>>>(4);
    tell("assert that holds");
    fine<<<1, 2048>>>(nullptr);
    printf("too many threads: %d\n", cudaGetLastError() != cudaSuccess);  // which error depends on the driver
    fine<<<1, 1, 1 << 20>>>(nullptr);
    printf("too much shared memory: %s\n", cudaGetErrorName(cudaGetLastError()));
    fine<<<0, 1>>>(nullptr);
    printf("no blocks: %d\n", cudaGetLastError() != cudaSuccess);
    printf("%s\n", cudaGetErrorString(cudaErrorInvalidConfiguration));
    int *p = array<int>(1);
    fine<<<1, 1>>>(p);
    show("afterwards", p, 1);
  }
  if (which == 1) { asserts<<<1, 1>>>(9); tell("assert"); }
  if (which == 2) { traps<<<1, 1>>>(); tell("trap"); }
  if (which == 3) { faults<<<1, 1>>>((int *)nullptr); tell("null"); }
}
