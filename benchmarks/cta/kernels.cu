// Kernels whose blocks share data in different ways, each checked against the host and timed.
//   kernels [name [size...]]...   prints: name size grid checksum milliseconds (best of several)
// Checksums are over the bits of the results: the same sums in the same order give the same number.
// REPEATS=N: launches that count. POOL_MIB=N: all buffers come out of one allocation that is made before any launch, so
// that where they lie does not depend on what has run. ADDRESSES=1: says where.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                             \
  do {                                                                                          \
    cudaError_t e = (call);                                                                     \
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } \
  } while (0)

// Matrix products, one thread per element of C.
template <class T> __global__ void gemm(int n, const T *A, const T *B, T *C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  T s = 0;
  for (int k = 0; k < n; k++) s += A[(size_t)i * n + k] * B[(size_t)k * n + j];
  C[(size_t)i * n + j] = s;
}
__global__ void gemm_tn(int n, const float *A, const float *B, float *C) {  // A transposed
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[(size_t)k * n + i] * B[(size_t)k * n + j];
  C[(size_t)i * n + j] = s;
}
__global__ void syrk(int n, const float *A, float *C) {  // A transposed times A
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[(size_t)k * n + i] * A[(size_t)k * n + j];
  C[(size_t)i * n + j] = s;
}
__global__ void gemm_shared(int n, const float *A, const float *B, float *C) {  // 16 x 16 tiles; n divisible by 16
  __shared__ float a[16][16], b[16][16];
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    a[threadIdx.y][threadIdx.x] = A[(size_t)i * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(size_t)(k + threadIdx.y) * n + j];
    __syncthreads();
    for (int l = 0; l < 16; l++) s += a[threadIdx.y][l] * b[l][threadIdx.x];
    __syncthreads();
  }
  C[(size_t)i * n + j] = s;
}
// Squared distances of n points to m others of d coordinates; the others by coordinate.
__global__ void distances(int n, int m, int d, const float *P, const float *Q, float *D) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= m) return;
  float s = 0;
  for (int k = 0; k < d; k++) {
    float t = P[(size_t)i * d + k] - Q[(size_t)k * m + j];
    s += t * t;
  }
  D[(size_t)i * m + j] = s;
}
// Every output channel from all input channels, pixel by pixel.
__global__ void mix_channels(int pixels, int in, int out, const float *W, const float *X, float *Y) {
  int c = blockIdx.y * blockDim.y + threadIdx.y, p = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= out || p >= pixels) return;
  float s = 0;
  for (int k = 0; k < in; k++) s += W[c * in + k] * X[(size_t)k * pixels + p];
  Y[(size_t)c * pixels + p] = s;
}
// A layer of 3 x 3 convolutions; one output channel per z.
__global__ void conv_layer(int n, int in, const float *X, const float *W, float *Y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float s = 0;
  for (int k = 0; k < in; k++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) s += X[((size_t)k * n + y + a - 1) * n + x + b - 1] * W[(c * in + k) * 9 + a * 3 + b];
  Y[((size_t)c * n + y) * n + x] = s;
}
// Many matrices times one: A by batch, B shared.
__global__ void gemm_batched(int n, int k_count, const float *A, const float *B, float *C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.z;
  if (i >= n || j >= n) return;
  float s = 0;
  for (int k = 0; k < k_count; k++) s += A[((size_t)z * n + i) * k_count + k] * B[(size_t)k * n + j];
  C[((size_t)z * n + i) * n + j] = s;
}
// Images: neighbourhoods.
__global__ void conv2d(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
  float s = 0;
  for (int a = -2; a <= 2; a++)
    for (int b = -2; b <= 2; b++) s += in[(size_t)(y + a) * n + x + b] * (a * 5 + b + 13);
  out[(size_t)y * n + x] = s;
}
__global__ void demosaic(int n, const float *in, float *out) {  // green at every pixel of a Bayer pattern
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  size_t at = (size_t)y * n + x;
  float mean = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) * 0.25f;
  out[at] = (x + y) & 1 ? in[at] : mean;
}
__global__ void imregionmax(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float most = in[(size_t)y * n + x];
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) most = fmaxf(most, in[(size_t)(y + a) * n + x + b]);
  out[(size_t)y * n + x] = most == in[(size_t)y * n + x];
}
__global__ void transpose(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[(size_t)y * n + x] = in[(size_t)x * n + y];
}
__global__ void laplace(int n, const float *in, float *out) {  // 7 points in 3 dimensions
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  size_t at = ((size_t)z * n + y) * n + x, row = n, plane = (size_t)n * n;
  out[at] = in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] + in[at + plane] - 6 * in[at];
}
__global__ void add_neighbours(const float *in, float *out) {  // blocks read their own elements and the next block's
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[i + blockDim.x];
}
__global__ void stream(const float *a, const float *b, float *out) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}

