// Split kernels whose loops over threads may become vectors, beside the same kernels on fibers: equal bits.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// Each kernel twice: one whose barriers stand in a function is not split.
static __device__ void meet() { __syncthreads(); }
#define BOTH(name, ...)                                                                                          \
  template <class T, int S> __global__ void name(const T *a, const T *b, T *c, int n) { SPLIT(__VA_ARGS__) }       \
  template <class T, int S> __global__ void name##_fibers(const T *a, const T *b, T *c, int n) { FIBERS(__VA_ARGS__) }
#define SPLIT(...) __syncthreads(); __VA_ARGS__
#define FIBERS(...) meet(); __VA_ARGS__

template <class T, int S> __global__ void product(const T *a, const T *b, T *c, int n) {
  __shared__ T as[S][S], bs[S][S];
  const int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * S + tx, row = blockIdx.y * S + ty;
  T sum = 0;
  for (int t = 0; t < n / S; ++t) {
    as[ty][tx] = a[row * n + t * S + tx];
    bs[ty][tx] = b[(t * S + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < S; ++k) sum += as[ty][k] * bs[k][tx];  // vectors
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template <class T, int S> __global__ void product_fibers(const T *a, const T *b, T *c, int n) {
  __shared__ T as[S][S], bs[S][S];
  const int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * S + tx, row = blockIdx.y * S + ty;
  T sum = 0;
  for (int t = 0; t < n / S; ++t) {
    as[ty][tx] = a[row * n + t * S + tx];
    bs[ty][tx] = b[(t * S + ty) * n + column];
    meet();
    for (int k = 0; k < S; ++k) sum += as[ty][k] * bs[k][tx];
    meet();
  }
  c[row * n + column] = sum;
}

// In one loop over threads: sums of two loops, a store that the next statement reads, an element of another row.
BOTH(mixed, const int tx = threadIdx.x, ty = threadIdx.y, at = (blockIdx.y * S + ty) * n + blockIdx.x * S + tx;
     T one = a[at], other = 1;
     for (int k = 0; k < n; ++k) { one += a[k * n + tx] * b[ty * n + k]; other -= b[k] * a[k]; }
     c[at] = one; c[at] += other * b[at];
     for (int k = 0; k < S; ++k) c[at] += a[k * S + ty];)
// Arrays of the thread's own, of which an element is chosen when it runs.
BOTH(own_array, const int t = threadIdx.y * S + threadIdx.x, at = (blockIdx.y * gridDim.x + blockIdx.x) * S * S + t;
     T own[4] = {1, 2, 3, 4};
     for (int k = 0; k < S; ++k) own[(k + t) % 4] += a[(at + k) % n] * b[k];
     c[at] = own[0] + 2 * own[t % 4];)

template <class T> static T *filled(int n, int by) {
  T *at;
  cudaMallocManaged(&at, n * sizeof(T));
  for (int i = 0; i < n; ++i) at[i] = (T)(i * by % 37 - 11) / 3;
  return at;
}

template <class T, class Kernel> static int differing(const char *name, Kernel split, Kernel fibers, int n, int s) {
  T *a = filled<T>(n * n, 7), *b = filled<T>(n * n, 5), *c = filled<T>(n * n, 3), *d = filled<T>(n * n, 3);
  split<<<dim3(n / s, n / s), dim3(s, s)>>>(a, b, c, n);
  fibers<<<dim3(n / s, n / s), dim3(s, s)>>>(a, b, d, n);
  const bool well = cudaDeviceSynchronize() == cudaSuccess && memcmp(c, d, n * n * sizeof(T)) == 0;
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += (double)c[i];
  std::printf("%s %d %d %s %.9g\n", name, n, s, well ? "equal" : "DIFFERENT", sum);
  return !well;
}

#define ALL(name, T, s, n) wrong += differing<T>(#name, name<T, s>, name##_fibers<T, s>, n, s)
int main() {
  int wrong = 0;
  ALL(product, float, 16, 64), ALL(product, float, 32, 64), ALL(product, float, 5, 20), ALL(product, float, 8, 64);
  ALL(product, double, 16, 48), ALL(product, int, 16, 48), ALL(product, unsigned char, 16, 32);
  ALL(mixed, float, 16, 48), ALL(mixed, float, 11, 33), ALL(mixed, double, 8, 24), ALL(mixed, short, 16, 32);
  ALL(own_array, float, 16, 48), ALL(own_array, float, 7, 21), ALL(own_array, int, 16, 48);
  return wrong;
}
