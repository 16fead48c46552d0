// Products of halves and bfloat16, and of pairs of them: which are rounded with the sums that they are part of.
// flags: -std=c++17
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int COUNT = 4096, RESULTS = 4;

// NAME, and what a thread makes of a to f: up to four results r0 to r3.
#define SHAPES(X)                                                                                                     \
  X(sum, r0 = a * b + c; r1 = c + a * b; r2 = a * b - c; r3 = c - a * b;)                                             \
  X(held, T p = a * b; r0 = p + c; T q = c; q += a * b; r1 = q; T s = c; s -= d * e; r2 = s;)                         \
  X(twice, T p = a * b; r0 = p; r1 = p + c; T q = c * d; r2 = q + e; r3 = q - f;)                                     \
  X(factor, T p = a * b; r0 = p * c; r1 = p + d; T q = d * e; T s = q + c; r2 = s * q + f;)                           \
  X(itself, T p = a * b; r0 = p + p; T q = c * d; r1 = q - q; r2 = q + e; T s = a * a; r3 = s + a;)                   \
  X(two, r0 = a * b + c * d; r1 = c * d + a * b; r2 = a * b - c * d; r3 = a * b + (c - d * e);)                       \
  X(three, r0 = a * b + c * d + e * f; r1 = (a * b + c * d) + (d * e + a * f); r2 = a * b + c * d - e * f + a * d;)   \
  X(shared, T p = a * b, q = c * d; r0 = p + q; r1 = p + e; T s = d * e, t = b * f; r2 = s - t; r3 = t + a;)          \
  X(order, T p = a * b, q = c * d; r0 = q + e; r1 = p + f; r2 = q + p;)                                               \
  X(written_twice, r0 = a * b + c; r1 = a * b; r2 = c * d + e; r3 = d * c - f;)                                       \
  X(many, T p = a * b; r0 = p + c; r1 = d + p; r2 = p - e; r3 = f - p;)                                               \
  X(branch, T p = a * b; if (odd) r0 = p + c; T q = c * d; if (odd) r1 = q; else r1 = q - e;)                         \
  X(chosen, r0 = odd ? a * b : c; r0 = r0 + d; r1 = odd ? a * b + c : d; T p = e * f; r2 = p + (odd ? a : b);)        \
  X(select, T p = a * b; T q = c; if (odd) q = d; r0 = p + q; T s = c * d; r1 = e; if (odd) r1 = s; r1 = r1 + f;)     \
  X(loop, T s = a; for (int k = 0; k < n; ++k) s = s * b + x[i + k]; r0 = s;                                          \
    T t = c; for (int k = 0; k < n; ++k) t += x[i + k] * x[i + k + n]; r1 = t;)                                       \
  X(before_loop, T p = a * b, s = c; for (int k = 0; k < n; ++k) s = s * x[i + k] + p; r0 = s;                        \
    T t = d; for (int k = 0; k < n; ++k) t = t * e - c * d; r1 = t;)                                                  \
  X(short_loop, T p = a * b, s = c; for (int k = 0; k < 4; ++k) s += p; r0 = s;                                       \
    T t = d; for (int k = 0; k < 3; ++k) t -= e * x[i + k]; r1 = t; for (int k = 0; k < 4; ++k) t = c * d - t; r2 = t;) \
  X(two_in_loop, T s = a; for (int k = 0; k < n; ++k) s = a * b + x[i + k] * s; r0 = s;                               \
    T t = c; for (int k = 0; k < n; ++k) t = t * x[i + k] + c * d; r1 = t;)                                           \
  X(early, T p = a * b; r0 = c; if (odd && n > 2) return; r0 = p + c; T q = d * e; r1 = q + f;)                       \
  X(parameter, T p = u * v; r0 = c; if (odd) r0 = p + c; T q = u * d; r1 = e; if (!odd) r1 = q - e;                   \
    T s = c; for (int k = 0; k < n; ++k) s = s * x[i + k] + u * v; r2 = s;)                                           \
  X(array, T t[3]; for (int k = 0; k < 3; ++k) t[k] = c; for (int k = 0; k < 3; ++k) t[k] += a * x[i + k];            \
    r0 = t[0]; r1 = t[1] * t[2] + d;)

