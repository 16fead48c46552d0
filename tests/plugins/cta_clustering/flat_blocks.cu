// A product in blocks of one row: L2 holds all that it reads, so only L1 tells orders of blocks apart.
#include <cstdio>

__global__ void product(int n, int depth, const float *A, const float *B, float *C) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float s = 0;
  for (int k = 0; k < depth; k++) s += A[y * depth + k] * B[k * n + x];
  C[y * n + x] = s;
}

int main() {
  const int n = 2304, rows = 72, depth = 24;
  float *a, *b, *c, sum = 0;
  cudaMallocManaged(&a, rows * depth * 4);
  cudaMallocManaged(&b, n * depth * 4);
  cudaMallocManaged(&c, n * rows * 4);
  for (int i = 0; i < rows * depth; i++) a[i] = i % 7;
  for (int i = 0; i < n * depth; i++) b[i] = i % 5;
  product<<<dim3(n / 256, rows), 256>>>(n, depth, a, b, c);
  cudaDeviceSynchronize();
  for (int i = 0; i < n * rows; i++) sum += c[i] * (i % 3);
  printf("%.0f\n", sum);
}
