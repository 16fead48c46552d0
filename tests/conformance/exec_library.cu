// Half precision, cooperative groups, libcu++.
// flags: -std=c++17
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Half2, bfloat16, cooperative groups tiles in device functions, memcpy_async.
namespace groups {
namespace cg = cooperative_groups;
__global__ void halves(float *o) {
  half a = __float2half(1.5f), b = 2.25;
  half2 v = __halves2half2(a, b), w = __float2half2_rn(3.f);
  half2 r = __hfma2(v, w, v);
  o[0] = __low2float(r);
  o[1] = __high2float(r);
  r = v * w - v / w;
  o[2] = __half2float(r.x);
  o[3] = float(r.y);
  o[4] = __hgt(a, b);
  o[5] = __half2float(hsqrt(b));
  o[6] = __half2float(__hmax(a, b));
  v += w;
  o[7] = __low2float(v);
  o[8] = __half2float(-a);
  o[9] = (float)__half2int_rn(b);
  o[10] = __half2float(__ushort_as_half(0x3c00));
  o[11] = __hbeq2(v, v);
  __nv_bfloat16 c = __float2bfloat16(1.0078125f), d = 3.14159f;
  o[12] = __bfloat162float(c * d);
  o[13] = float(__hadd(c, d));
  __nv_bfloat162 e = __floats2bfloat162_rn(1.f, 2.f);
  e = __hmul2(e, e);
  o[14] = __high2float(e);
  o[15] = a < b ? 1 : 2;
  o[16] = __half2float(__hfma(a, b, a));
  o[17] = float(__shfl_sync(1, a, 0));
  atomicAdd((half2 *)&o[20], v);
  o[18] = __half2float(h2exp2(v).x);
  o[19] = float(__habs(half(-2.5)));
}
template <class T>
__device__ int reduce(T t, int v) {
  for (int d = t.size() / 2; d; d /= 2) v += t.shfl_down(v, d);
  return t.shfl(v, 0);
}
template <class G>
__device__ int rank_sum(const G &g, int v) {
  return cg::reduce(g, v, cg::plus<int>()) + g.num_threads();
}
__device__ void sync_all(cg::thread_group g) { g.sync(); }
__device__ int nested(cg::thread_block b, int *s) {
  auto w = cg::tiled_partition<32>(b);
  auto q = cg::tiled_partition<8>(w);
  int v = reduce(q, threadIdx.x);
  s[threadIdx.x] = v;
  b.sync();
  if (threadIdx.x % 3 == 0) {
    auto c = cg::coalesced_threads();
    v += rank_sum(c, 1);
    sync_all(c);
  }
  return v + q.meta_group_rank();
}
__global__ void groups(int *o) {
  __shared__ int s[64];
  auto b = cg::this_thread_block();
  o[b.thread_rank()] = nested(b, s) + s[63 - threadIdx.x] + rank_sum(cg::tiled_partition<16>(b), 2);
  auto t = cg::tiled_partition<4>(b);
  o[b.thread_rank()] +=
      1000 * cg::inclusive_scan(t, 1) + 10000 * cg::exclusive_scan(t, int(t.thread_rank()), cg::greater<int>());
}
template <class T>
__device__ void stage(T *s, const T *g, int n) {
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, g, sizeof(T) * n);
  cg::wait(b);
}
__global__ void staged(int *o, const int *g) {
  extern __shared__ int s[];
  for (int r = 0; r < 2; ++r) {
    stage(s, g + 32 * r, 32);
    o[threadIdx.x + 32 * r] = s[31 - threadIdx.x];
    __syncthreads();
  }
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  auto l = cg::labeled_partition(t, threadIdx.x % 3);
  auto p = cg::binary_partition(t, threadIdx.x < 5);
  o[64 + threadIdx.x] = l.size() * 100 + p.thread_rank();
  if (auto i = cg::invoke_one_broadcast(l, [&] { return int(threadIdx.x) % 3; }); i != int(threadIdx.x) % 3) o[0] = -1;
}
void run() {
  float *f;
  int *o, *g;
  cudaMallocManaged(&f, 256);
  cudaMallocManaged(&o, 512);
  cudaMallocManaged(&g, 512);
  for (int k = 0; k < 64; ++k) g[k] = k * 3;
  for (int k = 0; k < 40; ++k) f[k] = 0;
  halves<<<1, 1>>>(f);
  cudaDeviceSynchronize();
  for (int k = 0; k < 20; ++k) printf("%g ", f[k]);
  puts("");
  groups<<<1, 64>>>(o);
  cudaDeviceSynchronize();
  for (int k = 0; k < 64; k += 3) printf("%d ", o[k]);
  puts("");
  staged<<<1, 32, 128>>>(o, g);
  cudaDeviceSynchronize();
  for (int k = 0; k < 96; k += 5) printf("%d ", o[k]);
  puts("");
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace groups

// Cuda::atomic, cuda::barrier, cuda::pipeline, atomic_ref, semaphores; cuda::std.
namespace atomics {
__device__ cuda::atomic<int, cuda::thread_scope_device> total;
template <cuda::thread_scope S>
__global__ void at(int *o) {
  cuda::atomic_ref<int, S> r(*o);
  r.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
  total.fetch_max(threadIdx.x);
  int e = 5;
  r.compare_exchange_strong(e, 6);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
}
__global__ void bar(int *o) {
  using B = cuda::barrier<cuda::thread_scope_block>;
  __shared__ B b;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int r = 0; r < 3; ++r) {
    s[threadIdx.x] = r * 100 + threadIdx.x;
    auto token = b.arrive();
    b.wait(cuda::std::move(token));
    o[threadIdx.x] = s[63 - threadIdx.x];
    b.arrive_and_wait();
  }
  cuda::memcpy_async(s + threadIdx.x, o + threadIdx.x, sizeof(int), b);
  b.arrive_and_wait();
  o[threadIdx.x] = s[threadIdx.x] + 1;
}
__global__ void stdl(float *o) {
  cuda::std::array<float, 3> a{1, 2, 3};
  float s = 0;
  for (auto x : a) s += x;
  auto t = cuda::std::make_tuple(1, 2.5f);
  o[0] = s + cuda::std::get<1>(t);
  o[1] = cuda::std::numeric_limits<float>::max() > 1e38f;
  o[2] = cuda::std::is_same<int, decltype(1)>::value;
}
void run() {
  int *o;
  float *f;
  cudaMallocManaged(&o, 256);
  cudaMallocManaged(&f, 64);
  o[0] = 0;
  at<cuda::thread_scope_system><<<2, 32>>>(o);
  at<cuda::thread_scope_block><<<1, 4>>>(o);
  cudaDeviceSynchronize();
  int t;
  cudaMemcpyFromSymbol(&t, total, 4);
  printf("%d %d\n", o[0], t);
  bar<<<1, 64>>>(o);
  stdl<<<1, 1>>>(f);
  cudaDeviceSynchronize();
  printf("%d %d %g %g %g\n", o[0], o[63], f[0], f[1], f[2]);
  puts(cudaGetErrorString(cudaGetLastError()));
}
}  // namespace atomics

int main() {
  groups::run();
  atomics::run();
}
