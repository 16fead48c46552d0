// Block barriers under any divergence, with votes, exits and names.
#include "show.h"

__global__ void reverse(int *out) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void rounds(int *out) {
  __shared__ int a[128], b[128];
  const int t = threadIdx.x, n = blockDim.x;
  a[t] = t;
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    b[t] = a[t] + (t >= step ? a[t - step] : 0);
    __syncthreads();
    a[t] = b[t];
  }
  out[t] = a[t];
}
__global__ void votes(int *out) {
  const int t = threadIdx.x;
  out[t * 4] = __syncthreads_count(t % 3 == 0);
  out[t * 4 + 1] = __syncthreads_and(t < 96) != 0;
  out[t * 4 + 2] = __syncthreads_and(t < 95) != 0;
  out[t * 4 + 3] = __syncthreads_or(t == 95) * 2 + __syncthreads_or(t == 96);
}
// Whole warps leave; the rest goes on.
__global__ void leavers(int *out) {
  __shared__ int s[128];
  const int t = threadIdx.x, warp = t / 32;
  int seen = 0;
  for (int round = 0; round < 4; ++round) {
    if (warp == 3 - round) { out[t] = seen; return; }
    s[t] = round;
    __syncthreads();
    seen += s[(t & 31)] + 1;
    __syncthreads();
  }
}
__global__ void named(int *out) {
  __shared__ int box[2];
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    box[0] = 42;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = box[1];
  } else if (warp == 1) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    const int got = box[0];
    if (threadIdx.x == 32) box[1] = got + 1;
    __syncwarp();
    asm volatile("bar.arrive 2, 64;" ::: "memory");
    out[threadIdx.x] = got;
  } else {
    int any, count;
    asm volatile("{.reg .pred p, q; setp.eq.s32 p, %1, 70; bar.red.or.pred q, 3, 64, p; selp.s32 %0, 1, 0, q;}"
                 : "=r"(any) : "r"((int)threadIdx.x) : "memory");
    asm volatile("{.reg .pred p; setp.lt.s32 p, %1, 70; bar.red.popc.u32 %0, 3, 64, p;}"
                 : "=r"(count) : "r"((int)threadIdx.x) : "memory");
    out[threadIdx.x] = any * 100 + count;
  }
}
template <class T, int N> __device__ T sum_of_block(T v) {
  __shared__ T s[N];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int half = N / 2; half > 0; half /= 2) {
    if ((int)threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  const T result = s[0];
  __syncthreads();
  return result;
}
__global__ void sums(float *out) {
  const float a = sum_of_block<float, 64>(threadIdx.x * 0.5f);
  const int b = sum_of_block<int, 64>(threadIdx.x);
  extern __shared__ double dynamic[];
  dynamic[threadIdx.x] = a + b;
  __syncthreads();
  out[threadIdx.x] = (float)dynamic[63 - threadIdx.x] + a;
}
__global__ void two_dimensions(int *out) {
  __shared__ int tile[8][9];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = y * 8 + x;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + y * 8 + x] = tile[x][y] + 100 * blockIdx.x + 1000 * blockIdx.y;
}
__global__ void recursive(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x % 2) s[threadIdx.x] = 3;
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    const int other = s[(threadIdx.x + 1) % 64];
    __syncthreads();
    s[threadIdx.x] += other;
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
}

int main() {
  int *out = array<int>(1024);
  reverse<<<1, 256>>>(out);
  digest("reverse", out, 256);
  rounds<<<1, 128>>>(out);
  show("scan", out + 120, 8);
  votes<<<1, 96>>>(out);
  show("votes", out + 376, 8);
  leavers<<<1, 128>>>(out);
  digest("leavers", out, 128);
  show("leavers", out + 30, 4);
  named<<<1, 128>>>(out);
  show("named", out + 30, 4);
  show("reductions", out + 64, 2);
  float *f = array<float>(64);
  sums<<<1, 64, 64 * sizeof(double)>>>(f);
  show("sums", f, 2);
  two_dimensions<<<dim3(2, 2), dim3(8, 8)>>>(out);
  digest("two dimensions", out, 256);
  recursive<<<1, 64>>>(out);
  show("many barriers", out, 4);
}