// The same by names: M, A, S for __hmul, __hadd, __hsub, or those of pairs.
#define NAMED(X, M, A, S, F, MR, AR, SR)                                                                              \
  X(named, r0 = A(M(a, b), c); r1 = A(c, M(a, b)); r2 = S(M(a, b), c); r3 = S(c, M(a, b));)                           \
  X(to_nearest, r0 = AR(M(a, b), c); r1 = A(MR(a, b), c); r2 = SR(c, M(a, b)); r3 = S(MR(c, d), MR(e, f));)           \
  X(named_held, auto p = M(a, b); r0 = A(p, c); r1 = S(p, d); auto q = M(c, d); r2 = q; r3 = A(q, e);)                \
  X(named_two, r0 = A(M(a, b), M(c, d)); r1 = S(M(c, d), M(a, b)); r2 = A(A(M(a, b), M(c, d)), M(e, f));)             \
  X(beside_fma, r0 = F(a, b, M(c, d)); r1 = F(M(a, b), c, d); r2 = A(F(a, b, c), M(d, e)); r3 = a * b + F(c, d, e);)

#define NEGATED(X)                                                                                                    \
  X(negated, r0 = -(a * b) + c; r1 = (-a) * b + c; r2 = -(a * b) - c; r3 = a * -b - -c;)                              \
  X(negated_held, auto p = a * b; r0 = -p + c; r1 = p + d; r2 = -(c * d) + e * f; r3 = a - -(b * f);)

#define CONSTANTS(X, C)                                                                                               \
  X(constant, r0 = a * C + b; r1 = c * d + C; r2 = a + C * c; auto p = e * C; if (odd) r3 = p + f;)

#define BODY(TYPE, ...)                                                                                               \
  const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
  const bool odd = i & 1;                                                                                             \
  using T = TYPE;                                                                                                     \
  T a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3], e = x[i + 4], f = x[i + 5];                                   \
  T r0 = a, r1 = a, r2 = a, r3 = a;                                                                                   \
  __VA_ARGS__ o[i] = r0;                                                                                              \
  o[i + COUNT] = r1;                                                                                                  \
  o[i + 2 * COUNT] = r2;                                                                                              \
  o[i + 3 * COUNT] = r3;
#define KERNEL(TYPE, NAME, ...)                                                                                       \
  __global__ void TYPE##_##NAME(TYPE *__restrict__ o, const TYPE *__restrict__ x, TYPE u, TYPE v, int n) {            \
    BODY(TYPE, __VA_ARGS__)                                                                                           \
  }
#define IN_HALF(NAME, ...) KERNEL(half, NAME, __VA_ARGS__)
#define IN_HALF2(NAME, ...) KERNEL(half2, NAME, __VA_ARGS__)
#define IN_BFLOAT(NAME, ...) KERNEL(nv_bfloat16, NAME, __VA_ARGS__)
#define IN_BFLOAT2(NAME, ...) KERNEL(nv_bfloat162, NAME, __VA_ARGS__)
#define ALL_OF_ONE(X) SHAPES(X) NEGATED(X) NAMED(X, __hmul, __hadd, __hsub, __hfma, __hmul_rn, __hadd_rn, __hsub_rn)
#define ALL_OF_TWO(X) SHAPES(X) NAMED(X, __hmul2, __hadd2, __hsub2, __hfma2, __hmul2_rn, __hadd2_rn, __hsub2_rn)
#define SATURATED(X, M, A, S, MS)                                                                                     \
  X(saturated, r0 = A(M(a, b), c); r1 = S(c, M(a, b)); r2 = A(MS(a, b), c); r3 = A(M(a, b), M(c, d));)

ALL_OF_ONE(IN_HALF)
ALL_OF_ONE(IN_BFLOAT)
ALL_OF_TWO(IN_HALF2)
ALL_OF_TWO(IN_BFLOAT2)
NEGATED(IN_HALF2)
CONSTANTS(IN_HALF, half(2.7f))
CONSTANTS(IN_BFLOAT, nv_bfloat16(2.7f))
SATURATED(IN_HALF, __hmul, __hadd_sat, __hsub_sat, __hmul_sat)
SATURATED(IN_BFLOAT, __hmul, __hadd_sat, __hsub_sat, __hmul_sat)
SATURATED(IN_HALF2, __hmul2, __hadd2_sat, __hsub2_sat, __hmul2_sat)
SATURATED(IN_BFLOAT2, __hmul2, __hadd2_sat, __hsub2_sat, __hmul2_sat)

