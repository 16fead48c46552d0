// Blocks that need 9 KB of shared memory for a part of their time: smm [OWN TAKEN [WRONG]]
#include <cstdio>
#include <cstdlib>
extern "C" void gpuopt_emu_shared_parts(const void *kernel, unsigned own, unsigned taken) __attribute__((weak));

__global__ void waits(const int *next, int *out, unsigned bytes, int mode) {
  __shared__ int tile[64 * 36];
  unsigned base = 7;
  int at = blockIdx.x * 64 + threadIdx.x;
  for (int hop = 0; hop < 16; ++hop) at = next[at];
  if (mode == 1) __syncthreads(-1, &base, bytes);
  if (mode == 2) __syncthreads(1, &base, 10000);
  __syncthreads(1, &base, bytes);
  if (mode == 3) __syncthreads(1, &base, bytes);
  for (int i = 0; i < 36; ++i) tile[i * 64 + threadIdx.x] = at + i;
  __syncthreads(0, 0, 0);
  int sum = 0;
  for (int i = 0; i < 36; ++i) sum += tile[i * 64 + 63 - threadIdx.x];
  __syncthreads(-1, &base, bytes);
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const int blocks = 120, n = blocks * 64;
  int *next, *out, *host = new int[n], sum = 0;
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = (int)((i * 2654435761u >> 7) % n);
  cudaMemcpy(next, host, n * sizeof(int), cudaMemcpyHostToDevice);
  if (argc > 2 && gpuopt_emu_shared_parts) gpuopt_emu_shared_parts((const void *)waits, atoi(argv[1]), atoi(argv[2]));
  waits<<<blocks, 64>>>(next, out, argc > 2 ? atoi(argv[2]) : 9216, argc > 3 ? atoi(argv[3]) : 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(host, out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) sum = sum * 31 + host[i];
  printf("%d\n", sum);
}
