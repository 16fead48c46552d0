// Warp operations with masks, in divergent code, and without masks.
#include "show.h"

__global__ void shuffles(int *out) {
  const int t = threadIdx.x;
  out[t] = __shfl_sync(~0u, t * 10, (t + 5) % 32) + __shfl_up_sync(~0u, t, 3) * 1000;
  out[32 + t] = __shfl_down_sync(~0u, t, 2, 8) + 100 * __shfl_xor_sync(~0u, t, 7, 16);
  const double d = __shfl_sync(~0u, t * 0.25, 31 - t);
  const long long l = __shfl_xor_sync(~0u, (long long)t << 40, 1);
  out[64 + t] = (int)(d * 4) + (int)(l >> 40) * 100;
}
__global__ void votes(unsigned *out) {
  const int t = threadIdx.x;
  out[t] = __ballot_sync(~0u, t % 3 == 0);
  out[32 + t] = (__any_sync(~0u, t == 31) != 0) + 2 * (__all_sync(~0u, t < 31) != 0);
  out[64 + t] = __match_any_sync(~0u, t / 5);
  int all;
  out[96 + t] = __match_all_sync(~0u, t / 32, &all) + all;
  out[128 + t] = __reduce_add_sync(~0u, (unsigned)t) + __reduce_max_sync(~0u, t) + __reduce_min_sync(~0u, -t) * 1000;
  out[160 + t] = __reduce_xor_sync(~0u, (unsigned)t * 77) ^ __reduce_or_sync(~0u, 1u << t) ^ __reduce_and_sync(~0u, 7u << (t % 2));
}
// Each half of a branch works with its own mask, and lanes that have exited are in none.
__global__ void divergent(unsigned *out) {
  const int t = threadIdx.x, lane = t % 32;
  if (lane >= 28) return;
  const unsigned mask = (1u << 28) - 1, odd = 0xaaaaaaaau & mask, even = 0x55555555u & mask;
  unsigned value;
  if (lane % 2) {
    value = __shfl_sync(odd, lane * 3, 7);
    for (int i = 0; i < lane % 4; ++i) value += i;
    value += __reduce_add_sync(odd, (unsigned)lane);
  } else {
    value = __ballot_sync(even, lane % 4 == 0);
    __syncwarp(even);
  }
  value ^= __shfl_xor_sync(mask, value, 1);
  out[t] = value;
}
// Lanes peel off in a loop, as aggregated atomics do.
__global__ void peeling(unsigned *out, int *counters) {
  const int t = threadIdx.x, key = t * 7 % 5;
  unsigned left = __ballot_sync(~0u, 1);
  unsigned mine = 0;
  while (true) {
    const int leader = __ffs(left) - 1;
    const int leaders_key = __shfl_sync(left, key, leader);
    const unsigned same = __ballot_sync(left, key == leaders_key);
    if (key == leaders_key) {
      if (t % 32 == leader) atomicAdd(&counters[key], __popc(same));
      mine = same;
      break;
    }
    left &= ~same;
  }
  out[t] = mine;
}
__device__ unsigned who() { return __activemask(); }
__global__ void active(unsigned *out) {
  const int t = threadIdx.x;
  out[t] = who();
  __syncwarp();
  if (t % 4 == 1) out[t] += who() * 2; else out[t] += who();
  __syncwarp();
  if (t < 8) {
    if (t < 3) return;
    out[t] ^= __activemask();
  }
}
// A prefix sum over a block from warp scans.
__global__ void prefix(const int *in, int *out) {
  __shared__ int totals[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int v = in[t];
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = lane < blockDim.x / 32 ? totals[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const int other = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += other;
    }
    totals[lane] = s;
  }
  __syncthreads();
  out[t] = v + (warp ? totals[warp - 1] : 0);
}
__global__ void partial(unsigned *out) {  // the last warp is not full
  const unsigned mask = __ballot_sync(threadIdx.x < 32 ? ~0u : 0xffu, 1);
  out[threadIdx.x] = mask + __shfl_xor_sync(mask, threadIdx.x, 1);
}

int main() {
  int *in = array<int>(256), *out = array<int>(512);
  unsigned *u = (unsigned *)out;
  shuffles<<<1, 32>>>(out);
  show("shuffles", out, 6);
  digest("shuffles", out, 96);
  votes<<<1, 32>>>(u);
  show("votes", u, 1);
  digest("votes", u, 192);
  memset(out, 0, 512 * sizeof(int));
  divergent<<<1, 64>>>(u);
  show("divergent", u, 4);
  digest("divergent", u, 64);
  peeling<<<1, 64>>>(u, in);
  digest("peeling", u, 64);
  show("counters", in, 5);
  active<<<1, 32>>>(u);
  show("active", u, 32);
  for (int i = 0; i < 256; ++i) in[i] = i * 13 % 7;
  prefix<<<1, 256>>>(in, out);
  show("prefix", out + 250, 6);
  digest("prefix", out, 256);
  partial<<<1, 40>>>(u);
  show("partial", u + 30, 10);
}
