// Floating-point numbers made integers: beyond the ends of a type, NaN, casts of every form, intrinsics, PTX.
#include "show.h"
#include <cmath>
#include <cstring>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef long long s64;

struct Mixed {
  float weight;
  int whole;
};
__device__ int returned(float x) { return x; }
__device__ unsigned returned_unsigned(double x) { return x * 1.0; }
template <class T> __device__ s64 of_template(T x) { return (long long)x; }

template <class T> __global__ void casts(s64 *o, const T *a) {
  const T x = a[threadIdx.x];
  o += threadIdx.x * 12;
  o[0] = (signed char)x;
  o[1] = (unsigned char)x;
  o[2] = (short)x;
  o[3] = (unsigned short)x;
  o[4] = (int)x;
  o[5] = (unsigned int)x;
  o[6] = (long long)x;
  o[7] = (s64)(unsigned long long)x;
  o[8] = static_cast<int>(x);
  o[9] = int(x) + 1;
  o[10] = (int)-x;
  o[11] = (long)(x * 2) ^ (short)(int)(x + 1);
}
template <class T> __global__ void implicit(s64 *o, const T *a, u8 *c, Mixed *m) {
  const T x = a[threadIdx.x];
  o += threadIdx.x * 12;
  int i = x, j = -x;
  unsigned u = x;
  const unsigned char b = x * T(0.5);
  short s[2];
  s[0] = x;
  s[1] = x + x;
  c[threadIdx.x] = x;
  unsigned long long w;
  w = x;
  m[threadIdx.x].whole = (int)(x * m[threadIdx.x].weight);
  for (int t = x; t < 0; t = 0) u ^= t;
  o[0] = i;
  o[1] = j;
  o[2] = u;
  o[3] = b;
  o[4] = s[0];
  o[5] = s[1];
  o[6] = c[threadIdx.x];
  o[7] = (s64)w;
  o[8] = returned(x);
  o[9] = returned_unsigned(x);
  o[10] = of_template(x);
  o[11] = m[threadIdx.x].whole;
}
__global__ void intrinsics(s64 *o, const float *a, const double *d) {
  const float x = a[threadIdx.x];
  const double y = d[threadIdx.x];
  o += threadIdx.x * 24;
#define EACH(at, to, suffix)                                                                                   \
  o[at] = (s64)__float2##to##_##suffix(x), o[at + 1] = (s64)__double2##to##_##suffix(y);
  EACH(0, int, rn) EACH(2, uint, rz) EACH(4, ll, rd) EACH(6, ull, ru) EACH(8, int, rz) EACH(10, uint, rn) EACH(12, ll, rz)
  int s;
  unsigned u;
  short h;
  u16 v;
  s64 l;
  u64 w;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(s) : "f"(x));
  asm("cvt.rni.u32.f64 %0, %1;" : "=r"(u) : "d"(y));
  asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(h) : "f"(x));
  asm("cvt.rzi.u16.f64 %0, %1;" : "=h"(v) : "d"(y));
  asm("cvt.rmi.s64.f32 %0, %1;" : "=l"(l) : "f"(x));
  asm("cvt.rpi.u64.f64 %0, %1;" : "=l"(w) : "d"(y));
  o[14] = s;
  o[15] = u;
  o[16] = h;
  o[17] = v;
  o[18] = l;
  o[19] = (s64)w;
  o[20] = (s64)rintf(x);
  o[21] = threadIdx.x % 2 ? lrintf(x) : llround(y);
  o[22] = (int)(float)y;
  o[23] = (int)roundf(x) ^ (int)ceil(y);
}
template <class T> void show_all(const char *name, const T *values, int count, const s64 *o, int columns) {
  for (int i = 0; i < count; ++i) {
    printf("%s %.9g:", name, (double)values[i]);
    for (int k = 0; k < columns; ++k) printf(" %llx", o[i * columns + k]);
    puts("");
  }
}
int main() {
  const int count = 28;
  const double numbers[count] = {0,     -0.0,  0.5,   -0.75,        1.5,          2.5,           -3.5,          127,         128.5,
                                 -129,  255.5, 256,   -1,           32767.5,      32768,         -32769,        65536.5,     2147483648.0,
                                 -2147483649.0, 4294967296.0, 3e9, 9.3e18, -9.3e18, 1.9e19, 1e30, INFINITY, -INFINITY, NAN};
  float *a;
  double *d;
  s64 *o;
  u8 *c;
  Mixed *m;
  cudaMallocManaged(&a, count * sizeof *a);
  cudaMallocManaged(&d, count * sizeof *d);
  cudaMallocManaged(&o, count * 24 * sizeof *o);
  cudaMallocManaged(&c, count);
  cudaMallocManaged(&m, count * sizeof *m);
  for (int i = 0; i < count; ++i) a[i] = (float)numbers[i], d[i] = numbers[i], m[i].weight = 2;
  casts<<<1, count>>>(o, a);
  cudaDeviceSynchronize();
  show_all("casts float", a, count, o, 12);
  casts<<<1, count>>>(o, d);
  cudaDeviceSynchronize();
  show_all("casts double", d, count, o, 12);
  implicit<<<1, count>>>(o, a, c, m);
  cudaDeviceSynchronize();
  show_all("implicit float", a, count, o, 12);
  implicit<<<1, count>>>(o, d, c, m);
  cudaDeviceSynchronize();
  show_all("implicit double", d, count, o, 12);
  intrinsics<<<1, count>>>(o, a, d);
  cudaDeviceSynchronize();
  show_all("intrinsics", d, count, o, 24);
  puts(cudaGetErrorString(cudaGetLastError()));
}
