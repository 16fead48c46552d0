// Sums of a block as older programs have them: the last warp goes on without barriers, on volatile memory.
#include <cstdio>

template <typename T, typename S> __device__ void last_warp(volatile T *s, S t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

template <unsigned N, typename T> __device__ void last_lanes(volatile T *s, unsigned t) {
  if (N >= 64) s[t] = s[t] + s[t + 32];
  if (N >= 32) s[t] = s[t] + s[t + 16];
  if (N >= 16) s[t] += s[t + 8] * 1;
  for (int h = 4; h > 0; h >>= 1) s[t] += s[t + h];
}

__global__ void by_warp(const int *in, float *out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned h = blockDim.x / 2; h > 32; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

template <unsigned N, typename T> __global__ void by_lanes(const int *in, float *out, int n, unsigned lanes) {
  __shared__ T s[N + 32];
  unsigned t = threadIdx.x, i = blockIdx.x * N * 2 + t;
  for (unsigned k = t; k < N + 32; k += N) s[k] = 0;
  while (i < n) {
    s[t] += in[i] + in[i + N] * T(0.37);
    i += N * 2 * gridDim.x;
  }
  __syncthreads();
  if (N >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (t < lanes) last_lanes<N>(s, t);  // not always whole warps
  __syncthreads();
  if (t == 0) out[blockIdx.x] = (float)(s[0] + s[5]);
}

__global__ void by_itself(const int *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float mine = s[t] = in[blockIdx.x * 128 + t] * 0.013f;
  __syncthreads();
  if (t < 64) s[t] = mine = mine + s[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile float *v = s;
    v[t] = mine = mine + v[t + 32];
    v[t] = mine = mine + v[t + 16];
    v[t] = mine = mine + v[t + 8];
    v[t] = mine = mine + v[t + 4];
    v[t] = mine = mine + v[t + 2];
    v[t] = mine = mine + v[t + 1];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
  int *in;
  float *out;
  cudaMallocManaged(&in, 65536 * 4);
  cudaMallocManaged(&out, 256 * 4);
  for (int i = 0; i < 65536; ++i) in[i] = i * 37 % 101;
  auto show = [&](const char *name, int blocks) {
    printf("%s %s:", name, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < blocks; ++i) printf(" %a", out[i]);
    puts("");
  };
  by_warp<<<20, 256, 1024>>>(in, out);
  show("by warp", 20);
  for (unsigned lanes : {32, 16, 24}) {
    by_lanes<128, float><<<7, 128>>>(in, out, 60000, lanes);
    show("by lanes", 7);
    by_lanes<64, double><<<7, 64>>>(in, out, 60000, lanes);
    show("by lanes", 7);
    by_lanes<16, int><<<3, 16>>>(in, out, 60000, lanes);
    show("by lanes", 3);
  }
  by_itself<<<9, 128>>>(in, out);
  show("by itself", 9);
  cudaFree(in);
  cudaFree(out);
}
