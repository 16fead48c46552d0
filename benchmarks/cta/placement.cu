// Which blocks a multiprocessor holds together when a matrix product runs in bands of columns, and what that is worth.
//   placement X Y N W...   blocks of X x Y threads, N rows; W columns of blocks to a band (0: the usual order)
// Prints for every W: milliseconds (best of REPEATS, 3), then of a launch that writes down where and when each block ran:
// blocks that a multiprocessor holds, and of them different columns and rows, when a block starts; the part of blocks that
// come to a multiprocessor whose place in turn it is; and the same columns if all blocks came in turn, or anywhere.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#define CHECK(call)                                                                             \
  do {                                                                                          \
    cudaError_t e = (call);                                                                     \
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } \
  } while (0)

struct Ran { unsigned sm, column, row; unsigned long long from, to; };
static __device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
// The block that comes as `number`-th in bands of `wide` columns.
static __host__ __device__ void place(unsigned number, unsigned columns, unsigned rows, unsigned wide, unsigned &x, unsigned &y) {
  const unsigned first = number / (rows * wide) * wide, width = columns - first < wide ? columns - first : wide;
  number -= first * rows;
  x = first + number % width;
  y = number / width;
}
template <bool Log> __global__ void gemm(int n, unsigned wide, const float *A, const float *B, float *C, Ran *log) {
  unsigned x, y;
  const unsigned number = blockIdx.x + gridDim.x * blockIdx.y;
  place(number, gridDim.x, gridDim.y, wide, x, y);
  const bool first = !(threadIdx.x | threadIdx.y);
  unsigned long long began = 0;
  if (Log && first) began = now();
  const int i = y * blockDim.y + threadIdx.y, j = x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    float s = 0;
    for (int k = 0; k < n; k++) s += A[(size_t)i * n + k] * B[(size_t)k * n + j];
    C[(size_t)i * n + j] = s;
  }
  if (Log) {
    __syncthreads();
    if (first) {
      unsigned sm;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
      log[number] = Ran{ sm, x, y, began, now() };
    }
  }
}
__global__ void fill(float *p, size_t count, unsigned seed) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) p[i] = (float)((unsigned)(i * 2654435761u + seed) >> 20) / 4096 - 0.5f;
}

struct Held { double blocks, columns, rows; };
// Of an SM's blocks, in the order of their starts: how many it holds when one starts, and how many columns and rows.
static Held held(const std::vector<Ran> &ran, unsigned sms) {
  std::vector<std::vector<Ran>> of(sms);
  for (const Ran &one : ran) of[one.sm].push_back(one);
  Held sum = { 0, 0, 0 };
  size_t count = 0;
  for (std::vector<Ran> &mine : of) {
    std::sort(mine.begin(), mine.end(), [](const Ran &a, const Ran &b) { return a.from < b.from; });
    for (size_t k = mine.size() / 4; k < mine.size() * 3 / 4; ++k) {
      std::set<unsigned> columns, rows;
      unsigned blocks = 0;
      for (size_t i = k + 1; i-- > 0 && k - i < 256;)
        if (mine[i].to > mine[k].from) { ++blocks; columns.insert(mine[i].column); rows.insert(mine[i].row); }
      sum.blocks += blocks; sum.columns += columns.size(); sum.rows += rows.size();
      ++count;
    }
  }
  return count ? Held{ sum.blocks / count, sum.columns / count, sum.rows / count } : sum;
}

int main(int argc, char **argv) {
  if (argc < 5) { fprintf(stderr, "placement X Y N W...\n"); return 2; }
  const unsigned X = atoi(argv[1]), Y = atoi(argv[2]), n = atoi(argv[3]);
  const int repeats = getenv("REPEATS") ? atoi(getenv("REPEATS")) : 3;
  const dim3 block(X, Y), grid((n + X - 1) / X, (n + Y - 1) / Y);
  const size_t count = (size_t)n * n, blocks = (size_t)grid.x * grid.y;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const unsigned sms = device.multiProcessorCount;
  int resident = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, gemm<true>, X * Y, 0));
  float *A, *B, *C;
  Ran *log;
  CHECK(cudaMalloc(&A, count * 4)); CHECK(cudaMalloc(&B, count * 4)); CHECK(cudaMalloc(&C, count * 4));
  CHECK(cudaMalloc(&log, blocks * sizeof(Ran)));
  fill<<<(unsigned)((count + 255) / 256), 256>>>(A, count, 1);
  fill<<<(unsigned)((count + 255) / 256), 256>>>(B, count, 2);
  printf("%ux%u threads, %u rows, %ux%u blocks, %u multiprocessors of %d blocks\n", X, Y, n, grid.x, grid.y, sms, resident);
  printf("| columns | ms | held | columns | rows | in turn | columns if in turn | columns if anywhere |\n|---|---|---|---|---|---|---|---|\n");
  for (int k = 4; k < argc; ++k) {
    const unsigned asked = atoi(argv[k]), wide = asked && asked < grid.x ? asked : grid.x;
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from)); CHECK(cudaEventCreate(&to));
    float best = 1e30f;
    for (int r = 0; r <= repeats; ++r) {
      float ms;
      CHECK(cudaEventRecord(from));
      gemm<false><<<grid, block>>>(n, wide, A, B, C, log);
      CHECK(cudaEventRecord(to));
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaEventElapsedTime(&ms, from, to));
      if (r && ms < best) best = ms;
    }
    if (getenv("TIMES_ONLY")) { printf("| %u | %.3f |\n", wide, best); continue; }
    gemm<true><<<grid, block>>>(n, wide, A, B, C, log);
    std::vector<Ran> ran(blocks);
    CHECK(cudaMemcpy(ran.data(), log, blocks * sizeof(Ran), cudaMemcpyDeviceToHost));
    const Held found = held(ran, sms);
    // In turn: block v comes to the SM that had block v - sms.
    size_t same = 0;
    for (size_t v = sms; v < blocks; ++v) same += ran[v].sm == ran[v - sms].sm;
    double turns = 0;
    const size_t samples = 64;
    for (size_t s = 0; s < samples; ++s) {
      std::set<unsigned> columns;
      for (int r = 0; r < resident; ++r) {
        unsigned x, y;
        const size_t v = (blocks / samples * s + (size_t)r * sms) % blocks;
        place((unsigned)v, grid.x, grid.y, wide, x, y);
        columns.insert(x);
      }
      turns += (double)columns.size() / samples;
    }
    const double anywhere = wide * (1 - pow(1 - 1.0 / wide, found.blocks));
    printf("| %u | %.3f | %.2f | %.2f | %.2f | %.3f | %.2f | %.2f |\n", wide, best, found.blocks, found.columns, found.rows,
           (double)same / (blocks - sms), turns, anywhere);
    fflush(stdout);
    if (getenv("FIRST_WAVE"))  // the multiprocessors of the first blocks, a turn to a line
      for (unsigned r = 0; r < (unsigned)resident && (size_t)(r + 1) * sms <= blocks; ++r) {
        printf("turn %u:", r);
        for (unsigned s = 0; s < sms; ++s) printf(" %u", ran[(size_t)r * sms + s].sm);
        printf("\n");
      }
  }
  return 0;
}
