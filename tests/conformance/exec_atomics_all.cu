// Atomic functions of every type and scope: what they leave and, in one thread, what they answer.
// flags: -std=c++17
#include "show.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;
template <class T> __device__ u64 word(T v) {
  u64 w = 0;
  memcpy(&w, &v, sizeof v < 8 ? sizeof v : 8);
  return w;
}
#define SCOPES(X, call, ...) X(call(__VA_ARGS__)) X(call##_block(__VA_ARGS__)) X(call##_system(__VA_ARGS__))
#define INTEGER(X, T, p, v)                                                                                                    \
  SCOPES(X, atomicAdd, p, (T)v) SCOPES(X, atomicExch, p, (T)(v * 5)) SCOPES(X, atomicMin, p, (T)(v + 3)) SCOPES(X, atomicMax, p, (T)(v * 2))   \
  SCOPES(X, atomicCAS, p, (T)(v * 2), (T)(v + 40)) SCOPES(X, atomicCAS, p, (T)(v + 40), (T)v) SCOPES(X, atomicAnd, p, (T)(v | 0x55))  \
  SCOPES(X, atomicOr, p, (T)(v & 0x33)) SCOPES(X, atomicXor, p, (T)(v * 3))
#define SUBTRACTED(X, T, p, v) SCOPES(X, atomicSub, p, (T)(v * 3))
#define COUNTED(X, p, v) SCOPES(X, atomicInc, p, (unsigned)v + 2) SCOPES(X, atomicDec, p, (unsigned)v + 5)
#define FLOATING(X, T, p, v) SCOPES(X, atomicAdd, p, (T)(v * 0.37)) SCOPES(X, atomicExch, p, (T)(v * 1.5))