// Element `at` of the input with this seed.
static __host__ __device__ inline float number(unsigned seed, size_t at) {
  unsigned h = (unsigned)at * 2654435761u + seed * 40503u + (unsigned)(at >> 32);
  h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
  return (float)(h >> 20) / 4096 - 0.5f;
}
template <class T> __global__ void fill(T *p, size_t count, unsigned seed) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) p[i] = (T)number(seed, i);
}
template <class T> __global__ void add_bits(const T *p, size_t count, unsigned long long *sum) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long h = 0;
  if (i >= count) return;
  memcpy(&h, p + i, sizeof(T));
  atomicAdd(sum, h * (2 * i + 1));
}
// Memory of the pool, given back in reverse order; without a pool the driver's.
static char *pool;
static size_t pool_at, pool_end;
static char *take(size_t bytes) {
  char *p;
  if (!pool) CHECK(cudaMalloc(&p, bytes));
  else {
    p = pool + pool_at;
    pool_at += (bytes + 2097151) / 2097152 * 2097152;
    if (pool_at > pool_end) { fprintf(stderr, "POOL_MIB is too small\n"); exit(1); }
  }
  if (getenv("ADDRESSES")) fprintf(stderr, "buffer %p %zu\n", (void *)p, bytes);
  return p;
}
static void give_back(void *p) {
  if (pool) pool_at = (size_t)((char *)p - pool);
  else cudaFree(p);
}
template <class T> struct Buffer {
  T *p;
  size_t count;
  unsigned seed;
  explicit Buffer(size_t n, unsigned s = 0) : count(n), seed(s) {
    p = (T *)take(n * sizeof(T));
    CHECK(cudaMemset(p, 0, n * sizeof(T)));
    if (s) fill<T><<<(unsigned)((n + 255) / 256), 256>>>(p, n, s);
    CHECK(cudaDeviceSynchronize());
  }
  double operator[](size_t at) const { return (T)number(seed, at); }  // of an input
  T get(size_t at) const {
    T value;
    CHECK(cudaMemcpy(&value, p + at, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }
  unsigned long long bits() const {
    unsigned long long *sum, found;
    CHECK(cudaMalloc(&sum, 8)); CHECK(cudaMemset(sum, 0, 8));
    add_bits<T><<<(unsigned)((count + 255) / 256), 256>>>(p, count, sum);
    CHECK(cudaMemcpy(&found, sum, 8, cudaMemcpyDeviceToHost));
    cudaFree(sum);
    return found;
  }
  ~Buffer() { give_back(p); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
};

static int repeats = 5;
template <class T>
static bool report(const char *name, int size, dim3 grid, const std::function<void()> &run, Buffer<T> &out,
                   const std::function<double(size_t)> &wanted) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from)); CHECK(cudaEventCreate(&to));
  float best = 1e30f;
  for (int r = 0; r <= repeats; r++) {
    CHECK(cudaEventRecord(from));
    run();
    CHECK(cudaEventRecord(to));
    CHECK(cudaDeviceSynchronize());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    if (r && ms < best) best = ms;
  }
  bool good = true;
  for (int sample = 0; sample < 64; sample++) {
    size_t at = ((size_t)sample * 2654435761u + 12345) % out.count;
    double value = wanted(at), got = (double)out.get(at);
    if (fabs(got - value) > 1e-3 * (1 + fabs(value))) {
      fprintf(stderr, "%s: element %zu is %g, not %g\n", name, at, got, value);
      good = false;
    }
  }
  printf("%s %d %ux%ux%u %016llx %.4f\n", name, size, grid.x, grid.y, grid.z, out.bits(), best);
  fflush(stdout);
  return good;
}
static dim3 over(int x, int y, dim3 block, int z = 1) { return dim3((x + block.x - 1) / block.x, (y + block.y - 1) / block.y, z); }

