// The primitives of asynchronous barriers and pipelines.
// flags: -std=c++17
#include "show.h"
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__global__ void rounds(int *o) {
  __shared__ __mbarrier_t barrier;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  int v = t;
  for (int r = 0; r < 5; ++r) {
    s[t] = v * 3 + r;
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    v = s[(t + 7) % 64];
    const __mbarrier_token_t again = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, again, 1000)) {
    }
  }
  o[t] = v;
  __syncthreads();
  if (t == 0) __mbarrier_inval(&barrier);
}
__global__ void parities(int *o) {
  __shared__ __mbarrier_t full, empty;
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&full, 32), __mbarrier_init(&empty, 32);
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < 6; ++r) {
    if (t < 32) {
      if (r) while (!__mbarrier_test_wait_parity(&empty, (r - 1) & 1)) {
        }
      s[t] = t * r + 1;
      __mbarrier_arrive(&full);
    } else {
      while (!__mbarrier_try_wait_parity(&full, r & 1, 100)) {
      }
      sum += s[(t + r) % 32];
      __mbarrier_arrive(&empty);
    }
  }
  o[t] = sum;
}
__global__ void dropped(int *o) {
  __shared__ __mbarrier_t barrier;
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  if (t >= 40) {
    __mbarrier_arrive_and_drop(&barrier);
    return;
  }
  int count = 0;
  for (int r = 0; r < 3; ++r) {
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    ++count;
  }
  o[t] = count;
}
__global__ void copies(const int *in, int *o) {
  __shared__ __mbarrier_t barrier;
  __shared__ __align__(16) int s[128], z[128];
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  __pipeline_memcpy_async(s + 2 * t, in + 2 * t, 8);
  if (t < 32) __pipeline_memcpy_async(z + 4 * t, in + 4 * t, 16, 8);
  __pipeline_arrive_on(&barrier);
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  o[t] = s[127 - t] + 1000 * z[t];
  o[64 + t] = z[64 + t];
}
int main() {
  int *o = array<int>(128), *in = array<int>(128);
  for (int i = 0; i < 128; ++i) in[i] = i * i % 97;
  rounds<<<1, 64>>>(o);
  show("rounds", o, 64);
  parities<<<1, 64>>>(o);
  show("parities", o, 64);
  memset(o, 0, 512);
  dropped<<<1, 64>>>(o);
  show("dropped", o, 64);
  copies<<<1, 64>>>(in, o);
  show("copies", o, 128);
}
