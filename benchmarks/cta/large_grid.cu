// Does every block of a grid of more than 2^31 blocks run once, in whatever order?   large_grid [COLUMNS ROWS]
// Each column of blocks counts its blocks and adds up their row numbers and the squares of these.
#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;

__global__ void mark(const u64 *number, u64 *blocks, u64 *sum, u64 *squares) {
  const u64 row = number[blockIdx.y];
  atomicAdd(&blocks[blockIdx.x], 1ull);
  atomicAdd(&sum[blockIdx.x], row);
  atomicAdd(&squares[blockIdx.x], row * row);
}

int main(int argc, char **argv) {
  const unsigned columns = argc > 2 ? atoi(argv[1]) : 65536, rows = argc > 2 ? atoi(argv[2]) : 32769;
  u64 *number, *found[3], expected[3] = { rows, 0, 0 }, wrong = 0;
  cudaMallocManaged(&number, rows * sizeof *number);
  for (u64 row = 0; row < rows; row++) number[row] = row, expected[1] += row, expected[2] += row * row;
  for (u64 *&each : found) {
    cudaMallocManaged(&each, columns * sizeof *each);
    for (unsigned x = 0; x < columns; x++) each[x] = 0;
  }
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaEventRecord(from);
  mark<<<dim3(columns, rows), 1>>>(number, found[0], found[1], found[2]);
  cudaEventRecord(to);
  const cudaError_t error = cudaDeviceSynchronize();
  float ms = 0;
  cudaEventElapsedTime(&ms, from, to);
  for (unsigned x = 0; x < columns; x++)
    for (int which = 0; which < 3; which++) wrong += found[which][x] != expected[which];
  printf("%llu blocks, %llu sums wrong, %s, %.1f ms\n", (u64)columns * rows, wrong, cudaGetErrorString(error), ms);
  return error != cudaSuccess || wrong;
}
