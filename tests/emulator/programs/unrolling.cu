// A warp adds up lines that lie far apart, in loops that the source says how often to unroll.
#include <cstdio>
#include <vector>

enum { FAR = 4096 };  // floats between the lines of two turns
#define TURN sum += x[(size_t)i * FAR + threadIdx.x] * y[(size_t)i * FAR + threadIdx.x]

__global__ void as_it_likes(const float *x, const float *y, float *z, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) TURN;
  z[threadIdx.x] = sum;
}
__global__ void one(const float *x, const float *y, float *z, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) TURN;
  z[threadIdx.x] = sum;
}
__global__ void two(const float *x, const float *y, float *z, int n) {
  float sum = 0;
  int i = 0;
#pragma unroll(2)
  for (; i < n;) {
    TURN;
    ++i;
  }
  z[threadIdx.x] = sum;
}
#define NOT_UNROLLED _Pragma("unroll 1")
__device__ float inner(const float *x, const float *y, int n) {
  float sum = 0;
  int i = -1;
  NOT_UNROLLED while (++i < n) TURN;
  return sum;
}
__global__ void one_in_a_function(const float *x, const float *y, float *z, int n) { z[threadIdx.x] = inner(x, y, n); }
__global__ void one_at_the_end(const float *x, const float *y, float *z, int n) {
  float sum = 0;
  int i = 0;
#pragma unroll 1
  do TURN; while (++i < n);
  z[threadIdx.x] = sum;
}

int main() {
  const int n = 64;
  const std::vector<float> ones((size_t)n * FAR, 1.0f);
  float *x, *y, *z;
  cudaMalloc(&x, ones.size() * sizeof(float));
  cudaMalloc(&y, ones.size() * sizeof(float));
  cudaMalloc(&z, 32 * sizeof(float));
  cudaMemcpy(x, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
  float got[32];
  for (auto kernel : {as_it_likes, one, two, one_in_a_function, one_at_the_end}) {
    kernel<<<1, 32>>>(x, y, z, n);
    cudaMemcpy(got, z, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("%g ", got[0] + got[31]);
  }
  std::puts("");
}
