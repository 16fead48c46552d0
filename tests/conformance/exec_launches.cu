// Launches of all kinds; waiting in device functions and on divergent paths.
// flags: -std=c++17
#include <cassert>
#include <cstdio>
#include <vector>

// CudaLaunchKernelEx, __grid_constant__, inline variables, launches in odd places, kernel args of odd kinds.
namespace launches {
struct Big {
  int v[200];
};
static inline __device__ int shared_value = 9;
inline constexpr int limit = 12;
inline int host_value = 3;
__global__ void gc(const __grid_constant__ Big b, int *o) {
  const int *p = b.v;
  o[threadIdx.x] = p[threadIdx.x * 10] + shared_value + limit;
}
template <class T>
__global__ void gct(const __grid_constant__ T t, int *o) {
  const T *q = &t;
  o[0] = q->v[199];
}
__global__ void attr(int *o, float s) {
  extern __shared__ int sh[];
  sh[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = sh[blockDim.x - 1 - threadIdx.x] * s;
}
__global__ void refs(int *__restrict__ o, const int *const __restrict__ in, unsigned long long big, short s, bool b, int2 v,
                     const char *const c) {
  o[threadIdx.x] = in[0] + int(big >> 32) + s + b + v.y + (c == nullptr);
}
class Runner {
  int *p;

 public:
  explicit Runner(int *q) : p(q) { attr<<<1, 4, 16>>>(p, 2.f); }
  ~Runner() { attr<<<1, 4, 16>>>(p, .5f); }
  operator int *() const { return p; }
  template <int N>
  Runner &go() {
    attr<<<dim3{1}, N, N * sizeof(int)>>>(*this, 1.f);
    return *this;
  }
};
static int side = 0;
dim3 grid() {
  ++side;
  return dim3(1, 1);
}
int block() {
  ++side;
  return 4;
}
int launch_and(int *o, int r) { return attr<<<grid(), block(), 16, 0>>>(o, 1), r; }
__global__ void none() {}
void run() {
  int *o;
  cudaMallocManaged(&o, 256);
  Big b;
  for (int k = 0; k < 200; ++k) b.v[k] = k;
  gc<<<1, 4>>>(b, o);
  cudaDeviceSynchronize();
  printf("%d %d\n", o[0], o[3]);
  gct<<<1, 1>>>(b, o);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  for (int k = 0; k < 4; ++k) o[k] = k + 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = 1;
  c.blockDim = 4;
  c.dynamicSmemBytes = 16;
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributePriority;
  a[0].val.priority = 0;
  c.attrs = a;
  c.numAttrs = 1;
  printf("%d ", (int)cudaLaunchKernelEx(&c, attr, o, 3.f));
  cudaDeviceSynchronize();
  printf("%d %d\n", o[0], o[3]);
  float s = 2;
  void *args[] = {&o, &s};
  cudaLaunchKernel((const void *)attr, dim3(1), dim3(4), args, 16, nullptr);
  cudaDeviceSynchronize();
  printf("%d %d\n", o[0], o[3]);
  {
    Runner r(o);
    r.go<4>().go<4>();
  }
  cudaDeviceSynchronize();
  printf("%d %d\n", o[0], o[3]);
  printf("%d ", launch_and(o, 5));
  cudaDeviceSynchronize();
  printf("%d %d side %d\n", o[0], o[3], side);
  refs<<<1, 1>>>(o, o + 1, 7ull << 32, -3, true, make_int2(1, 20), nullptr);
  cudaDeviceSynchronize();
  printf("%d\n", o[0]);
  cudaStream_t st;
  cudaStreamCreate(&st);
  o == nullptr ? attr<<<1, 1, 4, st>>>(o, 1) : none<<<1, 1, 0, st>>>();
  if (o) attr<<<1, 2, 8, st>>>(o, -1.f);
  else none<<<1, 1>>>();
  for (int k = 0; k < 2; k++) none<<<1, 32>>>(), none<<<2, 1>>>();
  cudaStreamSynchronize(st);
  printf("%d\n", o[1]);
  std::vector<void (*)(int *, float)> ks{attr};
  ks[0]<<<1, 2, 8>>>(o, 1.f);
  ks.front()<<<1, 2, 8>>>(o, 1.f);
  cudaDeviceSynchronize();
  printf("%d\n", o[1]);
  cudaFuncAttributes fa;
  cudaFuncGetAttributes(&fa, attr);
  printf("%d\n", fa.maxThreadsPerBlock);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace launches

// Warps in device functions under divergence; barriers in device functions; volatile, asm, 64-bit atomics, atomics on
// struct members, printf formats.
namespace waits {
__device__ int warp_sum(int v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ int block_sum(int v) {
  __shared__ int part[32];
  int l = threadIdx.x & 31, w = threadIdx.x >> 5;
  v = warp_sum(v);
  if (!l) part[w] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[l] : 0;
  if (!w) v = warp_sum(v);
  if (threadIdx.x == 0) part[0] = v;
  __syncthreads();
  v = part[0];
  __syncthreads();
  return v;
}
template <class F>
__device__ int with_sync(F f) {
  int a = f(0);
  __syncthreads();
  return a + f(1);
}
__global__ void sums(int *o) {
  int s = block_sum(threadIdx.x);
  if (blockIdx.x == 1) s += block_sum(1);
  __shared__ int x;
  if (!threadIdx.x) x = 3;
  s += with_sync([&](int k) { return k ? x : 0; });
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__device__ unsigned lane() {
  unsigned r;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
__global__ void div(int *o) {
  int v = 0;
  for (int i = 0; i < (threadIdx.x & 3) + 1; ++i) {
    unsigned m = __activemask();
    v = v * 10 + __popc(m);
    if (i == 2) continue;
  }
  while (true) {
    if (v % 7 == 0) break;
    ++v;
  }
  o[threadIdx.x] = v * 100 + lane();
  if (threadIdx.x & 1) return;
  o[threadIdx.x] += __reduce_add_sync(__activemask() & 0x55555555, 1);
}
struct St {
  unsigned long long c;
  float f;
  int lock;
};
__global__ void at(St *s) {
  atomicAdd(&s->c, 3ull);
  atomicAdd(&s->f, .5f);
  bool done = false;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      s->f += 1;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = true;
    }
  }
}
__global__ void print(int n) {
  if (threadIdx.x == 0)
    printf("%5d|%-6.2f|%s|%c|%llx|%%|%p|%e|%u|%+d|%#x|%08.3f\n", n, 3.14159, "txt", 'q', 0xdeadbeefcafeull, (void *)16,
           1234.5, 7u, 5, 255, 2.5);
  assert(n > 0);
}
__global__ void clock_k(long long *o) {
  long long a = clock64();
  int v = 0;
  for (int i = 0; i < 100; ++i) v += i * v + 1;
  o[1] = v;
  o[0] = clock64() - a >= 0;
  o[2] = __clz(threadIdx.x + 1) + __ffsll(8ll) + __brev(1) + __byte_perm(0x11223344, 0x55667788, 0x7531) % 97 +
         __mul24(-5, 3) + __umulhi(1u << 31, 6u) + __sad(3, 9, 1) + __hadd(5, 8) + __funnelshift_l(1u, 2u, 31);
  o[3] = __double_as_longlong(__fma_rz(1.1, 2.2, 3.3));
  o[4] = __float_as_int(__frcp_ru(3.f)) + __float2int_rd(-2.5f);
}
void run() {
  int *o;
  St *s;
  long long *l;
  cudaMallocManaged(&o, 2048);
  cudaMallocManaged(&s, sizeof(St));
  cudaMallocManaged(&l, 64);
  *s = St{1, 0, 0};
  sums<<<2, 128>>>(o);
  cudaDeviceSynchronize();
  printf("%d %d\n", o[5], o[130]);
  div<<<1, 32>>>(o);
  cudaDeviceSynchronize();
  for (int k = 0; k < 8; ++k) printf("%d ", o[k]);
  puts("");
  at<<<2, 16>>>(s);
  cudaDeviceSynchronize();
  printf("%llu %g %d\n", s->c, s->f, s->lock);
  print<<<1, 2>>>(42);
  cudaDeviceSynchronize();
  clock_k<<<1, 1>>>(l);
  cudaDeviceSynchronize();
  printf("%lld %lld %lld %llx %lld\n", l[0], l[1], l[2], l[3], l[4]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace waits

int main() {
  launches::run();
  waits::run();
}
