// cuda::atomic and cuda::std::atomic in all small types, semaphores, latches, and messages that orders make visible.
// flags: -std=c++17
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include "show.h"

typedef cuda::atomic<bool, cuda::thread_scope_device> Flag;
typedef cuda::binary_semaphore<cuda::thread_scope_device> Semaphore;
typedef cuda::latch<cuda::thread_scope_device> Latch;

struct Small {
  cuda::std::atomic<char> c;
  cuda::std::atomic<unsigned short> s;
  cuda::atomic<int, cuda::thread_scope_block> i;
  cuda::std::atomic<unsigned long long> l;
};

__global__ void widths(Small *a, int *out) {
  out[0] = a->c.exchange('x');
  out[1] = a->c.load(cuda::std::memory_order_relaxed);
  unsigned short expected = 0;
  out[2] = a->s.compare_exchange_strong(expected, 777, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  out[3] = a->s.compare_exchange_strong(expected, 778);
  out[4] = expected;
  out[5] = a->i.fetch_add(5, cuda::memory_order_relaxed);
  out[5] += ++a->i;
  out[6] = (int)a->l.fetch_or(1ull << 40);
  out[6] += (int)(a->l.load() >> 40);
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(out[7]);
  ref.fetch_max(9);
}
__global__ void message(int *data, Flag *ready, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    ready->store(true, cuda::memory_order_release);
  } else {
    while (!ready->load(cuda::memory_order_acquire)) {
    }
    *out = *data;
  }
}
__global__ void locked(Semaphore *s, int *sum) {
  s->acquire();
  *sum += 1;
  s->release();
}
__global__ void tried(Semaphore *s, int *out) {
  out[0] = s->try_acquire();
  out[1] = s->try_acquire();
  s->release();
  out[2] = s->try_acquire();
}
__global__ void meet(Latch *l, int *count, int *wrong) {
  atomicAdd(count, 1);
  l->arrive_and_wait();
  if (*(volatile int *)count != (int)(gridDim.x * blockDim.x)) atomicAdd(wrong, 1);
}

int main() {
  int *out = array<int>(8), *data = array<int>(2);
  Small *small = array<Small>(1);
  widths<<<1, 1>>>(small, out);
  show("widths", out, 8);
  printf("on the host: %d\n", static_cast<volatile cuda::std::atomic<char> *>(&small->c)->load(cuda::memory_order_acquire));
  message<<<2, 32>>>(data, array<Flag>(1), out);
  show("message", out, 1);
  Semaphore *semaphore = new (array<Semaphore>(1)) Semaphore(1);
  data[0] = 0;
  locked<<<4, 32>>>(semaphore, data);
  show("locked", data, 1);
  tried<<<1, 1>>>(semaphore, out);
  show("tried", out, 3);
  Latch *latch = new (array<Latch>(1)) Latch(96);
  data[0] = 0;
  meet<<<3, 32>>>(latch, data, data + 1);
  show("meet", data, 2);
}
