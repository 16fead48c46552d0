// Kernels whose blocks check mode can survey, right ones and ones with a mistake each. Argument: the case.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ float weights[9];
__global__ void smooth(const float *a, float *b, int n, int reach) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  b[i * n + j] = weights[0] * a[(i - 1) * n + j - reach] + weights[1] * a[(i - 1) * n + j] +
                 weights[2] * a[i * n + j] + a[(i + 1) * n + j + reach] * 0.5f;
}
__global__ void product(const float *a, const float *b, float *c, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[i * n + j] = 0;
    for (int k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
// again: 0, 1, or both barriers
__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float left[8][8], right[8][8];
  const int j = blockIdx.x * 8 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n; t += 8) {
    left[threadIdx.y][threadIdx.x] = a[i * n + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + j];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[i * n + j] = sum;
}
__global__ void tiles_without_second(const float *a, float *c, int n) {
  __shared__ float left[8][8];
  float sum = 0;
  for (int t = 0; t < n; t += 8) {
    left[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 8 + threadIdx.y) * n + t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += left[threadIdx.y][k];
  }
  c[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x] = sum;
}
__global__ void sums(const float *in, float *out, int first) {
  __shared__ float part[128];
  part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int step = first; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
__global__ void sums_without_barrier(const float *in, float *out) {
  __shared__ float part[128];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2)
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__global__ void neighbours(float *a, int n) {  // a race between threads
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) a[i] = a[i + 1] + 1;
}
__global__ void of_blocks(float *a, int stride) {  // with a small stride, blocks overlap
  a[blockIdx.x * stride + threadIdx.x] = 1.5f * (blockIdx.x + 1);
}
__global__ void columns(double *a, int pitch, int rows) {
  double *mine = a + blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rows; ++r, mine += pitch) *mine = 2.0 * *mine + r;
}
__global__ void wrapped(float *a, unsigned n) {  // threadIdx.x - 1 wraps around for thread 0
  const unsigned left = threadIdx.x - 1;
  a[n + threadIdx.x] = left < n ? 1.0f : 0.0f;
}
__global__ void shifted(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x - 1u + 1u]; }
__global__ void halves(float *a, int n) {
  const int i = threadIdx.x;
  int at = i;
  if (i >= 32) at = i + n;
  a[at] = 1;
}
__global__ void some_leave(float *a) {
  __shared__ float s[64];
  if (threadIdx.x >= 48) return;
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[47 - threadIdx.x];
}
__global__ void before_write(float *a, float *b) {  // reads what it writes later
  b[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = 1;
}
typedef float Real;
__global__ void by_data(const Real *a, Real *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 3) b[i] = a[i] > 5 ? 2 : i;
  else if (i < n) b[i] += 1;
}
template <typename T> __global__ void strided(T *a, int n, int step) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) a[i] = 2 * a[i];
}
__global__ void never(const float *a, float *b) {
  if (a[threadIdx.x] > 100) b[threadIdx.x] = 1;
}
// Indices that threads at the edges choose, a flag that is set under a guard and asked behind a barrier. wrong: 1 reaches
// beyond the array, 2 does without the second barrier, 3 stores where the next block does, too.
__global__ void edges(const float *a, float *b, int n, int turns, int wrong) {
  __shared__ float now[32], next[32];
  const int x = threadIdx.x, start = (32 - 2 * turns) * blockIdx.x - turns, i = start + x;
  int first = start < 0 ? -start : 0, last = start + 31 > n - 1 ? 31 - (start + 32 - n) : 31;
  int left = x - 1, right = min(x + 1, last);
  left = left < first ? first : left;
  if (wrong == 1 && x == 31) right = 32;
  const bool valid = x >= first && x <= last;
  if (i >= 0 && i < n) now[x] = a[i];
  __syncthreads();
  bool done = false;
  for (int t = 0; t < turns; ++t) {
    done = false;
    if (x > t && x < 31 - t && valid) done = true, next[x] = 0.25f * (now[left] + 2 * now[x] + now[right]);
    __syncthreads();
    if (t == turns - 1) break;
    if (done) now[x] = next[x];
    if (wrong != 2) __syncthreads();
  }
  if (wrong == 1) now[0] = now[right];
  if (wrong == 3 ? i >= 0 && i < n : done) b[i] = next[x];
}
__device__ int place(int i, int j, int n) { return i * n + j; }
__device__ int least(int a, int b, int c) {
  if (a <= b && a <= c) return a;
  return b < c ? b : c;
}
__device__ void add(float *to, int at, float what) {
  if (at < 4096) to[at] += what;
}
__global__ void called(const float *a, float *b, int n, int by, int wrong) {
  const int j = threadIdx.x, i = blockIdx.x;
  b[place(i, j, n)] = least((int)a[place(i, j, n)], (int)a[place(i, n - 1 - j, n)], 3);
  add(b, place(i, j + wrong, by), a[place(i, j, n)]);
}
// Each thread has a row, and several arrays in one line.
__global__ void rows(float *x, const float *a, float *b, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = first; k < n; k++) {
    x[i * n + k] = x[i * n + k] - x[i * n + (k - 1)] * a[i * n + k] / b[i * n + (k - 1)];
    b[i * n + k] = b[i * n + k] - a[i * n + k] * a[i * n + k] / b[i * n + (k - 1)];
  }
}
// Some rows are left out: so it is in order.
__global__ void guarded(const float *a, float *b, int n, int first, int down) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    if (i == first) b[i * n + j] = a[j];
    else b[i * n + j] = b[(i - down) * n + j] + a[(i - 1) * n + j];
  }
}
// Blocks on a diagonal of a matrix, each with the row and the column before it.
__global__ void diagonal(float *a, int pitch, int wrong) {
  __shared__ float row[9], column[9];
  const int t = threadIdx.x, y = gridDim.x - 1 - blockIdx.x, corner = (8 * y) * pitch + 8 * blockIdx.x;
  row[t] = a[corner + 1 + t];
  column[t] = a[corner + (1 + t) * pitch];
  __syncthreads();
  for (int k = 0; k < 8; ++k) a[corner + (1 + k) * pitch + 1 + t - wrong] = row[t] + column[7 - t];
}
// Nobody knows which threads it is for: what they are given then is not known behind it.
__global__ void assigned(const float *a, float *b, int n) {
  int at = threadIdx.x;
  if (a[threadIdx.x] > 3) at = threadIdx.x + n;
  if (threadIdx.x < 32) at = threadIdx.x + 1;
  b[at] = 1;
}

