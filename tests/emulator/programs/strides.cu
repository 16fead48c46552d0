// Loops whose turns a block's threads make together as far as all of them go: what each thread saw, in its order, and where it
// ended, beside the same loops written for the host. 0 if all is the same.
#include <climits>
#include <cstdio>
#include <vector>

typedef unsigned long long Seen;
static int failures;

template <class Kernel, class Host>
static void compare(const char *name, dim3 grid, dim3 block, int n, Kernel kernel, Host host) {
  const int threads = block.x * block.y * block.z, count = grid.x * threads;
  Seen *seen;
  cudaMallocManaged(&seen, count * sizeof(Seen));
  cudaMemset(seen, 0, count * sizeof(Seen));
  kernel<<<grid, block>>>(seen, n);
  const cudaError_t error = cudaDeviceSynchronize();
  int differ = error != cudaSuccess;
  for (int b = 0; b < (int)grid.x; ++b)
    for (int t = 0; t < threads; ++t) differ += seen[b * threads + t] != host(b, t % block.x, t / block.x, grid.x, block, n);
  if (differ) printf("%s: %d of %d differ (%s)\n", name, differ, count, cudaGetErrorString(error));
  failures += differ != 0;
  cudaFree(seen);
}

// `x`, `y`: of the thread; `step`: on which all agree; `at`: where the thread's answer goes.
#define CASE(name, before, loop, after)                                                                       \
  __global__ void kernel_##name(Seen *out, int n) {                                                           \
    const int x = threadIdx.x, y = threadIdx.y, b = blockIdx.x;                                               \
    const int width = blockDim.x, step = blockDim.x * gridDim.x;                                              \
    const int at = (b * blockDim.y + y) * blockDim.x + x;                                                     \
    Seen seen = y + 1;                                                                                        \
    (void)step, (void)width;                                                                                  \
    before loop after out[at] = seen;                                                                         \
  }                                                                                                           \
  static Seen host_##name(int b, int x, int y, int grid, dim3 block, int n) {                                 \
    const int width = block.x, step = block.x * grid;                                                         \
    Seen seen = y + 1;                                                                                        \
    (void)step, (void)width, (void)b, (void)x;                                                                \
    before loop after return seen;                                                                            \
  }
#define SEE(i) seen = seen * 1000003 + (Seen)(i);

CASE(declared, , for (int i = b * width + x; i < n; i += step) SEE(i), )
CASE(outer, int i = b * width + x;, for (; i < n; i += step) SEE(i), SEE(i))
CASE(while_, int i = b * width + x;, while (i < n) { SEE(i) i += step; }, SEE(i))
CASE(words, , for (unsigned i = b * width + x; i < (unsigned)n; i += step) { SEE(i) }, )
CASE(sizes, , for (size_t i = b * width + x; i <= (size_t)n; i += 2 * step) { SEE(i) }, )
CASE(below_zero, , for (int i = x - 40; i < n; i += width) { SEE(i) }, )
CASE(below_zero_unsigned, const unsigned limit = n;, for (int i = x - 40; i < limit; i += 17) { SEE(i) }, )
CASE(apart, , for (int i = 2 * x; i < n; i += step) { SEE(i) }, )
CASE(apart_and_wide, , for (long i = 5 + 3L * x; i <= n; i += 3 * width) { SEE(i) }, )
CASE(apart_below_zero, , for (int i = 4 * x - 200; i < n; i += 4 * width) { SEE(i) }, )
CASE(apart_near_the_end, const int limit = INT_MAX - 100;, for (int i = INT_MAX - 700 + 6 * x; i < limit; i += 50) { SEE(i) }, )
CASE(uneven, , for (int i = x * x; i < n; i += width) { SEE(i) }, )
CASE(the_same, , for (int i = b; i < n; i += step) { SEE(i) }, )
CASE(backwards, , for (int i = width - x; i < n; i += width) { SEE(i) }, )
CASE(to_the_end, int turns = 0;, for (int i = INT_MAX - 3 * width + x - n % 7; turns < 2; i += 1) { SEE(i) ++turns; }, )
CASE(near_the_end, const int limit = INT_MAX - 200;, for (int i = limit - 5 * width + x; i < limit; i += 100) { SEE(i) }, )
CASE(nested, , for (int i = x; i < n; i += width) { for (int k = 0; k < i % 5; ++k) { if (k == 3) continue; SEE(k) } SEE(i) }, )
CASE(twice, , for (int i = x; i < n; i += width) { SEE(i) } for (int i = x + 1; i < n / 2; i += width) { SEE(2 * i) }, )
CASE(in_a_loop, int own = x;, for (int k = 0; k < 3; ++k) { for (int i = x; i < n + k; i += width) { SEE(i) own += k; } }, SEE(own))
CASE(leaving, , for (int i = x; i < n; i += width) { SEE(i) if (i % 50 == 49) break; }, )
CASE(skipping, , for (int i = x; i < n; i += width) { if (i % 3) continue; SEE(i) }, )
CASE(changing, , for (int i = x; i < n; i += width) { SEE(i) if (i % 10 == 1) ++i; }, )
CASE(own_bound, const int limit = n - x;, for (int i = x; i < limit; i += width) { SEE(i) }, )
CASE(own_step, const int by = x % 3 + 1;, for (int i = x; i < n; i += by) { SEE(i) }, )