template <class T> static bool run_gemm(const char *name, int n) {
  Buffer<T> A((size_t)n * n, 1), B((size_t)n * n, 2), C((size_t)n * n);
  dim3 block(16, 16), grid = over(n, n, block);
  return report<T>(name, n, grid, [&] { gemm<T><<<grid, block>>>(n, A.p, B.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < n; k++) s += (double)A[at / n * n + k] * B[(size_t)k * n + at % n];
    return s;
  });
}
static bool run_block_gemm(const char *name, int n, dim3 block) {
  Buffer<float> A((size_t)n * n, 1), B((size_t)n * n, 2), C((size_t)n * n);
  dim3 grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { gemm<float><<<grid, block>>>(n, A.p, B.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < n; k++) s += (double)A[at / n * n + k] * B[(size_t)k * n + at % n];
    return s;
  });
}
static bool run_wide_gemm(const char *name, int n) { return run_block_gemm(name, n, dim3(32, 8)); }
static bool run_flat_gemm(const char *name, int n) { return run_block_gemm(name, n, dim3(256, 1)); }
static bool run_thin_gemm(const char *name, int n) { return run_block_gemm(name, n, dim3(64, 1)); }
static bool run_tn(const char *name, int n) {
  Buffer<float> A((size_t)n * n, 1), B((size_t)n * n, 2), C((size_t)n * n);
  dim3 block(32, 8), grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { gemm_tn<<<grid, block>>>(n, A.p, B.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < n; k++) s += (double)A[(size_t)k * n + at / n] * B[(size_t)k * n + at % n];
    return s;
  });
}
static bool run_syrk(const char *name, int n) {
  Buffer<float> A((size_t)n * n, 1), C((size_t)n * n);
  dim3 block(32, 8), grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { syrk<<<grid, block>>>(n, A.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < n; k++) s += (double)A[(size_t)k * n + at / n] * A[(size_t)k * n + at % n];
    return s;
  });
}
static bool run_shared(const char *name, int n) {
  Buffer<float> A((size_t)n * n, 1), B((size_t)n * n, 2), C((size_t)n * n);
  dim3 block(16, 16), grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { gemm_shared<<<grid, block>>>(n, A.p, B.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < n; k++) s += (double)A[at / n * n + k] * B[(size_t)k * n + at % n];
    return s;
  });
}
static bool run_distances(const char *name, int n) {
  const int d = n / 16;
  Buffer<float> P((size_t)n * d, 1), Q((size_t)n * d, 2), D((size_t)n * n);
  dim3 block(32, 8), grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { distances<<<grid, block>>>(n, n, d, P.p, Q.p, D.p); }, D, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < d; k++) {
      double t = (double)P[at / n * d + k] - Q[(size_t)k * n + at % n];
      s += t * t;
    }
    return s;
  });
}
static bool run_mix(const char *name, int n) {
  const int pixels = n * n, in = 512, out = 256;
  Buffer<float> W((size_t)in * out, 1), X((size_t)in * pixels, 2), Y((size_t)out * pixels);
  dim3 block(32, 8), grid = over(pixels, out, block);
  return report<float>(name, n, grid, [&] { mix_channels<<<grid, block>>>(pixels, in, out, W.p, X.p, Y.p); }, Y, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < in; k++) s += (double)W[at / pixels * in + k] * X[(size_t)k * pixels + at % pixels];
    return s;
  });
}
static bool run_layer(const char *name, int n) {
  const int in = 256, out = 64;
  Buffer<float> X((size_t)in * n * n, 1), W((size_t)in * out * 9, 2), Y((size_t)out * n * n);
  dim3 block(32, 8), grid = over(n, n, block, out);
  return report<float>(name, n, grid, [&] { conv_layer<<<grid, block>>>(n, in, X.p, W.p, Y.p); }, Y, [&](size_t at) {
    const int c = at / ((size_t)n * n), y = at / n % n, x = at % n;
    double s = 0;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return s;
    for (int k = 0; k < in; k++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          s += (double)X[((size_t)k * n + y + a - 1) * n + x + b - 1] * W[(c * in + k) * 9 + a * 3 + b];
    return s;
  });
}
static bool run_batched(const char *name, int n) {
  const int depth = n, batches = 8;
  Buffer<float> A((size_t)n * depth * batches, 1), B((size_t)n * depth, 2), C((size_t)n * n * batches);
  dim3 block(32, 8), grid = over(n, n, block, batches);
  return report<float>(name, n, grid, [&] { gemm_batched<<<grid, block>>>(n, depth, A.p, B.p, C.p); }, C, [&](size_t at) {
    double s = 0;
    for (int k = 0; k < depth; k++) s += (double)A[at / n * depth + k] * B[(size_t)k * n + at % n];
    return s;
  });
}
template <class Kernel, class Want> static bool run_image(const char *name, int n, Kernel kernel, Want want) {
  Buffer<float> in((size_t)n * n, 1), out((size_t)n * n);
  dim3 block(32, 8), grid = over(n, n, block);
  return report<float>(name, n, grid, [&] { kernel(grid, block, in.p, out.p); }, out, [&](size_t at) {
    const int y = at / n, x = at % n;
    return want(in, x, y);
  });
}
static bool run_conv2d(const char *name, int n) {
  return run_image(name, n, [=](dim3 g, dim3 b, float *in, float *out) { conv2d<<<g, b>>>(n, in, out); },
                   [=](const Buffer<float> &in, int x, int y) {
    double s = 0;
    if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return s;
    for (int a = -2; a <= 2; a++)
      for (int b = -2; b <= 2; b++) s += (double)in[(size_t)(y + a) * n + x + b] * (a * 5 + b + 13);
    return s;
  });
}
static bool run_demosaic(const char *name, int n) {
  return run_image(name, n, [=](dim3 g, dim3 b, float *in, float *out) { demosaic<<<g, b>>>(n, in, out); },
                   [=](const Buffer<float> &in, int x, int y) {
    const size_t at = (size_t)y * n + x;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return 0.0;
    return (x + y) & 1 ? (double)in[at] : ((double)in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) / 4;
  });
}
static bool run_imregionmax(const char *name, int n) {
  return run_image(name, n, [=](dim3 g, dim3 b, float *in, float *out) { imregionmax<<<g, b>>>(n, in, out); },
                   [=](const Buffer<float> &in, int x, int y) {
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return 0.0;
    for (int a = -1; a <= 1; a++)
      for (int b = -1; b <= 1; b++)
        if (in[(size_t)(y + a) * n + x + b] > in[(size_t)y * n + x]) return 0.0;
    return 1.0;
  });
}
static bool run_transpose(const char *name, int n) {
  return run_image(name, n, [=](dim3 g, dim3 b, float *in, float *out) { transpose<<<g, b>>>(n, in, out); },
                   [=](const Buffer<float> &in, int x, int y) { return (double)in[(size_t)x * n + y]; });
}
static bool run_laplace(const char *name, int n) {
  const size_t row = n, plane = (size_t)n * n;
  Buffer<float> in(plane * n, 1), out(plane * n);
  dim3 block(32, 8), grid = over(n, n, block, n);
  return report<float>(name, n, grid, [&] { laplace<<<grid, block>>>(n, in.p, out.p); }, out, [&](size_t at) {
    const int z = at / plane, y = at / row % n, x = at % n;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return 0.0;
    return in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] + in[at + plane] - 6.0 * in[at];
  });
}
static bool run_neighbours(const char *name, int n) {
  const size_t count = (size_t)n * n;
  Buffer<float> in(count + 256, 1), out(count);
  dim3 block(256), grid(count / 256);
  return report<float>(name, n, grid, [&] { add_neighbours<<<grid, block>>>(in.p, out.p); }, out,
                       [&](size_t at) { return (double)in[at] + in[at + 256]; });
}
static bool run_stream(const char *name, int n) {
  const size_t count = (size_t)n * n;
  Buffer<float> a(count, 1), b(count, 2), out(count);
  dim3 block(256), grid(count / 256);
  return report<float>(name, n, grid, [&] { stream<<<grid, block>>>(a.p, b.p, out.p); }, out,
                       [&](size_t at) { return (double)a[at] + b[at]; });
}

