// The types that device functions give for what they are given: smaller integers become `int` in CUDA's shuffles, but not in
// those of groups; the numbers of a `thread_group` have 64 bits. What is asserted is asserted by nvcc, too.
// flags: -std=c++17
#include "show.h"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace cg = cooperative_groups;
typedef long long s64;
typedef unsigned long long u64;

enum Plain { PLAIN };
struct Number {
  int other, value;
  __device__ operator int() const { return value; }
};
// Programs may have these of their own: CUDA has none.
__device__ s64 atomicAdd(s64 *address, s64 value) { return (s64)atomicAdd((u64 *)address, (u64)value); }
__device__ s64 atomicExch(s64 *address, s64 value) { return (s64)atomicExch((u64 *)address, (u64)value); }
__device__ float2 __shfl_sync(unsigned mask, float2 v, int from) {
  return make_float2(__shfl_sync(mask, v.x, from), __shfl_sync(mask, v.y, from));
}
template <class T> __device__ T *__shfl_sync(unsigned mask, T *v, int from) { return (T *)__shfl_sync(mask, (u64)v, from); }

#define GIVES(type, ...) static_assert(std::is_same<decltype(__VA_ARGS__), type>::value, #__VA_ARGS__)
template <class T> __device__ T &&given();

template <class T, class R> __device__ void shuffles() {
  GIVES(R, __shfl_sync(~0u, given<T>(), 0));
  GIVES(R, __shfl_sync(~0u, given<const T &>(), 0, 16));
  GIVES(R, __shfl_up_sync(~0u, given<T>(), 1));
  GIVES(R, __shfl_down_sync(~0u, given<T>(), 1, 8));
  GIVES(R, __shfl_xor_sync(~0u, given<T>(), 1));
}
template <class T> __device__ void matches() {
  GIVES(unsigned, __match_any_sync(~0u, given<T>()));
  GIVES(unsigned, __match_all_sync(~0u, given<T>(), given<int *>()));
}
template <class T> __device__ void loads() {
  GIVES(T, __ldg(given<const T *>()));
  GIVES(T, __ldcg(given<const T *>()));
  GIVES(T, __ldca(given<const T *>()));
  GIVES(T, __ldcs(given<const T *>()));
  GIVES(T, __ldlu(given<const T *>()));
  GIVES(T, __ldcv(given<const T *>()));
  GIVES(void, __stwb(given<T *>(), given<T>()));
  GIVES(void, __stcg(given<T *>(), given<T>()));
  GIVES(void, __stcs(given<T *>(), given<T>()));
  GIVES(void, __stwt(given<T *>(), given<T>()));
}
template <class T> __device__ void numbers() {
  shuffles<T, T>();
  matches<T>();
  loads<T>();
  GIVES(void, __stcg(given<T *>(), 1));
  GIVES(void, __stwt(given<T *>(), 1.0f));
}
template <class T> __device__ void small() {
  shuffles<T, int>();
  matches<T>();
}
template <class T> __device__ void sums() {
  GIVES(T, atomicAdd(given<T *>(), 1));
  GIVES(T, atomicAdd_block(given<T *>(), given<T>()));
  GIVES(T, atomicAdd_system(given<T *>(), 1.0));
}
template <class T> __device__ void updates() {
  GIVES(T, atomicMin(given<T *>(), 1));
  GIVES(T, atomicMax_system(given<T *>(), given<T>()));
  GIVES(T, atomicAnd(given<T *>(), 1));
  GIVES(T, atomicOr_block(given<T *>(), 1));
  GIVES(T, atomicXor(given<T *>(), given<T>()));
}
template <class T> __device__ void exchanges() { GIVES(T, atomicExch(given<T *>(), 1)); }
template <class Group, class N> __device__ void sizes() {
  GIVES(N, given<const Group &>().size());
  GIVES(N, given<const Group &>().num_threads());
  GIVES(N, given<const Group &>().thread_rank());
  GIVES(N, cg::group_size(given<const Group &>()));
  GIVES(N, cg::thread_rank(given<const Group &>()));
}
template <class Group> __device__ void warps() {
  sizes<Group, unsigned>();
  GIVES(unsigned, given<const Group &>().meta_group_rank());
  GIVES(unsigned, given<const Group &>().meta_group_size());
  GIVES(int, given<const Group &>().any(1));
  GIVES(int, given<const Group &>().all(1));
  GIVES(unsigned, given<const Group &>().ballot(1));
  GIVES(unsigned, given<const Group &>().match_any(1));
  GIVES(unsigned, given<const Group &>().match_all(1, given<int &>()));
  GIVES(bool, given<const Group &>().shfl(true, 0));
  GIVES(unsigned char, given<const Group &>().shfl((unsigned char)1, 0));
  GIVES(short, given<const Group &>().shfl_up((short)1, 1));
  GIVES(char, given<const Group &>().shfl_down('1', 1));
  GIVES(float2, given<const Group &>().shfl(given<float2>(), 0));
}
__device__ void types() {
  numbers<int>(), numbers<unsigned>(), numbers<long>(), numbers<unsigned long>(), numbers<s64>(), numbers<u64>();
  numbers<float>(), numbers<double>();
  small<bool>(), small<char>(), small<signed char>(), small<unsigned char>(), small<short>(), small<unsigned short>();
  small<Plain>(), small<Number>();
  shuffles<__half, __half>(), shuffles<__half2, __half2>();
  shuffles<__nv_bfloat16, __nv_bfloat16>(), shuffles<__nv_bfloat162, __nv_bfloat162>();
  loads<char>(), loads<signed char>(), loads<unsigned char>(), loads<short>(), loads<unsigned short>(), loads<__half>();
  loads<float2>(), loads<int4>();
  sums<int>(), sums<unsigned>(), sums<u64>(), sums<float>(), sums<double>();
  updates<int>(), updates<unsigned>(), updates<s64>(), updates<u64>();
  exchanges<int>(), exchanges<unsigned>(), exchanges<u64>(), exchanges<float>();
  GIVES(int, __reduce_add_sync(~0u, given<int>()));
  GIVES(unsigned, __reduce_max_sync(~0u, given<unsigned>()));
  GIVES(int, __reduce_min_sync(~0u, given<short>()));
  GIVES(unsigned, __reduce_or_sync(~0u, given<int>()));
  GIVES(unsigned, __ballot_sync(~0u, given<bool>()));
  GIVES(int, __any_sync(~0u, given<bool>()));
  GIVES(int, __all_sync(~0u, given<float>()));
  GIVES(int, __syncthreads_and(given<bool>()));

  sizes<cg::thread_group, u64>();
  sizes<cg::thread_block, unsigned>();
  sizes<cg::grid_group, u64>();
  sizes<cg::cluster_group, unsigned>();
  warps<cg::thread_block_tile<32>>();
  warps<cg::thread_block_tile<4, cg::thread_block>>();
  warps<cg::coalesced_group>();
  GIVES(short, given<const cg::thread_block_tile<8> &>().shfl_xor((short)1, 1));
  GIVES(cg::thread_group, cg::tiled_partition(given<const cg::thread_block &>(), 4));
  GIVES(cg::thread_group, cg::tiled_partition(given<const cg::thread_group &>(), 4));
  GIVES(cg::coalesced_group, cg::tiled_partition(given<const cg::coalesced_group &>(), 4));
  GIVES(u64, cg::this_grid().num_blocks());
  GIVES(u64, cg::this_grid().block_rank());
  GIVES(u64, cg::this_grid().num_clusters());
  GIVES(u64, cg::this_grid().cluster_rank());
  GIVES(dim3, cg::this_grid().dim_threads());
  GIVES(dim3, cg::this_grid().thread_index());
  GIVES(dim3, cg::this_thread_block().group_index());
  GIVES(dim3, cg::this_thread_block().thread_index());
  GIVES(unsigned, cg::this_cluster().num_blocks());
  GIVES(unsigned, cg::this_cluster().block_rank());
  GIVES(unsigned, cg::this_cluster().query_shared_rank(given<void *>()));
}

