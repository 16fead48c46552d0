// a * b + c: rounded once in device code, twice in host code where nvcc's host compiler has no instruction for it.
#include "check.h"
#include <cmath>

#define EXPECT_TRUE(condition) EXPECT((condition), true)

static const int N = 64;

__host__ __device__ inline float both(float a, float b, float c) { return a * b + c; }
__device__ float recursive(float a, float b, float c);
template <class T> __device__ T generic(T a, T b, T c) { return a * b - c; }
struct Line {
  float k;
  __device__ Line(float a, float b) : k(a * b + 1.0f) {}
  __device__ float operator()(float y) const { return k * y + y; }
  static __device__ float square(float a) { return a * a + a; }
};

__global__ void plain(const float *a, const float *b, const float *c, float (*r)[N])
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const auto local = [&](float q) { return q * a[i] + b[i]; };
  r[0][i] = a[i] * b[i] + c[i];
  r[1][i] = recursive(a[i], b[i], c[i]);
  r[2][i] = generic(a[i], b[i], c[i]);
  r[3][i] = both(a[i], b[i], c[i]);
  r[4][i] = Line(a[i], b[i])(c[i]);
  r[5][i] = Line::square(a[i]);
  r[6][i] = local(c[i]);
}
__global__ void with_barrier(const float *a, const float *b, float *r)
{
  __shared__ float t[N];
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  r[threadIdx.x] = t[threadIdx.x] * b[threadIdx.x] + t[N - 1 - threadIdx.x];
}
template <class F> __global__ void apply(F f, float *r) { r[threadIdx.x] = f(threadIdx.x); }
__device__ float recursive(float a, float b, float c) { return c > 1e30f ? recursive(b, a, 0) : a * b + c; }

static void on_host(const float *a, const float *b, const float *c, float *direct, float *called)
{
  for (int i = 0; i < N; ++i) {
    direct[i] = a[i] * b[i] + c[i];
    called[i] = both(b[i], a[i], c[i]);
  }
}

int main()
{
  float *a = device_array<float>(N), *b = device_array<float>(N), *c = device_array<float>(N);
  float(*r)[N] = reinterpret_cast<float(*)[N]>(device_array<float>(9 * N));
  unsigned seed = 1;
  for (int i = 0; i < 3 * N; ++i) {
    seed = seed * 1664525 + 1013904223;
    (i < N ? a : i < 2 * N ? b : c)[i % N] = (seed >> 8) / 16777216.0f;
  }
  plain<<<2, 32>>>(a, b, c, r);
  with_barrier<<<1, N>>>(a, b, r[7]);
  const float m = a[3];
  apply<<<1, N>>>([=] __device__(int i) { return a[i] * m + b[i]; }, r[8]);
  finish();
  int differ = 0, wrong_on_host = 0;
  float direct[N], called[N];
  on_host(a, b, c, direct, called);
  for (int i = 0; i < N; ++i) {
    EXPECT_TRUE(r[0][i] == fmaf(a[i], b[i], c[i]) && r[1][i] == r[0][i] && r[3][i] == r[0][i]);
    EXPECT_TRUE(r[2][i] == fmaf(a[i], b[i], -c[i]));
    EXPECT_TRUE(r[4][i] == fmaf(fmaf(a[i], b[i], 1.0f), c[i], c[i]));
    EXPECT_TRUE(r[5][i] == fmaf(a[i], a[i], a[i]));
    EXPECT_TRUE(r[6][i] == fmaf(c[i], a[i], b[i]));
    EXPECT_TRUE(r[7][i] == fmaf(a[i], b[i], a[N - 1 - i]));
    EXPECT_TRUE(r[8][i] == fmaf(a[i], m, b[i]));
    volatile float product = a[i] * b[i];
    volatile float sum = product + c[i];
    differ += r[0][i] != sum;
    wrong_on_host += direct[i] != sum || called[i] != sum;
  }
  EXPECT_TRUE(differ > 0);
#ifdef __x86_64__
  EXPECT(wrong_on_host, 0);
#endif
  return verdict();
}
