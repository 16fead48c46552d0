// The other unit of lang_units.cu.
#include <cstdio>
template <class T>
__global__ void common(T *o) {
  o[0] = o[0] * 2 + 1;
}
static __device__ int value = 2;
static __constant__ int konst = 20;
static __global__ void k(int *o) { o[0] = value + konst; }
namespace {
struct T {
  double x, y;
  __device__ int get() const { return int(x * y); }
};
__global__ void l(int *o, T t) {
  __shared__ double s[4];
  s[threadIdx.x] = t.get();
  __syncthreads();
  o[0] = s[0];
}
}  // namespace
inline void go(int *o) { common<<<1, 1>>>(o); }
void other(int *o) {
  k<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("b %d ", o[0]);
  l<<<1, 4>>>(o, T{5, 2.5});
  cudaDeviceSynchronize();
  printf("%d ", o[0]);
  go(o);
  common<<<1, 1>>>((double *)(o + 2));
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
}
extern "C" void c_other(int *o) {
  void (*p)(int *) = k;
  p<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("c %d\n", o[0]);
}
