// Reductions and scans of blocks as programs write them: in functions and templates, with shuffles and shared memory.
#include "show.h"

#define FULL_MASK 0xffffffff
#define WARP 32

struct Sum { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Largest { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };

__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
  return val;
}
__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}
__global__ void sums(const float *in, float *out, int n, float scale) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i] * scale;
  sum = blockReduceSum(sum);
  __syncthreads();
  float square = blockReduceSum(sum * sum + in[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum, out[gridDim.x + blockIdx.x] = square;
}

// Everybody gets the result.
template <typename T, typename Op> __device__ __forceinline__ T warpAllReduce(T value, Op op) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) value = op(value, __shfl_xor_sync(FULL_MASK, value, mask));
  return value;
}
template <int NUM, typename T, typename Op> __device__ T blockAllReduce(T value, T start, Op op) {
  __shared__ T s[NUM];
  __shared__ T result;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  T of_warp = warpAllReduce(value, op);
  if (lane == 0) s[warp] = of_warp;
  __syncthreads();
  if (warp == 0) {
    T mine = lane < NUM ? s[lane] : start;
    mine = warpAllReduce(mine, op);
    if (lane == 0) result = mine;
  }
  __syncthreads();
  return result;
}
template <int THREADS> __global__ void softmax(const float *in, float *out, int columns) {
  const float *row = in + blockIdx.x * columns;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += THREADS) most = row[i] > most ? row[i] : most;
  most = blockAllReduce<THREADS / WARP>(most, -1e30f, Largest());
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += (row[i] - most) * 0.125f + 1.0f;
  sum = blockAllReduce<THREADS / WARP, float>(sum, 0.0f, Sum());
  for (int i = threadIdx.x; i < columns; i += THREADS) out[blockIdx.x * columns + i] = ((row[i] - most) * 0.125f + 1.0f) / sum;
}
__global__ void doubles(const double *in, double *out) {
  double v = in[blockIdx.x * blockDim.x + threadIdx.x];
  const double total = blockAllReduce<4>(v, 0.0, Sum()), largest = blockAllReduce<4>(v * v - total, -1e300, Largest());
  out[blockIdx.x * blockDim.x + threadIdx.x] = total + v * largest;
}

// Trees in shared memory.
template <unsigned int blockSize, typename T> __device__ void treeReduce(T *sdata, unsigned int tid) {
  if (blockSize >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }
  if (tid < 32) {
    T v = sdata[tid];
    if (blockSize >= 64) { v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
    v += sdata[tid ^ 16]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid ^ 8]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid ^ 4]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid ^ 2]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid ^ 1]; __syncwarp(); sdata[tid] = v;
  }
  __syncthreads();
}
template <unsigned int blockSize, class T> __global__ void trees(const T *in, T *out, unsigned int n) {
  extern __shared__ char memory[];
  T *sdata = reinterpret_cast<T *>(memory);
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + tid, step = blockSize * 2 * gridDim.x;
  T mine = 0;
  while (i < n) {
    mine += in[i];
    if (i + blockSize < n) mine += in[i + blockSize];
    i += step;
  }
  sdata[tid] = mine;
  __syncthreads();
  treeReduce<blockSize>(sdata, tid);
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Scans.
namespace scans {
template <typename T> __device__ T hillis(T *s, T v) {
  const int tid = threadIdx.x;
  s[tid] = v;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    T t = tid >= d ? s[tid - d] : T(0);
    __syncthreads();
    s[tid] += t;
    __syncthreads();
  }
  return s[tid];
}
__device__ void blelloch(int *s, int n, int &total) {
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) {
      int ai = offset * (2 * threadIdx.x + 1) - 1, bi = offset * (2 * threadIdx.x + 2) - 1;
      s[bi] += s[ai];
    }
    offset *= 2;
  }
  __syncthreads();
  total = s[n - 1];
  __syncthreads();
  if (threadIdx.x == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (threadIdx.x < d) {
      int ai = offset * (2 * threadIdx.x + 1) - 1, bi = offset * (2 * threadIdx.x + 2) - 1;
      int t = s[ai];
      s[ai] = s[bi];
      s[bi] += t;
    }
  }
  __syncthreads();
}
template <int W = 32> __device__ int warpScan(int v, const int lane = threadIdx.x & 31) {
#pragma unroll
  for (int d = 1; d < W; d <<= 1) {
    const int t = __shfl_up_sync(FULL_MASK, v, d);
    if (lane >= d) v += t;
  }
  return v;
}
__device__ int blockScan(int v, int *warps) {
  int warp = threadIdx.x / 32;
  v = warpScan(v);
  if ((threadIdx.x & 31) == 31) warps[warp] = v;
  __syncthreads();
  if (warp == 0) warps[threadIdx.x] = warpScan<>(warps[threadIdx.x]);
  __syncthreads();
  return warp > 0 ? v + warps[warp - 1] : v;
}
}  // namespace scans
__global__ void scan(const int *in, int *out, int *ends) {
  __shared__ int s[512], warps[32];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  if (tid < 32) warps[tid] = 0;
  int a = scans::hillis(s, in[i]), total;
  __syncthreads();
  s[2 * tid] = in[i];
  s[2 * tid + 1] = a % 7;
  scans::blelloch(s, 2 * blockDim.x, total);
  int b = s[2 * tid] + s[2 * tid + 1] + scans::blockScan(in[i] ^ 5, warps);
  out[i] = a * 3 + b;
  if (tid == 0) ends[blockIdx.x] = total;
}

