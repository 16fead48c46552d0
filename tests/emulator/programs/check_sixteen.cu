// Elements of two bytes in shared memory: all written, or (argument) the last one never.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __global__ void tile(const T *in, float *out, int written) {
  __shared__ T one[64], two[2][33];
  if (threadIdx.x < written) one[threadIdx.x] = in[threadIdx.x];
  two[threadIdx.x / 32][threadIdx.x % 32] = in[63 - threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += (float)one[(threadIdx.x + k) % 64] * (float)two[k % 2][threadIdx.x % 32];  // read
  out[threadIdx.x] = sum;
}
__global__ void pairs(const __nv_bfloat162 *in, float *out) {
  __shared__ __nv_bfloat162 both[64];
  both[threadIdx.x] = __hmul2(in[threadIdx.x], in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = __low2float(both[63 - threadIdx.x]) + __bfloat162float(both[threadIdx.x ^ 1].y);
}

template <class T> void run(int written) {
  T *in, host[64];
  float *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) host[i] = T((float)i);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  tile<T><<<1, 64>>>(in, out, written);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in), cudaFree(out);
}
int main(int argc, char **) {
  const int written = argc > 1 ? 63 : 64;
  run<__nv_bfloat16>(written);
  run<__half>(written);
  __nv_bfloat162 *in;
  float *out;
  cudaMalloc(&in, 64 * sizeof *in);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMemset(in, 0, 64 * sizeof *in);
  pairs<<<1, 64>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in), cudaFree(out);
}
