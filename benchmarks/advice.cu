// Pairs of kernels, as they were and as `gpuopt advise` says: code, name, median milliseconds of each, their ratio.
// Every pair has one loss: NAME_before is what the advice is on, NAME_after follows it.
//
//     gpuopt advise benchmarks/advice.cu -- -arch=sm_90 -O3
//     nvcc -O3 -arch=sm_90 benchmarks/advice.cu -o advice && ./advice
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(CALL)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = CALL;                                                                                          \
    if (error != cudaSuccess) {                                                                                        \
      std::printf("%s: %s\n", #CALL, cudaGetErrorString(error));                                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

const int N = 1 << 24;
const int SIDE = 4096;

// ADVISE001: an array of structures of 32 bytes of which one member is read, and an array of that member.
struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void members_before(const Particle *p, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = 2.0f * p[t].mass;
}
__global__ void members_after(const float *mass, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = 2.0f * mass[t];
}

// ADVISE001: threads along the rows of a matrix that lies by rows, and along its columns.
__global__ void scale_before(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  b[i * n + j] = 2.0f * a[i * n + j];
}
__global__ void scale_after(const float *a, float *b, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  b[i * n + j] = 2.0f * a[i * n + j];
}

// ADVISE002: a sum by atomics of one address, and by warps first. Small whole numbers: every order gives the same.
__global__ void sum_before(const float *a, float *sum) {
  atomicAdd(sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void sum_after(const float *a, float *sum) {
  float x = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_down_sync(0xffffffff, x, step);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, x);
}

// ADVISE003: one byte for each thread, and sixteen.
__global__ void invert_before(const unsigned char *a, unsigned char *b) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  b[t] = 255 - a[t];
}
__global__ void invert_after(const uint4 *a, uint4 *b) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 x = a[t];
  b[t] = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
}

// ADVISE004: columns of a tile with rows of 32 elements, and of 33; many times, so that shared memory is what counts.
__global__ void tile_before(float *a, int times) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float x = 0;
  for (int i = 0; i < times; i++)
    x += tile[threadIdx.x][(threadIdx.y + i) & 31];
  a[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x + 1024] = x;
}
__global__ void tile_after(float *a, int times) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float x = 0;
  for (int i = 0; i < times; i++)
    x += tile[threadIdx.x][(threadIdx.y + i) & 31];
  a[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x + 1024] = x;
}

// ADVISE005 to ADVISE008: the same work in other shapes. ADVISE005: blocks of 33 threads, and of 32.
__global__ void chain(float *a, int times) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t];
  for (int i = 0; i < times; i++)
    x = x * 0.999f + 0.001f;
  a[t] = x;
}

// ADVISE009: column sums that are kept in memory, and in a register.
__global__ void columns_before(const float *a, float *y, int rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int j = 0; j < rows; j++)
    y[t] += a[j * all + t];
}
__global__ void columns_after(const float *a, float *y, int rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = y[t];
  for (int j = 0; j < rows; j++)
    sum += a[j * all + t];
  y[t] = sum;
}

// ADVISE010: a literal that makes a chain of floats one of doubles.
__global__ void doubles_before(float *a, int times) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t];
  for (int i = 0; i < times; i++)
    x = x * 0.9 + 0.1;
  a[t] = x;
}
__global__ void doubles_after(float *a, int times) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t];
  for (int i = 0; i < times; i++)
    x = x * 0.9f + 0.1f;
  a[t] = x;
}

// ADVISE012: a quotient of 64 bits by an argument, and one of 32 by a template parameter.
__global__ void divide_before(long *a, long by, int times) {
  long t = blockIdx.x * blockDim.x + threadIdx.x, x = a[t];
  for (int i = 0; i < times; i++)
    x = (x + i + 1000000) / by;
  a[t] = x;
}
template <int BY> __global__ void divide_after(long *a, int times) {
  long t = blockIdx.x * blockDim.x + threadIdx.x;
  int x = (int)a[t];
  for (int i = 0; i < times; i++)
    x = (x + i + 1000000) / BY;
  a[t] = x;
}

template <class F> float median(F launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> taken;
  for (int run = 0; run < 12; run++) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run > 1)
      taken.push_back(ms);
  }
  std::sort(taken.begin(), taken.end());
  CHECK(cudaGetLastError());
  return taken[taken.size() / 2];
}

template <class F, class G> void pair(const char *name, F before, G after) {
  float old = median(before), now = median(after);
  std::printf("%s %.4f %.4f %.2f\n", name, old, now, old / now);
}

int main() {
  float *a, *b;
  CHECK(cudaMalloc(&a, sizeof(Particle) * (size_t)N));
  CHECK(cudaMalloc(&b, sizeof(float) * (size_t)N * 4));
  CHECK(cudaMemset(a, 0, sizeof(Particle) * (size_t)N));
  CHECK(cudaMemset(b, 0, sizeof(float) * (size_t)N * 4));
  pair("ADVISE001 members", [=] { members_before<<<N / 256, 256>>>((Particle *)a, b); },
       [=] { members_after<<<N / 256, 256>>>(a, b); });
  pair("ADVISE001 rows", [=] { scale_before<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(a, b, SIDE); },
       [=] { scale_after<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(a, b, SIDE); });
  pair("ADVISE002 sum", [=] { sum_before<<<N / 256, 256>>>(a, b); }, [=] { sum_after<<<N / 256, 256>>>(a, b); });
  pair("ADVISE003 bytes", [=] { invert_before<<<N / 256, 256>>>((unsigned char *)a, (unsigned char *)b); },
       [=] { invert_after<<<N / 4096, 256>>>((uint4 *)a, (uint4 *)b); });
  pair("ADVISE004 tile", [=] { tile_before<<<1320, dim3(32, 32)>>>(b, 256); },
       [=] { tile_after<<<1320, dim3(32, 32)>>>(b, 256); });
  pair("ADVISE005 lanes", [=] { chain<<<327680, 33>>>(a, 1000); }, [=] { chain<<<337920, 32>>>(a, 1000); });
  pair("ADVISE006 blocks", [=] { chain<<<33, 1024>>>(a, 20000); }, [=] { chain<<<264, 128>>>(a, 20000); });
  pair("ADVISE007 waves", [=] { chain<<<265, 1024>>>(a, 20000); }, [=] { chain<<<2120, 128>>>(a, 20000); });
  pair("ADVISE009 columns", [=] { columns_before<<<264, 256>>>(a, b, 512); },
       [=] { columns_after<<<264, 256>>>(a, b, 512); });
  pair("ADVISE010 doubles", [=] { doubles_before<<<N / 256, 256>>>(b, 200); },
       [=] { doubles_after<<<N / 256, 256>>>(b, 200); });
  pair("ADVISE012 divisions", [=] { divide_before<<<N / 1024, 256>>>((long *)a, 7, 100); },
       [=] { divide_after<7><<<N / 1024, 256>>>((long *)a, 100); });
  CHECK(cudaDeviceSynchronize());
}
