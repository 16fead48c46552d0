// The two parts of L2: which multiprocessors are beside which, and how much longer the way to the other one is.
//
// SM 0 reads lines after L2 was emptied, then another SM reads them: what lives beside that one is there in the time of L2,
// as is all where both SMs are beside one part; what lives beside SM 0 only takes longer, once. nvcc makes two turns of the
// loop one and begins two loads together, so every other time is short, and the others are of the slower one of two lines:
// look at the last column but one (90 % of all times are at most that).
//   nvcc -O3 -arch=sm_90 l2_sides.cu -o l2_sides && ./l2_sides
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
__global__ void chase(const unsigned *data, unsigned lines, unsigned sm, unsigned *cycles) {
  unsigned own;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(own));
  if (own != sm) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < lines; ++i) {
    const unsigned begin = clock();
    unsigned got;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(data + (size_t)i * 32 + (sum & 0)) : "memory");
    sum += got;
    asm volatile("" : "+r"(sum));
    cycles[i] = (unsigned)clock() - begin + (sum & 0);
  }
  if (sum == 12345) cycles[0] = 0;
}
__global__ void sweep(unsigned *all, size_t words) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) all[i] += 1;
}
int main(int argc, char **argv) {
  const unsigned lines = argc > 1 ? atoi(argv[1]) : 2048;
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  unsigned *data, *other, *cycles;
  const size_t words = 64 << 20;
  cudaMalloc(&data, lines * 128); cudaMalloc(&other, words * 4); cudaMalloc(&cycles, lines * 4);
  cudaMemset(data, 0, lines * 128); cudaMemset(other, 0, words * 4);
  std::vector<unsigned> got(lines);
  auto probe = [&](unsigned sm) {
    chase<<<p.multiProcessorCount, 1>>>(data, lines, sm, cycles);
    cudaMemcpy(got.data(), cycles, lines * 4, cudaMemcpyDeviceToHost);
  };
  printf("second,median,slow_of_%u,mean_fast,mean_slow,p90,first_median\n", lines);
  std::vector<unsigned> kept;
  for (int second = 0; second < p.multiProcessorCount; ++second) {
    sweep<<<p.multiProcessorCount * 8, 256>>>(other, words);
    probe(0);
    std::vector<unsigned> cold = got; std::sort(cold.begin(), cold.end());
    probe(second);
    if (second == 0) probe(0);
    std::vector<unsigned> s = got; std::sort(s.begin(), s.end());
    const unsigned limit = s[0] + 100;
    double fast = 0, slow = 0; unsigned n = 0;
    for (unsigned v : got) if (v > limit) slow += v, ++n; else fast += v;
    if (n > lines / 4) kept = got;
    printf("%d,%u,%u,%.1f,%.1f,%u,%u\n", second, s[lines / 2], n, fast / std::max(1u, lines - n), n ? slow / n : 0, s[lines * 9 / 10], cold[lines / 2]);
  }
  printf("lines of the last one with two kinds, address %p:\n", (void *)data);
  if (!kept.empty()) { unsigned low = *std::min_element(kept.begin(), kept.end()); for (unsigned v : kept) putchar(v > low + 100 ? 'F' : '.'); }
  printf("\n%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