struct Entry { const char *name; bool (*run)(const char *, int); std::vector<int> sizes; };
int main(int argc, char **argv) {
  const Entry entries[] = {
    { "sgemm", run_gemm<float>, { 2048, 4096, 8192 } },
    { "dgemm", run_gemm<double>, { 2048, 4096 } },
    { "sgemm_wide", run_wide_gemm, { 4096, 8192 } },
    { "sgemm_flat", run_flat_gemm, { 2048, 4096, 8192 } },
    { "sgemm_thin", run_thin_gemm, { 4096 } },
    { "gemm_tn", run_tn, { 4096, 8192 } },
    { "syrk", run_syrk, { 4096, 8192 } },
    { "gemm_shared", run_shared, { 4096, 8192 } },
    { "distances", run_distances, { 8192, 16384 } },
    { "mix_channels", run_mix, { 128, 256 } },
    { "conv_layer", run_layer, { 128, 512 } },
    { "gemm_batched", run_batched, { 1024, 4096 } },
    { "conv2d", run_conv2d, { 4096, 16384 } },
    { "demosaic", run_demosaic, { 8192 } },
    { "imregionmax", run_imregionmax, { 4096, 16384 } },
    { "transpose", run_transpose, { 4096, 16384 } },
    { "laplace", run_laplace, { 256, 768 } },
    { "add_neighbours", run_neighbours, { 8192 } },
    { "stream", run_stream, { 8192 } },
  };
  if (const char *text = getenv("REPEATS")) repeats = atoi(text);
  if (const char *text = getenv("POOL_MIB")) {
    pool_end = (size_t)atoi(text) << 20;
    CHECK(cudaMalloc(&pool, pool_end));
  }
  bool good = true, any = false;
  for (int at = 1; at < (argc > 1 ? argc : 2); ++at) {
    const std::string name = argc > 1 ? argv[at] : "all";
    std::vector<int> sizes;
    for (; at + 1 < argc && atoi(argv[at + 1]); ++at) sizes.push_back(atoi(argv[at + 1]));
    for (const Entry &one : entries) {
      if (name != one.name && name != "all") continue;
      any = true;
      for (int size : sizes.empty() ? one.sizes : sizes) good = one.run(one.name, size) && good;
    }
  }
  if (!any) fprintf(stderr, "no kernel of that name\n");
  return good && any ? 0 : 1;
}
