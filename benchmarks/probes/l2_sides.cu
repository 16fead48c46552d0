// The two parts of L2: which multiprocessors are beside which, and how much longer the way to the other one is.
//
// SM 0 reads lines after L2 was emptied, then another SM reads them, one at a time: what lives beside that one is there in
// the time of L2, as is all where both SMs are beside one part; what lives beside SM 0 only takes longer, once.
//   nvcc -O3 -arch=sm_90 l2_sides.cu -o l2_sides && ./l2_sides
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void chase(const unsigned *data, unsigned lines, unsigned sm, unsigned *cycles) {
  unsigned own;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(own));
  if (own != sm) return;
  unsigned next = 0;
  for (unsigned i = 0; i < lines; ++i) {
    const unsigned begin = clock();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(data + (size_t)i * 32 + next) : "memory");
    cycles[i] = (unsigned)clock() - begin + next;  // all zeros, which nobody knows: the clock is read when they are there
  }
}

__global__ void sweep(unsigned *all, size_t words) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) all[i] += 1;
}

int main(int argc, char **argv) {
  const unsigned lines = argc > 1 ? atoi(argv[1]) : 1024;
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  unsigned *data, *other, *cycles;
  const size_t words = 64 << 20;
  cudaMalloc(&data, lines * 128);
  cudaMalloc(&other, words * 4);
  cudaMalloc(&cycles, lines * 4);
  cudaMemset(data, 0, lines * 128);
  cudaMemset(other, 0, words * 4);
  std::vector<unsigned> got(lines);
  const auto probe = [&](unsigned sm) {
    chase<<<p.multiProcessorCount, 1>>>(data, lines, sm, cycles);
    cudaMemcpy(got.data(), cycles, lines * 4, cudaMemcpyDeviceToHost);
  };
  printf("sm,quarter,median,three_quarters,most_of_90_percent\n");
  for (int second = 1; second < p.multiProcessorCount; ++second) {
    sweep<<<p.multiProcessorCount * 8, 256>>>(other, words);
    probe(0);
    probe((unsigned)second);
    std::sort(got.begin(), got.end());
    printf("%d,%u,%u,%u,%u\n", second, got[lines / 4], got[lines / 2], got[lines * 3 / 4], got[lines * 9 / 10]);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
