// Kernels that launch kernels, and device code in several units.
// flags: -rdc=true -lcudadevrt
// with: exec_nested_other.cu
#include "show.h"

extern __device__ int shared_counter;
__device__ int from_other_unit(int x);
extern __constant__ int other_table[4];

__global__ void child(int *out, int base) { out[base + threadIdx.x] = base * 10 + threadIdx.x; }
__global__ void parent(int *out) {
  if (threadIdx.x < 2) child<<<1, 4>>>(out, 4 * (2 * blockIdx.x + threadIdx.x));
}
__global__ void recursive(int *out, int depth) {
  if (threadIdx.x == 0) {
    atomicAdd(out, 1 << depth);
    if (depth < 4) recursive<<<2, 2>>>(out, depth + 1);
  }
}
__global__ void other(int *out) {
  out[threadIdx.x] = from_other_unit(threadIdx.x) + other_table[threadIdx.x];
  atomicAdd(&shared_counter, 2);
}

int main() {
  int *out = array<int>(64);
  parent<<<2, 32>>>(out);
  show("nested", out, 16);
  *out = 0;
  recursive<<<1, 2>>>(out, 0);
  show("recursive", out, 1);
  other<<<1, 4>>>(out);
  show("other unit", out, 4);
  int back = 0;
  cudaMemcpyFromSymbol(&back, shared_counter, sizeof back);
  printf("counter: %d\n", back);
}
