// Two units without -rdc that have the same names.
// with: lang_units_other.cu
#include <cstdio>
template <class T>
__global__ void common(T *o) {
  o[0] = o[0] * 2 + 1;
}
__device__ int value = 1;
__constant__ int konst = 10;
static __global__ void k(int *o) { o[0] = value + konst; }
namespace {
struct T {
  int x;
  __device__ int get() const { return x + 1; }
};
__global__ void l(int *o, T t) {
  __shared__ int s[4];
  s[threadIdx.x] = t.get();
  __syncthreads();
  o[0] = s[0];
}
}  // namespace
inline void go(int *o) { common<<<1, 1>>>(o); }
void other(int *);
extern "C" void c_other(int *);
int main() {
  int *o;
  cudaMallocManaged(&o, 64);
  k<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("%d ", o[0]);
  l<<<1, 4>>>(o, T{5});
  cudaDeviceSynchronize();
  printf("%d ", o[0]);
  go(o);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  other(o);
  c_other(o);
  int v = 77;
  cudaMemcpyToSymbol(konst, &v, 4);
  k<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  other(o);
  puts(cudaGetErrorString(cudaGetLastError()));
}
