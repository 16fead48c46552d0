// Kernels whose loops threads go through together, eight abreast, beside the same for one thread after the other.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Each kernel twice: the atomic operation keeps the second one's threads apart.
#define BOTH(name, ...)                                                                       \
  __global__ void name(const int *a, const int *b, int *c, int n, int m) { __VA_ARGS__ }      \
  __global__ void name##_alone(const int *a, const int *b, int *c, int n, int m) {            \
    if (n < 0) atomicAdd(c, 1);                                                               \
    __VA_ARGS__                                                                               \
  }

BOTH(in_memory, const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
     if (i < n && j < n) {
       c[i * n + j] *= 2;
       for (int k = 0; k < n; ++k) c[i * n + j] += 3 * a[i * n + k] * b[k * n + j];
     })
BOTH(in_register, const int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= n) return; if (blockIdx.y >= m) return;
     int sum = j, last = 0; int k;
     for (k = 0; k < m; k++) { const int one = a[k * n + j]; sum += one * b[k]; last = one; }
     c[j] = sum * 5 + last + k;)
BOTH(two_loops, int j = threadIdx.x + blockIdx.x * blockDim.x; if (j < n) {
       int far[3] = {1, 2, 3}; float real = 0;
       for (int k = 0; k < m; k += 2) {
         int part = j;
         for (int l = k; l < m; ++l) { part += a[l + j] * (k + 1); far[l % 3] += part; }
         c[n + j] += part;
         real += part % 7;
       }
       c[j] = far[0] - far[1] + 2 * far[2] + (int)real;
     })
BOTH(walking, const int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= n) return;
     const int *at = a + j; int *const to = c + j;
     for (int k = 0; k < m; ++k) { *to += *at * (k & 3); at += n; }
     m -= 3;
     for (int k = m; k > 0; --k) { to[0] -= b[k]; n += k; }
     c[2 * 64 + j] = n;)
BOTH(rows, __shared__ int unused[4]; const int i = blockIdx.y * blockDim.y + threadIdx.y, j = threadIdx.x;
     if (i >= n || j >= n) return;
     unsigned bits = 1; long long wide = 0; bool odd = false;
     for (int k = 0; k < n; ++k) { bits *= 3u; wide += (long long)bits * a[i * n + k]; odd = wide & 1; }
     c[i * n + j] = (int)(wide ^ bits) + odd + (int)sizeof unused;)

BOTH(by_addresses, const int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= n) return;
     int k = 0, two[2] = {1, 2}; int *at = &k, **through = &at, *element = two; size_t number = (size_t)&k;
     int odd = 3, even = 4, *chosen = &(j & 1 ? odd : even), *both[2] = {&odd, &even};
     for (int l = 0; l < m; ++l) {
       c[j] += a[k * n + j] * two[1];
       ++**through;
       if (*(int *)number > 6) k = 0;
       element[1] += 3;
       *chosen += 1;
       c[j] += *both[l & 1];
     })
BOTH(in_choices, const int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= n) return;
     for (int l = 0; l < m; ++l) {
       const int v = a[l * n + j];
       v > 3 ? c[j] += v : c[j] -= 2;
     })

typedef void (*Kernel)(const int *, const int *, int *, int, int);
static int run(const char *name, Kernel kernel, Kernel alone, dim3 grid, dim3 block, int n, int m) {
  const int most = 4096;
  int *a, *results[2];
  cudaMallocManaged(&a, (most + 9) * sizeof *a);
  for (int i = 0; i < most + 9; ++i) a[i] = i % 23 - 7;
  for (int form = 0; form < 2; ++form) {
    cudaMallocManaged(&results[form], most * sizeof *a);
    for (int i = 0; i < most; ++i) results[form][i] = i % 5;
    (form ? alone : kernel)<<<grid, block>>>(a, a + 9, results[form], n, m);
    cudaDeviceSynchronize();
  }
  int wrong = 0;
  long long sum = 0;
  for (int i = 0; i < most; ++i) wrong += results[0][i] != results[1][i], sum += (long long)results[0][i] * (i % 11);
  std::printf("%s %d %lld\n", name, wrong, sum);
  return wrong;
}

int main() {
  int wrong = 0;
#define RUN(name, ...) wrong += run(#name, name, name##_alone, __VA_ARGS__)
  RUN(in_memory, dim3(3, 9), dim3(21, 7), 59, 0);
  RUN(in_memory, dim3(2, 8), dim3(32, 8), 64, 0);
  RUN(in_register, dim3(4, 1), 20, 61, 33);
  RUN(in_register, dim3(1, 2), 7, 7, 1);
  RUN(two_loops, 3, 24, 64, 17);
  RUN(walking, 2, dim3(32, 1), 60, 21);
  RUN(by_addresses, 2, 16, 30, 11);
  RUN(in_choices, 2, 16, 30, 11);
  RUN(rows, dim3(1, 4), dim3(19, 5), 19, 0);
  return wrong != 0;
}
