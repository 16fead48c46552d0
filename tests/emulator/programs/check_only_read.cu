// Arrays that kernels only read, by indices that no survey can tell. Argument: the case.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef struct {
  float weight;
  float *unused;
  long next;
} Point;

__device__ float weight_at(const float *values, int i, int j) { return values[i] + values[j]; }  // read

__global__ void gather(const int *index, const float *a, Point *points, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = points[i].weight;
  for (int k = 0; k < 4; ++k) sum += a[index[(i + k) % n]] * weight_at(a, i, index[i]);  // read
  out[i] = sum;  // store
}
__global__ void scatter(const int *index, const float *a, float *out, long where, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = a[index[i]];  // scatter_read
  if (i == 40) out[where] = mine;  // scatter_store
  out[i] = mine;
}
__global__ void rewrite(const int *index, float *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[index[i] % 32] = i;  // rewrite
}
__global__ void with_others(double *unused, const int *index, long *also_unused, float *out, int n, const float *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i] % n] = a[i] + i;
}

int main(int argc, char **argv) {
  const int which = argc > 1 ? atoi(argv[1]) : 0, n = 256, elements = which == 4 ? 249 : n;
  int *index, host[n];
  float *a, *out;
  Point *points;
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(&a, elements * sizeof(float));
  cudaMalloc(&out, 2 * n * sizeof(float));
  cudaMalloc(&points, n * sizeof(Point));
  for (int i = 0; i < n; ++i) host[i] = i * 37 % elements;
  if (which == 4) host[100] = elements;
  if (which == 5) host[100] = 1000000;
  cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(a, 0, (which == 6 ? 200 : elements) * sizeof(float));
  cudaMemset(points, 0, n * sizeof(Point));
  cudaMemset(out, 0, 2 * n * sizeof(float));
  switch (which) {
    case 0: for (int k = 0; k < 3; ++k) gather<<<4, 64>>>(index, a, points, out, n); break;
    case 1: gather<<<4, 64>>>(index, out, points, out, n); break;
    case 2: gather<<<4, 64>>>(index, out + n, points, out + n / 2, n); break;
    case 3: scatter<<<4, 64>>>(index, a, out, a + 5 - out, n); break;
    case 4: case 5: case 6: gather<<<1, 64>>>(index, a, points, out, n); gather<<<4, 64>>>(index, a, points, out, elements); break;
    case 8: with_others<<<4, 64>>>(nullptr, index, (long *)16, out, n, a); break;
    case 7: gather<<<4, 64>>>(index, a, points, out, n); rewrite<<<4, 64>>>(index, a); break;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%d %s\n", which, cudaGetErrorName(error));
  if (error == cudaSuccess) cudaFree(index), cudaFree(a), cudaFree(out), cudaFree(points);
}
