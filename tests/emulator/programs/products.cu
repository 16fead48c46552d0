// Sums of products in loops: rounded once wherever they are, and every kind of number and of thing can be multiplied.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float dot(const float *a, const float *b, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k) s += a[k] * b[k];
  return s;
}
#define ROW const float *row = a + (blockIdx.x * blockDim.x + threadIdx.x) * n; float s = 0
#define STORE c[blockIdx.x * blockDim.x + threadIdx.x] = s
#define ARGUMENTS const float *a, const float *b, float *c, int n
__global__ void plain(ARGUMENTS) { ROW; for (int k = 0; k < n; ++k) s += row[k] * b[k]; STORE; }
__global__ void called(ARGUMENTS) { ROW; s = dot(row, b, n); STORE; }
__global__ void barrier(ARGUMENTS) {
  __shared__ float x[128];
  x[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  ROW;
  for (int k = 0; k < n; ++k) s = s + row[k] * x[k];
  STORE;
}
__global__ void parted(ARGUMENTS) {
  ROW;
  if (threadIdx.x % 2) for (int k = 0; k < n; ++k) s += b[k] * row[k];
  else for (int k = 0; k < n; ++k) s = row[k] * b[k] + s;
  s += __shfl_sync(~0u, 0.f, 0);
  STORE;
}
__global__ void backwards(ARGUMENTS) { ROW; for (int k = 0; k < 128; ++k) s -= row[k] * b[k]; s = -s; atomicExch(c + threadIdx.x, s); }
__global__ void together(ARGUMENTS) { ROW; double d = 0; int k = 0; do { d += row[k] * 1. * b[k]; s += 1 * row[k] * b[k]; } while (++k < n); if (d != -1) STORE; }

enum Color { RED = 2 };
struct Pair { float x, y; };
__host__ __device__ inline Pair operator*(float s, Pair v) { return {s * v.x, s * v.y}; }
__host__ __device__ inline Pair operator*(Pair v, float s) { return {s * v.x, s * v.y}; }
__host__ __device__ inline Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline Pair &operator+=(Pair &a, Pair b) { return a = a + b; }
struct Sum { double d; __device__ Sum &operator+=(float f) { d += f; return *this; } };
struct Bits { int few : 5; unsigned more : 7; float f; };
template <class T> __device__ T any_dot(const T *a, const T *b, int n) { T s = T(0); for (int i = 0; i < n; ++i) s += a[i] * b[i]; return s; }
__global__ void kinds(double *out, const int *n, float *f, Bits *b, volatile float *loud) {
  Sum sum = {0}; double d = 0; float s = 0; int i = 0; long long far = 0; __half h = __float2half(0.f); Pair v = {0, 0}; const Pair w = {1, 2}; Color c = RED; const float *p = f; unsigned char byte = 200; bool odd = true;
  for (int q = 0; q < 4; ++q) {
    d += f[q] * f[q]; d += f[q] * 2.; s += 2. * f[q]; s += n[q] * 2; i += n[q] * q; i += f[q] * 3; far += n[q] * (long long)q; h += h * h; v += f[q] * w; v = v + w * 2.f; sum += f[q] * 2; p += n[q] * 0; p = p + q * 0;
    b->few += n[q] * 2; b->more = b->more + n[q] * 2; b->f += b->few * f[q]; loud[0] += f[q] * 2; loud[0] = loud[0] + f[q] * loud[0]; s += c * f[q]; i += c * 2; s += odd * f[q]; byte += byte * 2;
    s += *f * *p; s -= -f[q] * (float)q; s += (f[q]) * f[q]; s += (f[q] + 1) * f[q] * 2; s += f[q] / 3 * 2; s = 2 * f[q] - s; auto t = s + f[q] * 2; static_assert(sizeof t == 4, "a number"); s += t; s += any_dot(f, f, 3) * any_dot<float>(f, p, 2);
    s += q ? f[q] * 2 : 3; s += f[q] * 2, ++i; int r = n[q] + 3 * q, g = 2; i = i + r * g; [&](float y) { for (int e = 0; e < 2; ++e) s += y * f[e]; }(2.f); s += f[q] * (q > 1 ? 1 : 2); s = s + sizeof(float) * f[q]; float *to = &s; *to += f[q] * f[q]; (*to) = *to + f[q] * *to;
  }
  out[0] = d + s + i + far + __half2float(h) + v.x + v.y + sum.d + b->f + b->few + b->more + loud[0] + byte;
}

int main() {
  const int n = 128;
  float *a, *b, *c; int *numbers; double *out; Bits *bits;
  cudaMallocManaged(&a, n * n * sizeof *a); cudaMallocManaged(&b, n * sizeof *b); cudaMallocManaged(&c, n * sizeof *c);
  cudaMallocManaged(&numbers, 4 * sizeof *numbers); cudaMallocManaged(&out, sizeof *out); cudaMallocManaged(&bits, sizeof *bits);
  for (int i = 0; i < n * n; ++i) a[i] = (i * 7919 % 10007) / 10007.f;
  for (int i = 0; i < n; ++i) b[i] = (i * 31 % 101) / 101.f - .3f;
  typedef void (*Kernel)(const float *, const float *, float *, int);
  const Kernel kernels[] = {plain, called, barrier, parted, backwards, together};
  int wrong = 0;
  for (int q = 0; q < 6; ++q) {
    kernels[q]<<<1, n>>>(a, b, c, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
      float s = 0;
      for (int k = 0; k < n; ++k) s = std::fma(a[i * n + k], b[k], s);
      if (c[i] != s) ++wrong, std::printf("kernel %d, thread %d: %.9g, not %.9g\n", q, i, c[i], s);
    }
  }
  for (int q = 0; q < 4; ++q) numbers[q] = 3 * q;
  *bits = Bits{1, 2, .5f};
  c[0] = 1;
  kinds<<<1, 1>>>(out, numbers, b, bits, c);
  std::printf("%d %.17g %s\n", wrong, (cudaDeviceSynchronize(), out[0]), cudaGetErrorString(cudaGetLastError()));
  return wrong;
}
