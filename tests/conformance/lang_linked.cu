// Separate compilation with -rdc: what is one in all units, and what each unit has of its own; kernels that launch kernels.
// flags: -rdc=true -lcudadevrt -extended-lambda -std=c++17
// with: lang_linked_other.cu
#include <cstdio>

struct Node {
  float w;
  Node *next;
};
extern __device__ int g_table[4];
extern __constant__ float c_scale;
extern __device__ float apply(float);
typedef float (*F)(float);
extern __device__ F g_fn;
extern __managed__ int m_count;
static __global__ void work(int *o) {
  o[threadIdx.x] = g_table[threadIdx.x] * 2;
  atomicAdd(&m_count, 1);
}
static __device__ int local_value = 11;
namespace {
__constant__ int same = 1;
__global__ void anon(int *o) { o[0] = same + local_value; }
}  // namespace
template <class T>
__device__ T tmpl(T x) {
  return x * T(2);
}
extern template __device__ double tmpl<double>(double);
__device__ float apply2(float x) { return x + 100; }
extern void other(int *);
extern __device__ int chain(int, int);
__device__ int back(int n, int k) { return n <= 0 ? k : chain(n - 1, k + 1); }
struct Base {
  __device__ virtual int id() const;
  __device__ virtual ~Base() {}
};
extern __device__ Base *make_derived();
__global__ void main_k(float *o) {
  o[0] = apply(2) * c_scale;
  o[1] = g_fn(3);
  o[2] = chain(10, 0);
  Base *b = make_derived();
  o[3] = b->id();
  delete b;
}
class K {
 public:
  static __device__ int f(int);
  __device__ int m(int) const;
  int v;
};
__global__ void kk(int *o) {
  K k{4};
  o[0] = K::f(2) + k.m(3);
}
void linked() {
  int *o;
  float *f;
  cudaMallocManaged(&o, 64);
  cudaMallocManaged(&f, 64);
  float s = 2.5f;
  cudaMemcpyToSymbol(c_scale, &s, 4);
  m_count = 0;
  work<<<1, 4>>>(o);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", o[0], o[3], m_count);
  other(o);
  anon<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("%d %d\n", o[0], m_count);
  main_k<<<1, 1>>>(f);
  kk<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  printf("%g %g %g %g %d\n", f[0], f[1], f[2], f[3], o[0]);
  puts(cudaGetErrorString(cudaGetLastError()));
}

// Dynamic parallelism and streams in kernels, recursion of kernels, device-side templates and lambdas launched.
namespace nested {
template <class T>
__global__ void child(T *o, T v) {
  atomicAdd(o + threadIdx.x, v);
}
__global__ void tree(int *o, int depth) {
  atomicAdd(o, 1);
  if (depth > 0) tree<<<2, 1>>>(o, depth - 1);
}
template <int N>
struct Launcher {
  template <class T>
  static __device__ void go(T *o) {
    child<<<1, N>>>(o, T(N));
    if constexpr (N > 1) Launcher<N / 2>::go(o);
  }
};
__global__ void last(int *o, const int *p) { atomicAdd(o, p[0] + p[8]); }
__global__ void parent(int *o, float *f) {
  if (threadIdx.x == 0) {
    Launcher<4>::go(o);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    child<float><<<1, 2, 0, s>>>(f, .5f);
    cudaStreamDestroy(s);
    dim3 g(1), b(3);
    child<<<g, b, 0, cudaStreamFireAndForget>>>(o + 8, 7);
  }
  __syncthreads();
  if (threadIdx.x == 0) last<<<1, 1, 0, cudaStreamTailLaunch>>>(o + 14, o);
  if (threadIdx.x < 4) atomicAdd(o + threadIdx.x, 100);
}
__global__ void qs(int *d, int l, int r) {
  if (l >= r) return;
  int p = d[r], i = l;
  for (int j = l; j < r; ++j)
    if (d[j] < p) {
      int t = d[i];
      d[i] = d[j];
      d[j] = t;
      ++i;
    }
  int t = d[i];
  d[i] = d[r];
  d[r] = t;
  qs<<<1, 1>>>(d, l, i - 1);
  qs<<<1, 1>>>(d, i + 1, r);
}
void run() {
  int *o;
  float *f;
  cudaMallocManaged(&o, 256);
  cudaMallocManaged(&f, 64);
  memset(o, 0, 256);
  memset(f, 0, 64);
  tree<<<1, 1>>>(o, 4);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  o[0] = 0;
  parent<<<2, 32>>>(o, f);
  cudaDeviceSynchronize();
  for (int k = 0; k < 15; ++k) printf("%d ", o[k]);
  printf("%g %g\n", f[0], f[2]);
  for (int k = 0; k < 40; ++k) o[k] = (k * 17) % 40;
  qs<<<1, 1>>>(o, 0, 39);
  cudaDeviceSynchronize();
  for (int k = 0; k < 40; k += 5) printf("%d ", o[k]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace nested

int main() {
  linked();
  nested::run();
}
