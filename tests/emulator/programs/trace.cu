// Kernels whose traces are looked at: trace [mixes|reads TURNS|waits]...
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ float factors[4];

__global__ void mixes(const float *x, float *y, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  float sum = factors[i & 3];
  for (int k = 0; k < 4; ++k) sum += x[(i * k) % n] * tile[(threadIdx.x * 3 + k) % 64];
  if (i < n) y[i] = sum;
  if (threadIdx.x % 3 == 0) atomicAdd(&y[n], 1.0f);
  if (threadIdx.x == 7) y[n + 1] = __ldcg(&x[n - 1]);
}

__global__ void reads(const float *x, float *y, int turns) {
  float sum = 0;
  for (int k = 0; k < turns; ++k) sum += x[(k * 64 + threadIdx.x) % 4096];
  y[threadIdx.x] = sum;
}

// The first block ends last.
__global__ void waits(const double *x, float *y) {
  double sum = 0;
  const int turns = blockIdx.x ? 1 : 400;
  for (int k = 0; k < turns; ++k) sum += x[k * 32 + threadIdx.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = (float)sum;
}

int main(int argc, char **argv) {
  float *x, *y;
  cudaMalloc(&x, 32768 * sizeof *x);
  cudaMalloc(&y, 4096 * sizeof *y);
  cudaMemset(x, 0, 32768 * sizeof *x);
  const float host[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(factors, host, sizeof host);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "mixes")) mixes<<<dim3(4, 2), 64>>>(x, y, 500);
    else if (!strcmp(argv[i], "reads")) reads<<<1, 64>>>(x, y, atoi(argv[++i]));
    else waits<<<100, 40, 0, stream>>>(reinterpret_cast<double *>(x), y);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