int main(int argc, char **argv) {
  const int which = std::atoi(argv[1]), n = 64;
  const size_t bytes = sizeof(float) * n * n;
  float *a, *b, *c, *fresh;
  cudaMalloc(&a, bytes), cudaMalloc(&b, bytes), cudaMalloc(&c, bytes), cudaMalloc(&fresh, bytes);
  float host[n * n];
  for (int i = 0; i < n * n; ++i) host[i] = 1 + i % 7;
  cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice), cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
  if (which >= 12) cudaMemcpy(c, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, host, sizeof weights);
  const dim3 square(n / 8, n / 8), eight(8, 8), flat(n / 32, n / 4), wide(32, 4);
  switch (which) {
    case 0: smooth<<<flat, wide>>>(a, fresh, n, 1); break;
    case 1: product<<<flat, wide>>>(a, b, fresh, n); break;
    case 2: tiles<<<square, eight>>>(a, b, fresh, n); break;
    case 3: cudaMemset(c, 0, bytes), sums<<<n * n / 128, 128>>>(a, c, 64); break;
    case 4: columns<<<2, 32>>>(reinterpret_cast<double *>(a), 64, 32), cudaMemcpy(c, a, bytes, cudaMemcpyDeviceToDevice); break;
    case 5: shifted<<<1, 32>>>(a, fresh); break;
    case 6: of_blocks<<<8, 64>>>(fresh, 64); break;
    case 7: halves<<<1, 64>>>(fresh, 64); break;
    case 8: cudaMemset(c, 0, bytes), by_data<<<8, 128>>>(a, c, 1000); break;
    case 9: strided<<<3, 64>>>(a, 1000, 192); break;
    case 10: edges<<<8, 32>>>(a, fresh, 200, 3, 0); break;
    case 11: called<<<16, 64>>>(a, fresh, 64, 64, 0); break;
    case 12: rows<<<2, 32>>>(a, b, c, 64, 1); break;
    case 13: cudaMemset(c, 0, bytes), guarded<<<flat, wide>>>(a, c, n, 0, 0); break;
    case 14: diagonal<<<4, 8>>>(a, n, 0); break;
    case 15: assigned<<<1, 32>>>(a, fresh, 64); break;
    case 16: rows<<<2, 32>>>(a, b, a, 64, 1); break;  // one array twice
    // from here on with a mistake
    case 20: smooth<<<flat, wide>>>(a, fresh, n, 70); break;            // reads in front of the array
    case 21: smooth<<<flat, wide>>>(fresh, c, n, 1); break;             // reads what was never written
    case 22: product<<<dim3(3, 16), wide>>>(a, b, fresh, 66); break;    // out of bounds, by little: what lies far behind is up to the system
    case 23: tiles_without_second<<<square, eight>>>(a, fresh, n); break;
    case 24: sums<<<n * n / 128, 128>>>(a, fresh, 128); break;          // behind the shared array
    case 25: sums_without_barrier<<<4, 128>>>(a, fresh); break;
    case 26: neighbours<<<4, 64>>>(a, 256); break;
    case 27: of_blocks<<<8, 64>>>(fresh, 32); break;
    case 28: of_blocks<<<8, 64>>>(fresh + n * n - 64, 64); break;       // out of bounds from the second block on
    case 29: columns<<<2, 32>>>(reinterpret_cast<double *>(a), 48, 32); break;  // columns overlap
    case 30: some_leave<<<1, 64>>>(a); break;                           // fine; a note
    case 31: before_write<<<1, 64>>>(fresh, c); break;
    case 32: tiles<<<square, eight>>>(a, b, a, n); break;               // writes what other blocks read
    case 33: cudaFree(b), product<<<flat, wide>>>(a, b, fresh, n); break;
    case 35: by_data<<<8, 128>>>(a, fresh, 1000); break;                // adds to what was never written
    case 36: never<<<1, 64>>>(a, fresh), shifted<<<1, 64>>>(fresh, c); break;  // what may write does not count as written
    case 37: strided<<<3, 64>>>(a, 1000, 191); break;
    case 38: edges<<<8, 32>>>(a, fresh, 200, 3, 1); break;
    case 39: edges<<<8, 32>>>(a, fresh, 200, 3, 2); break;
    case 40: edges<<<8, 32>>>(a, fresh, 200, 3, 3); break;
    case 41: edges<<<8, 32>>>(fresh, c, 200, 3, 0); break;              // reads what was never written
    case 42: called<<<16, 64>>>(a, fresh, 64, 64, 1); break;            // adds to the next thread's
    case 43: called<<<16, 64>>>(a, fresh, 64, 63, 0); break;            // adds to the other blocks'
    case 44: called<<<65, 64>>>(a, fresh, 64, 64, 0); break;            // out of bounds
    case 45: rows<<<2, 32>>>(a, b, c, 64, 0); break;                    // the end of the row before
    case 47: rows<<<2, 32>>>(fresh, b, c, 64, 1); break;
    case 48: guarded<<<flat, wide>>>(a, c, n, 1, 0); break;             // reads in front of the array
    case 49: guarded<<<flat, wide>>>(a, b, n, 0, 1); break;             // reads what others write
    case 50: diagonal<<<4, 8>>>(a, n, 1); break;                        // writes what the next block reads
    case 51: assigned<<<1, 64>>>(a, fresh + n * n - 64, 1); break;      // two threads at one place, by data
    case 34: wrapped<<<1, 64>>>(fresh, 32); break;
  }
  cudaDeviceSynchronize();
  cudaMemcpy(host, which == 4 ? c : which == 3 ? c : fresh, bytes, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n * n && which < 20; ++i) sum += (which == 0 || which >= 5 || (which == 3 && i)) && !(host[i] > -100) ? 0 : host[i] * (1 + i % 5);
  std::printf("%s %.9g\n", cudaGetErrorName(cudaGetLastError()), which == 3 ? host[0] : which == 1 || which == 2 || which == 4 ? sum : 0.0);
  return 0;
}
