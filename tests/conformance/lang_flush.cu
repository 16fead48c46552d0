// -use_fast_math takes numbers below 2^-126 for 0, in what it reads and in what comes out.
// flags: -use_fast_math -extended-lambda
#include <cstdio>
#include <cstring>
template <class F> __global__ void each(unsigned *o, const float *a, const float *b, const float *c, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  f(o[i], a[i], b[i], c[i]);
}
__device__ unsigned bits(float x) { return x != x ? 1u : __float_as_uint(x); }
__global__ void together(float *g, const float *a, int n) {
  __shared__ float s[2];
  if (threadIdx.x < 2) s[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x;
  if (i == 0) atomicAdd(&g[0], a[0]), atomicAdd(&g[0], a[0]), atomicAdd(&g[1], 1e-38f), atomicAdd(&g[1], 1e-38f);
  if (i == 1) atomicAdd(&s[0], a[0]), atomicAdd(&s[0], a[0]), atomicAdd(&s[1], 1e-38f), atomicAdd(&s[1], 1e-38f);
  __syncthreads();
  if (i < 2) g[2 + i] = s[i];
}
int main() {
  const int n = 1 << 16;
  float *a, *b, *c;
  unsigned *o;
  cudaMallocManaged(&a, 4 * n);
  cudaMallocManaged(&b, 4 * n);
  cudaMallocManaged(&c, 4 * n);
  cudaMallocManaged(&o, 4 * n);
  unsigned s = 1;
  const auto next = [&] { return s = s * 1664525u + 1013904223u; };
  const auto number = [](unsigned w) { float x; memcpy(&x, &w, 4); return x; };
  for (int set = 0; set < 4; ++set) {
    for (int i = 0; i < n; ++i) {
      const unsigned x = next(), y = next(), z = next(), sign = 0x807fffffu;
      if (set == 0) {  // sums near 2^-126
        a[i] = number((x & sign) | (x >> 9) % 4 << 23), b[i] = number((y & sign) | (y >> 9) % 4 << 23), c[i] = number((z & sign) | (z >> 9) % 4 << 23);
      } else if (set == 1) {  // products near 2^-126
        a[i] = number((x & sign) | (62 + (x >> 9) % 4) << 23), b[i] = number((y & sign) | (62 + (y >> 9) % 4) << 23), c[i] = number((z & sign) | (z >> 9) % 4 << 23);
      } else if (set == 2) {  // products that round up to 2^-126, and just do not
        a[i] = number(64u << 23 | (x >> 9 & 15)), b[i] = number((64u << 23) - (y >> 9 & 15) - 1), c[i] = number(z & 0x80000000u);
      } else {  // any
        a[i] = number(x), b[i] = number(y), c[i] = number(z);
      }
    }
#define RUN(name, ...)                                                                                          \
  {                                                                                                             \
    each<<<n / 256, 256>>>(o, a, b, c, n, [=] __device__(unsigned &o, float a, float b, float c) { __VA_ARGS__; }); \
    cudaDeviceSynchronize();                                                                                    \
    unsigned long long h = 0;                                                                                   \
    for (int i = 0; i < n; ++i) h = h * 31 + o[i];                                                              \
    printf("%d %s %016llx %08x %08x %08x\n", set, #name, h, o[5], o[77], o[777]);                               \
  }
    RUN(sum, o = bits(a + b))
    RUN(difference, o = bits(a - b))
    RUN(product, o = bits(a * b))
    RUN(fused, o = bits(a * b + c))
    RUN(fused_rn, o = bits(__fmaf_rn(a, b, c)))
    RUN(fmaf, o = bits(fmaf(a, b, c)))
    RUN(sum_rn, o = bits(__fadd_rn(a, b)))
    RUN(product_rn, o = bits(__fmul_rn(a, b)))
    RUN(half, o = bits(a * 0.5f))
    RUN(least, o = bits(fminf(a, b)))
    RUN(most, o = bits(fmaxf(a, b)))
    RUN(less, o = a < b)
    RUN(equal, o = a == b || c == 0.0f)
    RUN(choice, o = bits(a > 0 ? b : c))
    RUN(absolute, o = bits(fabsf(a)))
    RUN(absolute_sum, o = bits(fabsf(a) + -b))
    RUN(whole, o = (unsigned)(int)(a * 16777216.0f))
    RUN(up, o = bits(ceilf(a)))
    RUN(moved, o = __float_as_uint(a))
    RUN(tanhf, o = bits(tanhf(c * 0.5f)))
  }
  float *g = (float *)o;
  g[0] = g[1] = 0, a[0] = 1e-39f;
  together<<<1, 32>>>(g, a, 1);
  cudaDeviceSynchronize();
  printf("atomic %a %a %a %a\n", g[0], g[1], g[2], g[3]);
  volatile float tiny = 1e-39f;
  printf("host %a\n", tiny * 0.5f);
  puts(cudaGetErrorString(cudaGetLastError()));
}
