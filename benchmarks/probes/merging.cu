// Which SMs merge their requests to L2 and how many become one, who is served by a busy L1, and how far the warps of a matrix product
// drift apart. Run plain and with `grouped` or `merged` under ncu (reads of L2), with a folder for times.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
// All warps read the same `sectors` sectors, `whole`: a warp reads four sectors at once; AHEAD loads in flight.
template <int AHEAD> __global__ void same(const float *in, float *out, int sectors, int whole) {
  float sum = 0;
  const int lane = threadIdx.x & 31, step = whole ? 32 : 8;
#pragma unroll 1
  for (int i = 0; i < sectors * 8; i += step * AHEAD) {
    float got[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) got[k] = in[i + k * step + (whole ? lane : 0)];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) sum += got[k];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// A row per thread, AHEAD loads in flight, few or many warps.
template <int AHEAD> __global__ void rows(const float *in, float *out, int columns) {
  const size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < columns; j += AHEAD) {
    float got[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) got[k] = in[t * columns + j + k];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) sum += got[k];
  }
  out[t] = sum;
}
// SMs `a` and `b` (-1: alone) read the same sectors, the second one `delay` cycles later; everything else is idle.
// They meet by atomic operations, which are no reads.
template <int AHEAD> __global__ void two(const float *in, float *out, unsigned *meet, int a, int b, int sectors, int delay) {
  extern __shared__ char much[];
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if ((int)sm != a && (int)sm != b) return;
  const int lane = threadIdx.x & 31;
  if (threadIdx.x == 0) {
    atomicAdd(meet, 1);
    const unsigned all = b < 0 ? 1 : 2;
    while (atomicAdd(meet, 0) < all) {}
  }
  __syncthreads();
  const long long begin = clock64();
  if ((int)sm == b) while (clock64() - begin < delay) {}
  float sum = 0;
  const int per = sectors / 4 / (blockDim.x / 32), first = threadIdx.x / 32 * per;
#pragma unroll 1
  for (int i = first; i < first + per; i += AHEAD) {
    float got[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) got[k] = in[(i + k) * 32 + lane];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) sum += got[k];
    if (sum == 12345.f) i += 1;  // uses the results before the next turn
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// As two(), for any set of SMs.
struct Set { unsigned long long bits[4]; };
__global__ void many(const float *in, float *out, unsigned *meet, Set set, unsigned all, int sectors) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (!(set.bits[sm / 64] >> sm % 64 & 1)) return;
  if (threadIdx.x == 0) {
    atomicAdd(meet, 1);
    while (atomicAdd(meet, 0) < all) {}
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < sectors / 4; ++i) {
    sum += in[i * 32 + (threadIdx.x & 31)];
    if (sum == 12345.f) i += 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// gemm as in the examples.
__global__ void gemm(int n, int m, int k, float alpha, float beta, const float *A, const float *B, float *C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < m) {
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) sum += A[(size_t)row * k + l] * B[(size_t)l * m + column];
    C[(size_t)row * m + column] = alpha * sum + beta * C[(size_t)row * m + column];
  }
}
// The same, which writes down when it was where.
__global__ void stamped(int m, int k, const float *A, const float *B, float *C, long long *stamps, unsigned *sms) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const size_t warp = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * (blockDim.x * blockDim.y / 32) + thread / 32;
  unsigned sm, slot;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  float sum = 0.0f;
