// Barriers and pipelines of libcu++, asynchronous copies.
// flags: -std=c++17
#include "show.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void arrive_and_wait(int *out) {
  __shared__ block_barrier barrier;
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = threadIdx.x + round;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    out[threadIdx.x] += s[63 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}
__global__ void copies(const int *in, int *out) {
  __shared__ block_barrier barrier;
  __shared__ alignas(16) int s[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof s, barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x] * 2;
}
// Half of the warps produce for the other half.
__global__ void producers(int *out, int rounds) {
  __shared__ block_barrier ready, filled;
  __shared__ int box[32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) { init(&ready, block.size()); init(&filled, block.size()); }
  block.sync();
  if (threadIdx.x < 32) {
    for (int i = 0; i < rounds; ++i) {
      ready.arrive_and_wait();
      box[threadIdx.x] = i * 100 + threadIdx.x;
      (void)filled.arrive();
    }
  } else {
    (void)ready.arrive();
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
      filled.arrive_and_wait();
      sum += box[63 - threadIdx.x];
      if (i + 1 < rounds) (void)ready.arrive();
    }
    out[threadIdx.x] = sum;
  }
}
template <int Stages> __global__ void staged(const int *in, int *out, int batches) {
  __shared__ int s[Stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int use = 0, fetch = 0; use < batches; ++use) {
    for (; fetch < batches && fetch < use + Stages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[fetch % Stages], in + fetch * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    block.sync();
    sum += s[use % Stages][63 - threadIdx.x];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void own_pipeline(const int *in, int *out) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void by_ptx(const int4 *in, int4 *out) {
  __shared__ int4 s[32];
  const unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  int4 v;
  asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"((unsigned)__cvta_generic_to_shared(&s[31 - threadIdx.x])));
  asm volatile("st.global.cs.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x), "r"(v.w), "r"(v.z), "r"(v.y), "r"(v.x) : "memory");
}

int main() {
  int *in = array<int>(1024), *out = array<int>(256);
  for (int i = 0; i < 1024; ++i) in[i] = i * 7 % 101;
  arrive_and_wait<<<1, 64>>>(out);
  digest("arrive and wait", out, 64);
  copies<<<1, 64>>>(in, out);
  digest("copies", out, 64);
  producers<<<1, 64>>>(out, 5);
  show("producers", out + 32, 4);
  staged<2><<<1, 64>>>(in, out, 10);
  digest("staged", out, 64);
  own_pipeline<<<1, 64>>>(in, out);
  digest("pipeline", out, 64);
  by_ptx<<<1, 32>>>((const int4 *)in, (int4 *)out);
  digest("ptx", out, 128);
}
