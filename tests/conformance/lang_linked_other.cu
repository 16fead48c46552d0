// The other unit of lang_linked.cu.
#include <cstdio>
__device__ int g_table[4] = {5, 6, 7, 8};
__constant__ float c_scale = 1;
__managed__ int m_count = 50;
__device__ float apply(float x) { return x * x; }
typedef float (*F)(float);
extern __device__ float apply2(float);
__device__ F g_fn = apply2;
static __global__ void work(int *o) { o[threadIdx.x] = -g_table[threadIdx.x]; }
static __device__ int local_value = 22;
namespace {
__constant__ int same = 2;
__global__ void anon(int *o) { o[0] = same + local_value; }
}  // namespace
extern __device__ int back(int, int);
__device__ int chain(int n, int k) { return n <= 0 ? k : back(n - 1, k + 1); }
struct Base {
  __device__ virtual int id() const;
  __device__ virtual ~Base() {}
};
__device__ int Base::id() const { return 1; }
struct Derived : Base {
  __device__ int id() const override { return Base::id() + 41; }
};
__device__ Base *make_derived() { return new Derived; }
class K {
 public:
  static __device__ int f(int);
  __device__ int m(int) const;
  int v;
};
__device__ int K::f(int x) { return x * 7; }
__device__ int K::m(int x) const { return v * x; }
void other(int *o) {
  work<<<1, 4>>>(o);
  cudaDeviceSynchronize();
  printf("other %d %d ", o[0], o[3]);
  anon<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  m_count += 100;
}
