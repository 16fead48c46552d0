// Atomic functions of all types and scopes, fences, and threads that wait for other threads and blocks.
// flags: -std=c++17
#include "show.h"
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void integers(int *i, unsigned *u, unsigned long long *l, long long *s) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 1);
  atomicMin(&i[2], 5 - t);
  atomicMax(&i[3], t * 3);
  atomicAnd(&i[4], ~(1 << (t % 20)));
  atomicOr(&i[5], 1 << (t % 20));
  atomicXor(&i[6], t);
  atomicAdd_block(&i[7], 1);
  atomicAdd_system(&i[8], 2);
  atomicAdd(&u[0], 3u);
  atomicInc(&u[1], 100);
  atomicDec(&u[2], 100);
  atomicMin(&u[3], (unsigned)t + 7);
  atomicMax(&u[4], (unsigned)t);
  atomicExch(&u[5], 9u);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)t << 40);
  atomicMin(&l[2], (unsigned long long)t + 1);
  atomicAnd(&l[3], ~(1ull << (t % 64)));
  atomicOr(&l[4], 1ull << (t % 64));
  atomicXor(&l[5], (unsigned long long)t << 32);
  atomicExch(&l[6], 77ull);
  atomicMin(&s[0], -(long long)t);
  atomicMax(&s[1], (long long)t - 5);
}
__global__ void floats(float *f, double *d, __half *h, __half2 *h2, __nv_bfloat16 *b) {
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
  atomicExch(&f[1], 2.5f);
  atomicAdd_system(&f[2], 1.0f);
  atomicAdd_block(&d[1], 1.0);
}
__global__ void exchanges(int *i, unsigned long long *l, unsigned short *h, float *f) {
  int old = i[0], seen;
  do { seen = old; old = atomicCAS(&i[0], seen, seen * 3 % 1000003 + 1); } while (old != seen);
  unsigned long long a = *l, b;
  do { b = a; a = atomicCAS(l, b, b + 5); } while (a != b);
  unsigned short c = *h, e;
  do { e = c; c = atomicCAS(h, e, (unsigned short)(e + 1)); } while (c != e);
  int bits = __float_as_int(*f), was;  // a maximum of floats
  do { was = bits; if (__int_as_float(was) >= threadIdx.x) break; bits = atomicCAS((int *)f, was, __float_as_int((float)threadIdx.x)); } while (bits != was);
}
__global__ void standard(int *out, cuda::atomic<int, cuda::thread_scope_device> *counter) {
  counter->fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> other(out[0]);
  other.fetch_max((int)threadIdx.x);
  cuda::atomic_ref<int, cuda::thread_scope_block>(out[1])++;
  if (threadIdx.x == 0) counter->fetch_add(1000);
}
// One block produces, the other waits for it.
__global__ void hand_over(volatile int *flag, int *box, int *out) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < 10; ++i) box[i] = i * i;
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) while (*flag == 0) {}
    __syncthreads();
    __threadfence();
    if (threadIdx.x < 10) out[threadIdx.x] = ((volatile int *)box)[threadIdx.x];
  }
}
// The last block that is done adds up.
__device__ unsigned done;
__global__ void last_block(int *parts, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = (blockIdx.x + 1) * 10;
    __threadfence();
    last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += ((volatile int *)parts)[i];
    *out = sum;
  }
}
// Blocks take a lock in turn.
__device__ int mutex;
__global__ void locked(int *counter) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    *counter = *(volatile int *)counter + 1;
    __threadfence();
    atomicExch(&mutex, 0);
  }
}
// Every block waits for the one after it, until the last one begins.
__device__ cuda::atomic<int, cuda::thread_scope_device> chain[64];
__global__ void backwards(int *out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) while (chain[blockIdx.x + 1].load() == 0) {}
    chain[blockIdx.x].store(1);
    atomicAdd(out, 1);
  }
}

int main() {
  int *i = array<int>(64);
  unsigned *u = array<unsigned>(8);
  unsigned long long *l = array<unsigned long long>(8);
  long long *s = array<long long>(2);
  i[4] = -1;
  u[2] = 5;
  u[3] = 1000;
  l[2] = l[3] = ~0ull;
  integers<<<10, 64>>>(i, u, l, s);
  show("int", i, 9);
  show("unsigned", u, 6);
  show("unsigned long long", l, 7);
  show("long long", s, 2);
  float *f = array<float>(4);
  double *d = array<double>(2);
  unsigned short *h = array<unsigned short>(8);
  floats<<<4, 32>>>(f, d, (__half *)h, (__half2 *)(h + 2), (__nv_bfloat16 *)(h + 4));
  show("float", f, 3);
  show("double", d, 2);
  show("16 bits", h, 5);
  i[0] = 1;
  h[0] = 0;
  exchanges<<<4, 64>>>(i, l, h, f);
  show("CAS", i, 1);
  show("CAS 64", l, 1);
  show("CAS 16", h, 1);
  show("CAS float", f, 1);
  i[0] = i[1] = i[8] = 0;
  standard<<<1, 64>>>(i, (cuda::atomic<int, cuda::thread_scope_device> *)(i + 8));
  show("cuda::atomic", i, 2);
  printf("counter: %d\n", i[8]);
  memset(i, 0, 256);
  hand_over<<<2, 32>>>(i + 63, i + 32, i);
  show("hand over", i, 10);
  last_block<<<30, 32>>>(i + 8, i);
  show("last block", i, 1);
  i[0] = 0;
  locked<<<50, 64>>>(i);
  show("lock", i, 1);
  i[0] = 0;
  backwards<<<64, 32>>>(i);
  show("backwards", i, 1);
}
