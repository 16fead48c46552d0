// mma of doubles (in which order they are added shows) and of whole numbers of 8 bits, saturated and not.
#include "show.h"
#include <cstdint>
#include "mma_terms.h"
__device__ double wide(int test, int which, int line, int k) {
  const unsigned r = blend(((test * 3 + which) * 256 + line) * 64 + k + 777), s = blend(r + 1);
  const int spread = test % 4 == 0 ? 3 : test % 4 == 1 ? 30 : test % 4 == 2 ? 60 : 200;
  const int exponent = 1023 + int(s % (2 * spread)) - spread;
  return __longlong_as_double((long long)(r >> 31) << 63 | (long long)exponent << 52 | ((long long)(r & 0xfffff) << 32 | blend(s)));
}
__global__ void d884(double *out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4, test = blockIdx.x;
  double a = wide(test, 0, g, t), b = wide(test, 1, g, t), c[2], d[2];
  for (int i = 0; i < 2; ++i) c[i] = wide(test, 2, g * 8 + t * 2 + i, 0);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=d"(d[0]), "=d"(d[1]) : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
  for (int i = 0; i < 2; ++i) out[test * 64 + g * 8 + t * 2 + i] = d[i];
}
__global__ void d1684(double *out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4, test = blockIdx.x;
  double a[2], b, c[4], d[4];
  for (int i = 0; i < 2; ++i) a[i] = wide(test, 0, g + 8 * i, t);
  b = wide(test, 1, g, t);
  for (int i = 0; i < 4; ++i) c[i] = wide(test, 2, (g + i / 2 * 8) * 8 + t * 2 + i % 2, 0);
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
  for (int i = 0; i < 4; ++i) out[test * 128 + (g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}
__global__ void d1688(double *out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4, test = blockIdx.x;
  double a[4], b[2], c[4], d[4];
  for (int i = 0; i < 4; ++i) a[i] = wide(test, 0, g + i % 2 * 8, t + i / 2 * 4);
  for (int i = 0; i < 2; ++i) b[i] = wide(test, 1, g, t + 4 * i);
  for (int i = 0; i < 4; ++i) c[i] = wide(test, 2, (g + i / 2 * 8) * 8 + t * 2 + i % 2, 0);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
  for (int i = 0; i < 4; ++i) out[test * 128 + (g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}
__global__ void d16816(double *out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4, test = blockIdx.x;
  double a[8], b[4], c[4], d[4];
  for (int i = 0; i < 8; ++i) a[i] = wide(test, 0, g + i % 2 * 8, t + i / 2 * 4);
  for (int i = 0; i < 4; ++i) b[i] = wide(test, 1, g, t + 4 * i);
  for (int i = 0; i < 4; ++i) c[i] = wide(test, 2, (g + i / 2 * 8) * 8 + t * 2 + i % 2, 0);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};" : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
    : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
  for (int i = 0; i < 4; ++i) out[test * 128 + (g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}
template <class Kernel> void doubles(const char *name, Kernel kernel, int each) {
  double *o = array<double>(8 * each);
  kernel<<<8, 32>>>(o);
  finish(name);
  for (int t = 0; t < 8; ++t) {
    printf("%s %d ", name, t);
    digest("", o + t * each, each);
  }
}
// Whole numbers: register words of any bits.
__device__ unsigned word_of(int test, int which, int i) { return blend((test * 3 + which) * 4096 + threadIdx.x * 16 + i + 99); }
#define INTEGERS(name, text)                                                                                       \
  __global__ void name(int *out) {                                                                                 \
    const int test = blockIdx.x; int c[4], d[4];                                                                   \
    for (int i = 0; i < 4; ++i) { c[i] = word_of(test, 2, i); if (test % 2) c[i] = (c[i] >> 20) ^ (c[i] & 1 ? 0x7fffffff : (int)0x80000000); } \
    asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(word_of(test, 0, 0)), "r"(word_of(test, 0, 1)), "r"(word_of(test, 0, 2)), "r"(word_of(test, 0, 3)), "r"(word_of(test, 1, 0)), "r"(word_of(test, 1, 1)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); \
    for (int i = 0; i < 4; ++i) out[(test * 32 + threadIdx.x) * 4 + i] = d[i];                                     \
  }
#define INTEGERS_SMALL(name, text)                                                                                 \
  __global__ void name(int *out) {                                                                                 \
    const int test = blockIdx.x; int c[4], d[4];                                                                   \
    for (int i = 0; i < 4; ++i) { c[i] = word_of(test, 2, i); if (test % 2) c[i] = (c[i] >> 20) ^ (c[i] & 1 ? 0x7fffffff : (int)0x80000000); } \
    asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(word_of(test, 0, 0)), "r"(word_of(test, 0, 1)), "r"(word_of(test, 1, 0)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); \
    for (int i = 0; i < 4; ++i) out[(test * 32 + threadIdx.x) * 4 + i] = d[i];                                     \
  }
INTEGERS(s8k32, "m16n8k32.row.col.s32.s8.s8.s32")
INTEGERS(u8k32, "m16n8k32.row.col.s32.u8.u8.s32")
INTEGERS(s8u8k32, "m16n8k32.row.col.s32.s8.u8.s32")
INTEGERS(s8k32sat, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
INTEGERS(u8s8k32sat, "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
INTEGERS_SMALL(s8k16, "m16n8k16.row.col.s32.s8.s8.s32")
INTEGERS_SMALL(u8k16sat, "m16n8k16.row.col.satfinite.s32.u8.u8.s32")
template <class Kernel> void integers(const char *name, Kernel kernel) {
  int *o = array<int>(4 * 128);
  kernel<<<4, 32>>>(o);
  show(name, o, 8); show(name, o + 128, 8);
  digest(name, o, 4 * 128);
}
int main() {
  doubles("d884", d884, 64); doubles("d1684", d1684, 128); doubles("d1688", d1688, 128); doubles("d16816", d16816, 128);
#define DO(name) integers(#name, name);
  DO(s8k32) DO(u8k32) DO(s8u8k32) DO(s8k32sat) DO(u8s8k32sat) DO(s8k16) DO(u8k16sat)
}