#pragma unroll 1
  for (int l0 = 0; l0 < k; l0 += 32) {
    if (thread % 32 == 0) stamps[warp * 18 + l0 / 32] = clock64();
#pragma unroll 4
    for (int l = l0; l < l0 + 32; ++l) sum += A[(size_t)row * k + l] * B[(size_t)l * m + column];
  }
  C[(size_t)row * m + column] = sum;
  if (thread % 32 == 0) stamps[warp * 18 + k / 32] = clock64(), sms[warp] = sm << 8 | slot;
}
// Does a load that hits wait for another warp's that missed before it?
__global__ void behind(const float *in, float *out, unsigned *times, int misses, int other) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  float sum = in[lane];
  __syncthreads();
  sum += in[lane];
  __shared__ volatile int go;
  if (threadIdx.x == 0) go = 0;
  __syncthreads();
  if (warp == 0) {
    float got[16];
#pragma unroll
    for (int i = 0; i < 16; ++i)
      if (i < misses) got[i] = in[(size_t)(i + 1) * 1048576 + lane * 8];
    if (lane == 0) go = 1;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      if (i < misses) sum += got[i];
  } else if (warp == other) {
    while (!go) {}
    const unsigned middle = clock();
    float hit;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(hit) : "l"(in + lane) : "memory");
    unsigned after;
    if (hit == 12345.f) __trap();
    after = clock();
    sum += hit;
    if (lane == 0) times[0] = after - middle;
  }
  out[threadIdx.x] = sum;
}
// Who gets to a busy L1? Each warp makes 64 loads that hit, of `lines` lines each; when each was done.
template <int AHEAD> __global__ void queue(const float *in, float *out, unsigned *when, int lines) {
  extern __shared__ unsigned short done[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += in[i * 32];
  const int at = lane % lines * 32;
  __syncthreads();
  const unsigned begin = clock();
#pragma unroll 1
  for (int i = 0; i < 64; i += AHEAD) {
    float got[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(got[k]) : "l"(in + at + k) : "memory");
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) sum += got[k];
    if (lane == 0) done[warp * 64 + i] = (unsigned short)((clock() - begin) / 4 + (sum == 12345.f));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < (int)blockDim.x / 32 * 64; i += blockDim.x) when[i] = done[i];
  out[threadIdx.x] = sum;
}