// Lanes of pairs, and what is converted in between.
__global__ void mixed(half *o, const half *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const half2 a(x[i], x[i + 1]), b(x[i + 2], x[i + 3]), c(x[i + 4], x[i + 5]);
  const half2 p = a * b, q = b * c;
  const half2 r = p + c, s = q + a;
  o[i] = r.x * r.y;
  o[i + COUNT] = __hadd(__low2half(q), s.y);
  o[i + 2 * COUNT] = __float2half(__half2float(a.x * b.x) + 1.0f) + a.y;
  o[i + 3 * COUNT] = __habs(a.x * c.x) + __hmax(b.x * c.y, a.y);
}

// In templates, where the types are not written.
template <class T> __global__ void generic(T *o, const T *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
  const T p = a * b, q = c * d;
  T s = c;
  for (int k = 0; k < n; ++k) s += x[i + k] * x[i + n];
  o[i] = p + d;
  o[i + COUNT] = q - a;
  o[i + 2 * COUNT] = q;
  o[i + 3 * COUNT] = a * d + b * c + s;
}

template <class T> T value_of(float one, float two);
template <> half value_of(float one, float) { return __float2half(one); }
template <> nv_bfloat16 value_of(float one, float) { return __float2bfloat16(one); }
template <> half2 value_of(float one, float two) { return __floats2half2_rn(one, two); }
template <> nv_bfloat162 value_of(float one, float two) { return __floats2bfloat162_rn(one, two); }

template <class T> struct Data {
  T *x, *o;
  Data() {
    cudaMallocManaged(&x, (COUNT + 64) * sizeof(T));
    cudaMallocManaged(&o, RESULTS * COUNT * sizeof(T));
    unsigned s = 12345;
    for (int i = 0; i < COUNT + 64; ++i) {
      float two[2];
      for (float &one : two) {
        s = s * 1664525u + 1013904223u;
        one = (int(s >> 8) % 20001 - 10000) / 5000.0f;
        s = s * 1664525u + 1013904223u;
        one *= (s >> 24) % 8 ? 1.0f : 0.0009765625f;  // some products are subnormal halves
      }
      x[i] = value_of<T>(two[0], two[1]);
    }
  }
  T *cleared() {
    memset(static_cast<void *>(o), 0, RESULTS * COUNT * sizeof(T));
    return o;
  }
  void show(const char *name) {
    if (cudaError_t error = cudaDeviceSynchronize()) printf("%s: %s\n", name, cudaGetErrorName(error));
    printf("%s", name);
    const auto *words = reinterpret_cast<const unsigned short *>(o);
    const int each = COUNT * sizeof(T) / 2;
    for (int r = 0; r < RESULTS; ++r) {
      unsigned hash = 0;
      for (int i = 0; i < each; ++i) hash = hash * 31 + words[r * each + i];
      printf(" %08x:%04x", hash, words[r * each + 10]);
    }
    printf("\n");
  }
};

#define RUN(TYPE, NAME)                                                                                               \
  TYPE##_##NAME<<<COUNT / 128, 128>>>(data.cleared(), data.x, value_of<TYPE>(1.3f, -0.7f), value_of<TYPE>(0.9f, 1.1f), 5); \
  data.show(#TYPE " " #NAME);
#define RUN_HALF(NAME, ...) RUN(half, NAME)
#define RUN_HALF2(NAME, ...) RUN(half2, NAME)
#define RUN_BFLOAT(NAME, ...) RUN(nv_bfloat16, NAME)
#define RUN_BFLOAT2(NAME, ...) RUN(nv_bfloat162, NAME)
#define GENERIC(TYPE)                                                                                                 \
  generic<<<COUNT / 128, 128>>>(data.cleared(), data.x, 5);                                                           \
  data.show(#TYPE " generic");

int main() {
  {
    Data<half> data;
    ALL_OF_ONE(RUN_HALF) CONSTANTS(RUN_HALF, ) SATURATED(RUN_HALF, , , , ) GENERIC(half)
    mixed<<<COUNT / 128, 128>>>(data.cleared(), data.x);
    data.show("mixed");
  }
  {
    Data<nv_bfloat16> data;
    ALL_OF_ONE(RUN_BFLOAT) CONSTANTS(RUN_BFLOAT, ) SATURATED(RUN_BFLOAT, , , , ) GENERIC(nv_bfloat16)
  }
  {
    Data<half2> data;
    ALL_OF_TWO(RUN_HALF2) NEGATED(RUN_HALF2) SATURATED(RUN_HALF2, , , , ) GENERIC(half2)
  }
  {
    Data<nv_bfloat162> data;
    ALL_OF_TWO(RUN_BFLOAT2) SATURATED(RUN_BFLOAT2, , , , ) GENERIC(nv_bfloat162)
  }
}