__device__ int size_of(int) { return 4; }
__device__ int size_of(unsigned char) { return 1; }
__device__ int size_of(short) { return 2; }
__device__ int size_of(bool) { return -1; }
__device__ int size_of(unsigned) { return 40; }
__device__ int size_of(u64) { return 8; }

// What chooses overloads.
__global__ void small(int *out) {
  const int t = threadIdx.x;
  unsigned char c = (unsigned char)(200 + t);
  short s = (short)(t - 7);
  bool b = t % 3 == 0;
  const int wide = __shfl_xor_sync(0xffffffff, c, 1) + 100;
  const int chosen = size_of(__shfl_sync(0xffffffff, s, 3)) * 100 + size_of(__shfl_down_sync(0xffffffff, b, 1));
  const int sum = ~__shfl_up_sync(0xffffffff, c, 2);
  out[t] = wide * 1000 + chosen;
  out[32 + t] = sum;
}
__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  cg::thread_group all = block;
  cg::thread_group eight = cg::tiled_partition(block, 8);
  const int t = threadIdx.x;
  unsigned char c = (unsigned char)(200 + t);
  short s = (short)(t - 7);
  const int narrow = tile.shfl_xor(c, 1) + 100;
  const int chosen = size_of(tile.shfl(s, 3)) * 100 + size_of(tile.shfl_down(c, 1));
  block.sync();
  out[t] = narrow * 1000 + chosen;
  out[32 + t] = size_of(all.size()) * 1000 + size_of(tile.size()) * 100 + size_of(eight.thread_rank()) + (int)eight.thread_rank();
  block.sync();
  const u64 below = all.thread_rank() - all.size();
  out[64 + t] = (int)(below >> 40);
}
__global__ void own(s64 *sums, float *out, int *matched) {
  atomicAdd(sums, (s64)threadIdx.x << 33);
  if (threadIdx.x == 0) atomicExch(sums + 1, (s64)-5);
  const float2 v = __shfl_sync(~0u, make_float2(threadIdx.x, 0.5f), 9);
  float *place = __shfl_sync(~0u, out + threadIdx.x, 4);
  if (threadIdx.x == 0) __stcg(place, 3), __stwt(out, v.x + v.y);
  auto letter = __shfl_sync(~0u, (unsigned char)(threadIdx.x + 250), 3);
  letter += 1000;
  if (threadIdx.x == 2) out[1] = letter;
  const Number n = {(int)threadIdx.x, (int)threadIdx.x / 16};
  if (threadIdx.x == 0) matched[0] = 1;
  const unsigned same = __match_any_sync(~0u, n);
  if (threadIdx.x == 20) matched[1] = (int)(same >> 16);
}

int main() {
  int *out = array<int>(96);
  small<<<1, 32>>>(out);
  show("small", out, 64);
  groups<<<1, 32>>>(out);
  show("groups", out, 96);
  s64 *sums = array<s64>(2);
  float *places = array<float>(40);
  own<<<1, 32>>>(sums, places, out);
  show("sums", sums, 2);
  show("places", places, 5);
  show("matched", out, 2);
}