static float *in, *out;
static unsigned *words;
static void counted(int sms) {
  for (int whole = 0; whole < 2; ++whole)
    for (int sectors : {64, 512, 4096})
      for (int threads : {32, 256, 1024}) {
        same<1><<<sms, threads>>>(in, out, sectors, whole);
        same<4><<<sms, threads>>>(in, out, sectors, whole);
        same<16><<<sms, threads>>>(in, out, sectors, whole);
      }
  for (int carveout : {0, 100}) {
    cudaFuncSetAttribute(rows<1>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    cudaFuncSetAttribute(rows<4>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    cudaFuncSetAttribute(rows<8>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    for (int warps : {1, 2, 4, 6, 8, 12, 16, 32}) {
      rows<1><<<sms, 32 * warps>>>(in, out, 128);
      rows<4><<<sms, 32 * warps>>>(in, out, 128);
      rows<8><<<sms, 32 * warps>>>(in, out, 128);
    }
  }
  for (int carveout : {0, 12, 25, 50, 75, 100}) {
    cudaFuncSetAttribute(gemm, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
    gemm<<<dim3(16, 64), dim3(32, 8)>>>(512, 512, 512, 1, 0, in, in + (1 << 20), out);
    gemm<<<dim3(32, 64), dim3(32, 4)>>>(256, 1024, 512, 1, 0, in, in + (1 << 20), out);
    gemm<<<dim3(8, 32), dim3(32, 8)>>>(256, 256, 256, 1, 0, in, in + (1 << 20), out);
  }
}
static void merged(int sms) {
  cudaFuncSetAttribute(two<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024);
  cudaFuncSetAttribute(two<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024);
  const auto one = [&](int ahead, int threads, int a, int b, int delay) {
    cudaMemset(words, 0, 4);
    if (ahead == 1) two<1><<<sms, threads, 160 * 1024>>>(in, out, words, a, b, 1024, delay);
    else two<4><<<sms, threads, 160 * 1024>>>(in, out, words, a, b, 1024, delay);
  };
  one(1, 32, 0, -1, 0);
  for (int b = 1; b < sms; ++b) one(1, 32, 0, b, 0);
  for (int b : {1, 16, 17, 18, 32, 48})
    for (int delay : {20, 40, 80, 120, 160, 240, 320, 640, 2000}) one(1, 32, 0, b, delay);
  for (int b : {1, 16, 32})
    for (int delay : {0, 40, 80, 160, 320, 640, 2000}) one(4, 256, 0, b, delay);
}
#include <vector>
static void grouped(int sms) {
  cudaFuncSetAttribute(many, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024);
  const auto run = [&](const std::vector<int> &which) {
    Set set = {};
    for (int sm : which) set.bits[sm / 64] |= 1ull << sm % 64;
    cudaMemset(words, 0, 4);
    many<<<sms, 32, 160 * 1024>>>(in, out, words, set, (unsigned)which.size(), 1024);
    cudaDeviceSynchronize();
  };
  const auto tell = [](const std::vector<int> &which) { printf("set"); for (int sm : which) printf(" %d", sm); printf("\n"); };
  std::vector<std::vector<int>> sets;
  const int first[] = {0, 1, 16, 17, 32, 33, 48, 49};
  for (int n = 2; n <= 8; ++n) sets.push_back(std::vector<int>(first, first + n));
  sets.push_back({0, 16, 32, 48});
  sets.push_back({1, 17, 33, 49});
  for (int base = 0; base < 16; base += 2)
    for (int from : {0, 64})
      for (int k = 0; k < 9; ++k) {
        const int a = base + from, b = k ? base + 16 * k : a + 1;
        if (a != b && b < sms && a < sms) sets.push_back({a, b});
      }
  std::vector<int> all;
  for (int sm = 0; sm < sms; ++sm) all.push_back(sm);
  sets.push_back(all);
  for (const std::vector<int> &set : sets) tell(set), run(set);
}
static void timed(const char *folder) {
  char name[512];
  for (int misses : {0, 1, 4, 16})
    for (int other : {1, 4}) {
      cudaMemset(words, 0, 64);
      unsigned got[2] = {0, 0};
      for (int k = 0; k < 3; ++k) {
        cudaMemset(in + (1 << 28), k, (size_t)100 << 20);  // drives the rest out of L2
        behind<<<1, 256>>>(in, out, words, misses, other);
        cudaMemcpy(got, words, 8, cudaMemcpyDeviceToHost);
        printf("behind misses=%d warp=%d: hit %u cycles\n", misses, other, got[0]);
      }
    }
  snprintf(name, sizeof name, "%s/queue.csv", folder);
  FILE *file = fopen(name, "w");
  static unsigned when[64 * 64];
  for (int lines : {1, 4, 32})
    for (int ahead : {1, 8})
      for (int threads : {256, 1024}) {
        if (ahead == 1) queue<1><<<1, threads, 64 * 64 * 2>>>(in, out, words, lines);
        else queue<8><<<1, threads, 64 * 64 * 2>>>(in, out, words, lines);
        cudaMemcpy(when, words, sizeof when, cudaMemcpyDeviceToHost);
        for (int w = 0; w < threads / 32; ++w) {
          fprintf(file, "%d,%d,%d,%d", lines, ahead, threads, w);
          for (int i = 0; i < 64; i += ahead == 1 ? 4 : 8) fprintf(file, ",%u", 4 * when[w * 64 + i]);
          fprintf(file, "\n");
        }
      }
  fclose(file);
  const size_t bytes = (size_t)8192 * 18 * 8;
  long long *stamps, *host = (long long *)malloc(bytes);
  unsigned *sms, *slots = (unsigned *)malloc(8192 * 4);
  cudaMalloc(&stamps, bytes);
  cudaMalloc(&sms, 8192 * 4);
  snprintf(name, sizeof name, "%s/stamps.csv", folder);
  file = fopen(name, "w");
  for (int which : {0, 1})
    for (int carveout : {-1, 100}) {
      cudaFuncSetAttribute(stamped, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
      for (int k = 0; k < 2; ++k) {
        cudaMemset(in + (1 << 28), k, (size_t)100 << 20);
        if (which) stamped<<<dim3(32, 64), dim3(32, 4)>>>(1024, 512, in, in + (1 << 20), out, stamps, sms);
        else stamped<<<dim3(16, 64), dim3(32, 8)>>>(512, 512, in, in + (1 << 20), out, stamps, sms);
        cudaMemcpy(host, stamps, bytes, cudaMemcpyDeviceToHost);
        cudaMemcpy(slots, sms, 8192 * 4, cudaMemcpyDeviceToHost);
      }
      for (int w = 0; w < 8192; ++w)
        if (slots[w] >> 8 < 2 || slots[w] >> 8 == 40) {
          fprintf(file, "%d,%d,%u,%u,%d", which, carveout, slots[w] >> 8, slots[w] & 255, w);
          for (int i = 0; i < 17; ++i) fprintf(file, ",%lld", host[w * 18 + i] - (i ? host[w * 18] : 0));
          fprintf(file, "\n");
        }
    }
  fclose(file);
}
int main(int argc, char **argv) {
  cudaMalloc(&in, (size_t)3 << 29);
  cudaMalloc(&out, 1 << 24);
  cudaMalloc(&words, 1 << 16);
  cudaMemset(in, 0, (size_t)3 << 29);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  if (argc > 1 && !strcmp(argv[1], "grouped")) grouped(p.multiProcessorCount);
  else if (argc > 1 && !strcmp(argv[1], "merged")) merged(p.multiProcessorCount);
  else if (argc > 1) timed(argv[1]);
  else counted(p.multiProcessorCount);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
