// Atomic functions with a memory order and a scope (CUDA 12.8): every one of them, in all widths; a lock; messages.
#include <cstdio>

struct Wide { unsigned long long low, high; };

__global__ void sums(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_atomic_fetch_add(&i[0], t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_sub(&i[1], 2, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_fetch_min(&i[2], 5 - t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_fetch_max(&i[3], t * 3, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(&u[0], 3u, __NV_ATOMIC_RELAXED);
  __nv_atomic_sub(&u[1], 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_or(&u[2], 1u << (t % 32), __NV_ATOMIC_RELAXED);
  __nv_atomic_and(&u[3], ~(1u << (t % 20)), __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(&u[4], (unsigned)t, __NV_ATOMIC_RELAXED);
  __nv_atomic_max(&u[5], (unsigned)t, __NV_ATOMIC_RELAXED);
  __nv_atomic_min(&l[0], 1000ull + t, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_or(&l[1], 1ull << (t % 64), __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_and(&l[2], ~(1ull << (t % 60)), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_xor(&l[3], (unsigned long long)t << 32, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(&f[0], 0.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(&d[0], 0.25, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__global__ void widths(unsigned char *c, unsigned short *s, unsigned *u, float *f, Wide *w) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    __nv_atomic_store_n(c, (unsigned char)7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(s, (unsigned short)777, __NV_ATOMIC_RELAXED);
    float value = 2.5f, old;
    __nv_atomic_store(&f[0], &value, __NV_ATOMIC_RELAXED);
    value = 3.5f;
    __nv_atomic_exchange(&f[0], &value, &old, __NV_ATOMIC_SEQ_CST);
    f[1] = old;
    __nv_atomic_load(&f[0], &f[2], __NV_ATOMIC_ACQUIRE);
    u[0] = __nv_atomic_load_n(c, __NV_ATOMIC_RELAXED) + __nv_atomic_load_n(s, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
    u[1] = __nv_atomic_exchange_n(&u[2], 5u, __NV_ATOMIC_RELAXED);
    unsigned expected = 4;
    u[3] = __nv_atomic_compare_exchange_n(&u[2], &expected, 6u, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
    u[4] = expected;
    u[5] = __nv_atomic_compare_exchange_n(&u[2], &expected, 6u, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  Wide seen, next;
  __nv_atomic_load(w, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  do {
    next.low = seen.low + 1;
    next.high = seen.high + 2;
  } while (!__nv_atomic_compare_exchange(w, &seen, &next, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE));
}

__global__ void locked(int *lock, int *count) {
  for (bool done = false; !done;) {
    int open = 0;
    if (__nv_atomic_compare_exchange_n(lock, &open, 1, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
      volatile int *shared = count;
      *shared = *shared + 1;
      __nv_atomic_store_n(lock, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
      done = true;
    }
  }
}

__global__ void message(int *flag, int *data) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (!__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) {
    }
    data[1] = data[0] + 1;
  }
}

int main() {
  int *i, *waiting;
  unsigned *u, *v;
  unsigned long long *l;
  float *f, *g;
  double *d;
  unsigned char *c;
  Wide *w;
  cudaMallocManaged(&i, 64); cudaMallocManaged(&u, 64); cudaMallocManaged(&l, 64); cudaMallocManaged(&f, 64); cudaMallocManaged(&d, 64);
  cudaMallocManaged(&v, 64); cudaMallocManaged(&g, 64); cudaMallocManaged(&c, 64); cudaMallocManaged(&w, 64); cudaMallocManaged(&waiting, 64);
  for (int k = 0; k < 6; k++) i[k] = 100, u[k] = 0xffffu, v[k] = k, waiting[k] = 0;
  for (int k = 0; k < 4; k++) l[k] = ~0ull, f[k] = 0, d[k] = 0, w[0] = Wide{1, 2};
  sums<<<4, 100>>>(i, u, l, f, d);
  widths<<<3, 50>>>(c, (unsigned short *)(c + 2), v, g, w);
  locked<<<3, 40>>>(&waiting[0], &waiting[1]);
  message<<<2, 1>>>(&waiting[2], &waiting[3]);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%d %d %d %d\n", i[0], i[1], i[2], i[3]);
  printf("%u %u %x %x %x %u\n", u[0], u[1], u[2], u[3], u[4], u[5]);
  printf("%llu %llx %llx %llx %g %g\n", l[0], l[1], l[2], l[3], f[0], d[0]);
  printf("%u %u %u %u %u %u; %g %g %g\n", v[0], v[1], v[2], v[3], v[4], v[5], g[0], g[1], g[2]);
  printf("%llu %llu; %d %d; %d %d\n", w->low, w->high, waiting[0], waiting[1], waiting[3], waiting[4]);
}