#define X(e) o[k++] = word(e), o[k++] = word(*p);
__global__ void integers(int *p, u64 *o, int v) { int k = 0; INTEGER(X, int, p, v) SUBTRACTED(X, int, p, v) }
__global__ void words(unsigned *p, u64 *o, int v) { int k = 0; INTEGER(X, unsigned, p, v) SUBTRACTED(X, unsigned, p, v) COUNTED(X, p, v) }
__global__ void unsigned_longs(u64 *p, u64 *o, int v) { int k = 0; INTEGER(X, u64, p, v) }
__global__ void longs(long long *p, u64 *o, int v) {
  int k = 0;
  SCOPES(X, atomicMin, p, (long long)(v - 3)) SCOPES(X, atomicMax, p, (long long)(v * 2)) SCOPES(X, atomicAnd, p, (long long)(v | 0x55))
  SCOPES(X, atomicOr, p, (long long)(v & 0x33)) SCOPES(X, atomicXor, p, (long long)(v * 3))
}
__global__ void floats(float *p, u64 *o, int v) { int k = 0; FLOATING(X, float, p, v) }
__global__ void doubles(double *p, u64 *o, int v) {
  int k = 0;
  SCOPES(X, atomicAdd, p, v * 0.37)
}
__global__ void halves(__half *p, u64 *o, int v) { int k = 0; X(atomicAdd(p, __float2half(v * 0.37f))) X(atomicAdd(p, __float2half(v * -3.1f))) }
__global__ void pairs(__half2 *p, u64 *o, int v) { int k = 0; X(atomicAdd(p, __floats2half2_rn(v * 0.37f, v))) X(atomicAdd(p, __floats2half2_rn(1, v * -3.1f))) }
__global__ void bfloats(__nv_bfloat16 *p, u64 *o, int v) { int k = 0; X(atomicAdd(p, __float2bfloat16(v * 0.37f))) X(atomicAdd(p, __float2bfloat16(v * -3.1f))) }
__global__ void bfloat_pairs(__nv_bfloat162 *p, u64 *o, int v) { int k = 0; X(atomicAdd(p, __floats2bfloat162_rn(v * 0.37f, v))) X(atomicAdd(p, __floats2bfloat162_rn(1, v * -3.1f))) }
__global__ void shorts(unsigned short *p, u64 *o, int v) { int k = 0; X(atomicCAS(p, (unsigned short)v, (unsigned short)(v * 3))) X(atomicCAS(p, (unsigned short)(v * 3), (unsigned short)7)) }
__global__ void vectors(float4 *p, u64 *o, int v) {
  int k = 0;
  const float4 four = atomicAdd(p, make_float4(v, v * 0.5f, -v, 0.1f));
  const float2 two = atomicAdd((float2 *)p, make_float2(v * 0.3f, 2));
  o[k++] = word(four.x) ^ word(four.w) << 32, o[k++] = word(two.x) ^ word(two.y) << 32;
  o[k++] = word(p->x) ^ word(p->y) << 32, o[k++] = word(p->z) ^ word(p->w) << 32;
}
struct __align__(16) Wide { u64 low, high; };
__global__ void wides(Wide *p, u64 *o, int v) {
  int k = 0;
  const Wide now{(u64)v, 2}, next{(u64)v * 3, 4}, last{5, (u64)v};
#define Y(e) { const Wide w = e; o[k++] = w.low, o[k++] = w.high, o[k++] = p->low, o[k++] = p->high; }
  SCOPES(Y, atomicExch, p, now) SCOPES(Y, atomicCAS, p, now, next) SCOPES(Y, atomicCAS, p, next, last)
}
__global__ void together(int *i, unsigned *u, u64 *l, float *f, double *d, __half2 *h) {
  __shared__ unsigned s[4];
  if (threadIdx.x < 4) s[threadIdx.x] = 0;
  __syncthreads();
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(i, 3), atomicSub(i + 1, 2), atomicMin(i + 2, -(int)t), atomicMax(i + 3, (int)t);
  atomicInc(u, 100), atomicDec(u + 1, 77), atomicOr(u + 2, 1u << t % 32), atomicXor(u + 3, t), atomicAnd(u + 4, ~(1u << t % 20));
  atomicAdd(l, (u64)t), atomicMax(l + 1, (u64)t << 33), atomicXor(l + 2, (u64)t << 20);
  atomicAdd(f, 0.5f), atomicAdd(d, 0.25), atomicAdd(h, __floats2half2_rn(1, 0.5f));
  atomicInc_block(s, 50), atomicAdd_block(s + 1, t), atomicMax_block(s + 2, t), atomicDec_block(s + 3, 9);
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    for (int k = 0; k < 4; ++k) u[5 + k] = s[k];
}
template <class T> void run(const char *name, void (*kernel)(T *, u64 *, int), T start, int count) {
  u64 *o = array<u64>(256);
  T *p = array<T>(2);
  for (int v = 1; v < 100; v += 24) {
    p[0] = p[1] = start;
    kernel<<<1, 1>>>(p, o, v);
    digest(name, o, count);
  }
  for (int k = 0; k < 8 && k < count; ++k) printf(" %llx", o[k]);
  puts("");
}
int main() {
  run<int>("integers", integers, 17, 60);
  run<unsigned>("words", words, 17, 72);
  run<u64>("unsigned longs", unsigned_longs, 17, 54);
  run<long long>("longs", longs, -17, 30);
  run<float>("floats", floats, 1.7f, 12);
  run<double>("doubles", doubles, 1.7, 6);
  run<__half>("halves", halves, __float2half(1.7f), 4);
  run<__half2>("pairs", pairs, __floats2half2_rn(1.7f, 2), 4);
  run<__nv_bfloat16>("bfloats", bfloats, __float2bfloat16(1.7f), 4);
  run<__nv_bfloat162>("bfloat pairs", bfloat_pairs, __floats2bfloat162_rn(1.7f, 2), 4);
  run<unsigned short>("shorts", shorts, 25, 4);
  run<float4>("vectors", vectors, float4{1, 2, 3, 4}, 4);
  run<Wide>("wides", wides, Wide{1, 2}, 36);
  int *i = array<int>(8);
  unsigned *u = array<unsigned>(16);
  u64 *l = array<u64>(4);
  float *f = array<float>(1);
  double *d = array<double>(1);
  __half2 *h = array<__half2>(1);
  u[4] = ~0u;
  together<<<4, 96>>>(i, u, l, f, d, h);
  show("integers", i, 4);
  show("words", u, 9);
  show("longs", l, 3);
  show("floats", f, 1);
  show("doubles", d, 1);
  printf("halves: %g %g\n", __low2float(*h), __high2float(*h));
}
