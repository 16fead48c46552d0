// Functions applied to thousands of arguments: special values, boundaries, denormals, numbers of all sizes, any bits. For each
// function a line with a hash of all results and three of them; with an argument on the command line, all of them.
#pragma once
#include "show.h"
#include <cmath>
#include <type_traits>

constexpr int COUNT = 4096;

__host__ __device__ inline unsigned mixed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352dU;
  x ^= x >> 15; x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__host__ __device__ inline unsigned long long mixed_long(unsigned x) {
  return (unsigned long long)mixed(2 * x + 1) << 32 | mixed(2 * x + 2);
}

__device__ inline unsigned special_float(unsigned i) {
  const unsigned table[] = {0x00000000, 0x00000001, 0x00000002, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x01000000, 0x33800000, 0x34000000,
                            0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fbfffff, 0x3fc00000, 0x3fffffff, 0x40000000,
                            0x40200000, 0x40490fdb, 0x40c90fdb, 0x42b17218, 0x42c80000, 0x43000000, 0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff,
                            0x4b800000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000, 0x7f7fffff, 0x7f800000,
                            0x7fffffff, 0x3dcccccd, 0x3e99999a, 0x41200000};
  return table[i / 2 % 44] | i % 2 << 31;
}
__device__ inline unsigned long long special_double(unsigned i) {
  const unsigned long long table[] = {
      0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0008000000000000, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001,
      0x0020000000000000, 0x3c90000000000000, 0x3cb0000000000000, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff,
      0x3ff0000000000000, 0x3ff0000000000001, 0x3ff7ffffffffffff, 0x3ff8000000000000, 0x3fffffffffffffff, 0x4000000000000000, 0x4004000000000000,
      0x400921fb54442d18, 0x401921fb54442d18, 0x40862e42fefa39ef, 0x4059000000000000, 0x4090000000000000, 0x432fffffffffffff, 0x4330000000000000,
      0x4330000000000001, 0x433fffffffffffff, 0x4340000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000,
      0x43dfffffffffffff, 0x43e0000000000000, 0x43f0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7fffffffffffffff, 0x3fb999999999999a,
      0x47efffffe0000000, 0x47effffff0000000, 0x380fffffc0000000, 0x36a0000000000000, 0x3690000000000000, 0x4024000000000000};
  return table[i / 2 % 48] | (unsigned long long)(i % 2) << 63;
}
// What an argument is made of: `salt` tells several arguments of one function apart.
__device__ inline float argument(unsigned i, unsigned salt, float) {
  const unsigned r = mixed(i + salt * 100001);
  switch (i & 7) {
    case 0: return __fmul_rn(__uint2float_rn(r >> 8), 0x1p-24f);
    case 1: return __fmul_rn(__int2float_rn(int(r) >> 8), 10 * 0x1p-23f);
    case 2: return __fmul_rn(__int2float_rn(int(r) >> 8), 128 * 0x1p-23f);
    case 3: return __uint_as_float(special_float(salt ? r >> 8 : i >> 3));
    case 4: return __uint_as_float((r & 0x80ffffff) + ((100 + (r >> 24) % 54) << 23));
    case 5: return __fmul_rn(__int2float_rn((int(r) >> 8) % 400), 0.5f);
    case 6: return __fadd_rn(1.0f, __fmul_rn(__int2float_rn(int(r) >> 8), 0x1p-26f));
  }
  return __uint_as_float((r & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : r);
}
__device__ inline double argument(unsigned i, unsigned salt, double) {
  const unsigned long long r = mixed_long(i + salt * 100001);
  switch (i & 7) {
    case 0: return __dmul_rn(__ull2double_rn(r >> 11), 0x1p-53);
    case 1: return __dmul_rn(__ll2double_rn((long long)r >> 11), 10 * 0x1p-52);
    case 2: return __dmul_rn(__ll2double_rn((long long)r >> 11), 700 * 0x1p-52);
    case 3: return __longlong_as_double(special_double(salt ? unsigned(r >> 8) : i >> 3));
    case 4: return __longlong_as_double((r & 0x801fffffffffffff) + ((990 + (r >> 55) % 60) << 52));
    case 5: return __dmul_rn(__ll2double_rn((int(r) >> 8) % 400), 0.5);
    case 6: return __dadd_rn(1.0, __dmul_rn(__ll2double_rn((long long)r >> 11), 0x1p-56));
  }
  return __longlong_as_double((r << 1) > 0xffe0000000000000 ? 0x7fffffffffffffff : r);
}
__device__ inline unsigned argument(unsigned i, unsigned salt, unsigned) {
  const unsigned r = mixed(i + salt * 100001), edges[] = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7f80ff01, 0x80007fff};
  return (i & 7) == 3 ? edges[(salt ? r >> 8 : i >> 3) & 7] : (i & 7) == 4 ? r >> (r & 31) : r;
}
__device__ inline unsigned long long argument(unsigned i, unsigned salt, unsigned long long) {
  const unsigned long long r = mixed_long(i + salt * 100001);
  const unsigned long long edges[] = {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffffffffffff, 0xffffff7fffffffff, 0x0020000000000001};
  return (i & 7) == 3 ? edges[(salt ? r >> 8 : i >> 3) & 7] : (i & 7) == 4 ? r >> (r & 63) : r;
}

// The bits of a result; what is not a number has one pattern.
__device__ inline unsigned long long word(float v) { return v != v ? 0x7fffffff : __float_as_uint(v); }
__device__ inline unsigned long long word(double v) { return v != v ? 0x7fffffffffffffff : __double_as_longlong(v); }
template <class T> __device__ inline typename std::enable_if<std::is_integral<T>::value, unsigned long long>::type word(T v) {
  return (unsigned long long)v;
}

inline void report(const char *name, const unsigned long long *values, bool all) {
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < COUNT; ++i) hash = (hash ^ values[i]) * 1099511628211ull;
  printf("%s: %016llx, %llx %llx %llx\n", name, hash, values[0], values[9], values[1234]);
  for (int i = 0; all && i < COUNT; ++i) printf("%llx%c", values[i], i % 16 == 15 ? '\n' : ' ');
}

// A kernel of the functions LIST(X) of x, y, z (and w) of type T, and their names.
#define SWEEP(kernel, T, LIST)                                                                                     \
  __global__ void kernel(unsigned long long *o) {                                                                  \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
    const T x = argument(i, 0, (T)0), y = argument(i, 1, (T)0), z = argument(i, 2, (T)0), w = argument(i, 3, (T)0);  \
    const int n = (int)(mixed(i) >> 8) % 9 - 2;                                                                    \
    (void)x, (void)y, (void)z, (void)w, (void)n;                                                                   \
    int k = 0;                                                                                                     \
    LIST(SWEEP_ONE)                                                                                                \
  }                                                                                                                \
  static const char *const kernel##_names[] = {LIST(SWEEP_NAME)};
#define SWEEP_ONE(...) o[k++ * COUNT + i] = word(__VA_ARGS__);
#define SWEEP_NAME(...) #__VA_ARGS__,
#define RUN_SWEEP(kernel, all)                                            \
  {                                                                       \
    const int count = sizeof kernel##_names / sizeof *kernel##_names;     \
    unsigned long long *o = array<unsigned long long>(count * COUNT);     \
    kernel<<<COUNT / 128, 128>>>(o);                                      \
    finish(#kernel);                                                      \
    for (int f = 0; f < count; ++f) report(kernel##_names[f], o + f * COUNT, all); \
  }
