// Every number of 16 bits through the functions of cuda_fp16.h and cuda_bf16.h: hashes of the 65536 results of each.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define EACH(X) \
  X(hexp) X(hexp2) X(hexp10) X(hlog) X(hlog2) X(hlog10) X(hsin) X(hcos) X(hsqrt) X(hrsqrt) X(hrcp) X(htanh) X(htanh_approx)
#define KERNEL(name)                                              \
  template <class H> __global__ void all_##name(H *o) {           \
    const unsigned short w = blockIdx.x * blockDim.x + threadIdx.x; \
    H x;                                                          \
    memcpy(&x, &w, 2);                                            \
    o[w] = name(x);                                               \
  }
EACH(KERNEL)
template <class H> void show(const char *name, const char *type, void (*kernel)(H *), H *results) {
  kernel<<<256, 256>>>(results);
  cudaDeviceSynchronize();
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < 65536; ++i) {
    unsigned short w;
    memcpy(&w, results + i, 2);
    hash = (hash ^ w) * 1099511628211ull;
  }
  printf("%s %s %016llx\n", name, type, hash);
}
int main() {
  void *results;
  cudaMallocManaged(&results, 2 << 16);
#define RUN(name)                                              \
  show(#name, "half", all_##name<__half>, (__half *)results); \
  show(#name, "bfloat16", all_##name<__nv_bfloat16>, (__nv_bfloat16 *)results);
  EACH(RUN)
  puts(cudaGetErrorString(cudaGetLastError()));
}
