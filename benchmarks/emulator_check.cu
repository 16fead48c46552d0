// Kernels for emulator_check.py: what check mode costs where memory is used in different ways.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

__global__ void gemm(const float *a, const float *b, float *c, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] = 0;
  for (int k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
__global__ void tiled_gemm(const float *a, const float *b, float *c, int n) {
  __shared__ float left[16][16], right[16][16];
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    left[threadIdx.y][threadIdx.x] = a[i * n + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + j];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[i * n + j] = sum;
}
__global__ void conv2d(const float *a, float *b, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  b[i * n + j] = 0.2f * a[(i - 1) * n + j - 1] - 0.3f * a[(i - 1) * n + j] + 0.4f * a[(i - 1) * n + j + 1] +
                 0.5f * a[i * n + j - 1] + 0.6f * a[i * n + j] + 0.7f * a[i * n + j + 1] -
                 0.8f * a[(i + 1) * n + j - 1] - 0.9f * a[(i + 1) * n + j] + 0.1f * a[(i + 1) * n + j + 1];
}
__global__ void atax(const float *a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
}
__global__ void reduction(const float *in, float *out) {
  __shared__ float sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}

static double processor_time() {  // of all OS threads: other programs do not count
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
template <class Launch> static void measure(const char *name, Launch launch) {
  launch();  // pages and caches
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = processor_time();
    launch();
    cudaDeviceSynchronize();
    const double took = processor_time() - start;
    if (took < best) best = took;
  }
  std::printf("%s %g s\n", name, best);
}

int main(int argc, char **argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 512) / 32 * 32;
  const size_t bytes = sizeof(float) * n * n;
  float *a, *b, *c;
  cudaMalloc(&a, 4 * bytes), cudaMalloc(&b, 4 * bytes), cudaMalloc(&c, 4 * bytes);
  cudaMemset(a, 0, 4 * bytes), cudaMemset(b, 0, 4 * bytes), cudaMemset(c, 0, 4 * bytes);
  const dim3 block(32, 8), grid(n / 32, n / 8), wide(2 * n / 32, 2 * n / 8);
  measure("gemm", [=] { gemm<<<grid, block>>>(a, b, c, n); });
  measure("tiled_gemm", [=] { tiled_gemm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); });
  measure("conv2d", [=] { conv2d<<<wide, block>>>(a, b, 2 * n); });
  measure("atax", [=] { atax<<<2 * n / 32, 32>>>(a, b, c, 2 * n); });
  measure("reduction", [=] { reduction<<<4 * n * n / 256, 256>>>(a, c); });
  cudaFree(a), cudaFree(b), cudaFree(c);
  return 0;
}
