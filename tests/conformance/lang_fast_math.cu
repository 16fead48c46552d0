// The functions that -use_fast_math makes fast ones, bit for bit, denormals among their arguments and results.
// flags: -use_fast_math
#include <cstdio>
#include <cstring>
#define EACH(X) X(expf) X(exp10f) X(exp2f) X(logf) X(log2f) X(log10f) X(sinf) X(cosf) X(tanf) X(sqrtf) X(tanhf)
#define K(name)                                               \
  __global__ void k_##name(float *o, const float *x, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;            \
    if (i < n) o[i] = name(x[i]);                             \
  }
EACH(K)
__global__ void k_powf(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = powf(x[i], 1.7f);
}
__global__ void k_exp_overload(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = exp(x[i]);
}
__global__ void k_quotient(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i] / x[n - 1 - i];
}
__global__ void k_reciprocal(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float one = 1;
  if (i < n) one /= x[i], o[i] = one;
}
__global__ void k_over_root(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 1.0f / sqrtf(x[i]);
}
__global__ void k_over_roots(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = i % 3 == 0 ? x[n - 1 - i] * (1 / sqrt(x[i])) : i % 3 == 1 ? -1.0f / sqrtf(x[i]) : x[n - 1 - i] / sqrtf(x[i]);
}
// Without flushing, by PTX.
__global__ void k_sqrt_approx(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) asm("sqrt.approx.f32 %0, %1;" : "=f"(o[i]) : "f"(x[i]));
}
__global__ void k_tanh_approx(float *o, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) asm("tanh.approx.f32 %0, %1;" : "=f"(o[i]) : "f"(x[i]));
}
int main() {
  const int n = 1 << 16;
  float *x, *o;
  cudaMallocManaged(&x, 4 * n);
  cudaMallocManaged(&o, 4 * n);
  unsigned s = 1;
  for (int set = 0; set < 2; ++set) {
    for (int i = 0; i < n; ++i) {
      s = s * 1664525u + 1013904223u;
      if (set == 0) {
        volatile float product = (s >> 8) * (20.f / 16777216);  // rounded, whatever processor the host has
        x[i] = product + 0.001f;
      } else {
        unsigned w = s & 0x807fffff;
        if (i % 7 == 0) w = i % 14 ? 0x7f800000u : 0u;
        memcpy(&x[i], &w, 4);
      }
    }
#define RUN(name)                                                \
  {                                                              \
    k_##name<<<n / 256, 256>>>(o, x, n);                         \
    cudaDeviceSynchronize();                                     \
    unsigned long long h = 0;                                    \
    for (int i = 0; i < n; ++i) {                                \
      unsigned w;                                                \
      memcpy(&w, &o[i], 4);                                      \
      if (o[i] != o[i]) w = 1;                                   \
      h = h * 31 + w;                                            \
    }                                                            \
    printf("%d %s %016llx %a %a\n", set, #name, h, o[5], o[77]); \
  }
    EACH(RUN) RUN(powf) RUN(exp_overload) RUN(quotient) RUN(reciprocal) RUN(over_root) RUN(over_roots) RUN(sqrt_approx) RUN(tanh_approx)
  }
  puts(cudaGetErrorString(cudaGetLastError()));
}