// Functions that change what they are given, return early, and call each other.
__device__ bool keeps(int value, unsigned &mask) {
  mask = __ballot_sync(FULL_MASK, value % 3 == 0);
  return value % 3 == 0;
}
__device__ int place(bool kept, unsigned mask, int *counts) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) counts[warp] = __popc(mask);
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += counts[w];
  return kept ? before + __popc(mask & ((1u << lane) - 1)) : -1;
}
__device__ void swap_if(int &a, int &b, bool descending) {
  if ((a > b) != descending) { int t = a; a = b; b = t; }
}
__device__ void sort(int *s, int n) {
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      swap_if(s[at], s[at + stride], (at & size) != 0);
    }
  __syncthreads();
}
__device__ int pick(int *s, int how) {
  if (how == 0) return s[threadIdx.x];
  sort(s, 2 * blockDim.x);
  if (how == 1) return s[threadIdx.x];
  else return s[2 * blockDim.x - 1 - threadIdx.x];
}
__global__ void compact(const int *in, int *out, int how) {
  __shared__ int counts[8], s[512];
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  unsigned mask = 0;
  bool kept = keeps(value, mask);
  int at = place(kept, mask, counts);
  s[threadIdx.x] = in[i] * 37 % 1009, s[threadIdx.x + blockDim.x] = in[i] * 91 % 1013;
  __syncthreads();
  int other = pick(s, how);
  if (at >= 0) out[blockIdx.x * blockDim.x + at] = value;
  __syncthreads();
  out[i] += 1000 * other;
}

// Warps that take rows, and some rows are longer.
__device__ float dot(const float *a, const float *b, int n) {
  float sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += a[i] * b[i];
  return warpAllReduce(sum, Sum());
}
__global__ void rows(const float *a, const float *b, float *out, int count, int width) {
  __shared__ float best[8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float most = 0;
  for (int row = blockIdx.x * 8 + warp; row < count; row += 8 * gridDim.x) {
    float d = dot(a + row * width, b, width - row % 5);
    if (lane == 0) out[row] = d;
    most = d > most ? d : most;
  }
  if (lane == 0) best[warp] = most;
  __syncthreads();
  if (warp == 7) {
    most = warpAllReduce(lane < 8 ? best[lane] : 0.0f, Largest());
    if (lane == 0) out[count + blockIdx.x] = most;
  }
}

static unsigned sum_of(const void *data, size_t bytes) {
  unsigned sum = 0;
  const unsigned char *at = (const unsigned char *)data;
  for (size_t i = 0; i < bytes; ++i) sum = sum * 31 + at[i];
  return sum;
}
#define SHOW(name, data, count, all) do { show(name, data, count); printf("%08x\n", sum_of(data, sizeof *(data) * (all))); } while (0)

int main() {
  const int n = 1 << 14;
  float *x = array<float>(n), *y = array<float>(n);
  double *d = array<double>(n), *e = array<double>(n);
  int *i = array<int>(n), *j = array<int>(n);
  for (int k = 0; k < n; ++k) {
    x[k] = rounded_product(0.37f, (float)(k % 91)) - 11.3f;
    d[k] = rounded_product(0.0137, (double)(k % 331)) - 1.7;
    i[k] = k * 7919 % 1021;
  }
  sums<<<6, 256>>>(x, y, n, 0.013f);
  SHOW("sums", y, 12, 12);
  softmax<128><<<16, 128>>>(x, y, 1000);
  SHOW("softmax", y, 8, 16000);
  doubles<<<5, 128>>>(d, e);
  SHOW("doubles", e, 4, 640);
  trees<256, float><<<9, 256, 256 * sizeof(float)>>>(x, y, n - 77);
  SHOW("trees of floats", y, 9, 9);
  trees<64, double><<<9, 64, 64 * sizeof(double)>>>(d, e, n - 77);
  SHOW("trees of doubles", e, 9, 9);
  trees<512, int><<<3, 512, 512 * sizeof(int)>>>(i, j, n - 77);
  SHOW("trees of numbers", j, 3, 3);
  scan<<<16, 256>>>(i, j, j + 16 * 256);
  SHOW("scan", j + 16 * 256, 16, 16);
  SHOW("scanned", j, 10, 16 * 256);
  for (int how = 0; how < 3; ++how) {
    memset(j, 0, n * sizeof(int));
    compact<<<8, 256>>>(i, j, how);
    SHOW("compact", j, 8, 8 * 256);
  }
  rows<<<3, 256>>>(x, x + 5, y, 100, 70);
  SHOW("rows", y, 103, 103);
}