// Threads that have left; barriers; memory and atomics.
__global__ void leavers(Seen *out, int n) {
  if (threadIdx.x % 3 == 1) return;
  Seen seen = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) SEE(i)
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
__global__ void first_leaves(Seen *out, int n) {
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 5;
  __syncthreads();
  if (threadIdx.x == 0) return;
  Seen seen = ready;
  for (int i = threadIdx.x; i < n; i += blockDim.x) SEE(i)
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
__global__ void summed(const int *from, int *sum, int *last, int n) {
  __shared__ int part[128];
  int own = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
  while (i < n) {
    own += from[i];
    i += step;
  }
  part[threadIdx.x] = own;
  for (int half = blockDim.x / 2; half; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
  last[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
__global__ void counted(const int *from, int *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[from[i] % 7], 1);
}
template <class T> __global__ void scaled(T *to, const T *from, T by, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = by * from[i] + (T)i;
}

static void expect(bool good, const char *what) {
  if (!good) printf("%s\n", what);
  failures += !good;
}

int main() {
#define RUN(name)                                                                        \
  for (int n : {0, 1, 37, 100, 1000}) {                                                  \
    compare(#name, 3, 96, n, kernel_##name, host_##name);                                \
    compare(#name " (rows)", 2, dim3(32, 3), n, kernel_##name, host_##name);             \
    compare(#name " (one)", 1, 1, n, kernel_##name, host_##name);                        \
  }
  RUN(declared) RUN(outer) RUN(while_) RUN(words) RUN(sizes) RUN(below_zero) RUN(below_zero_unsigned) RUN(apart)
  RUN(apart_and_wide) RUN(apart_below_zero) RUN(apart_near_the_end) RUN(uneven)
  RUN(the_same) RUN(backwards) RUN(near_the_end) RUN(nested) RUN(twice) RUN(in_a_loop) RUN(leaving) RUN(skipping)
  RUN(changing) RUN(own_bound) RUN(own_step) RUN(to_the_end)
  const auto left = [](int, int x, int, int, dim3 block, int n) {
    Seen seen = 0;
    for (int i = x; i < n; i += block.x) SEE(i)
    return x % 3 == 1 ? 0 : seen;
  };
  compare("leavers", 2, 100, 1000, leavers, left);
  const auto first = [](int, int x, int, int, dim3 block, int n) {
    Seen seen = 5;
    for (int i = x; i < n; i += block.x) SEE(i)
    return x ? seen : 0;
  };
  compare("first_leaves", 2, 100, 1000, first_leaves, first);

  const int n = 10007;
  int *from, *sum, *last, *bins;
  double *wide;
  cudaMallocManaged(&from, n * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  cudaMallocManaged(&last, 640 * sizeof(int));
  cudaMallocManaged(&bins, 7 * sizeof(int));
  cudaMallocManaged(&wide, 2 * n * sizeof(double));
  cudaMemset(sum, 0, sizeof(int));
  cudaMemset(bins, 0, 7 * sizeof(int));
  int total = 0, counts[7] = {};
  for (int i = 0; i < n; ++i) {
    from[i] = i * 7 % 1001;
    wide[i] = 0.5 * i;
    total += from[i];
    ++counts[from[i] % 7];
  }
  summed<<<5, 128>>>(from, sum, last, n);
  counted<<<4, 64>>>(from, bins, n);
  scaled<<<4, 64>>>(wide + n, wide, 3.0, n);
  cudaDeviceSynchronize();
  expect(*sum == total, "a sum");
  bool good = true;
  for (int i = 0; i < 640; ++i) good = good && last[i] == i + (n - i + 639) / 640 * 640;
  expect(good, "where threads ended");
  good = true;
  for (int i = 0; i < 7; ++i) good = good && bins[i] == counts[i];
  expect(good, "counts");
  good = true;
  for (int i = 0; i < n; ++i) good = good && wide[n + i] == 3.0 * wide[i] + i;
  expect(good, "what was scaled");
  return failures != 0;
}
