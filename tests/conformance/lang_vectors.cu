// Vector types: what makes them, their sizes and alignments, complex numbers.
// flags: -std=c++17
#include "sweep.h"
#include <cuComplex.h>

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned int uint_;
typedef unsigned long ulong_;
typedef long long longlong;
typedef unsigned long long ulonglong;
#define EACH(X)                                                                                                  \
  X(char, schar) X(uchar, uchar) X(short, short) X(ushort, ushort_) X(int, int) X(uint, uint_) X(long, long) X(ulong, ulong_) \
  X(longlong, longlong) X(ulonglong, ulonglong) X(float, float) X(double, double)
#define FILL(name, type)                                                                              \
  {                                                                                                   \
    const name##1 a = make_##name##1((type)3);                                                        \
    const name##2 b = make_##name##2((type)4, (type)5);                                               \
    const name##3 c = make_##name##3((type)6, (type)7, (type)8);                                      \
    const name##4 d = make_##name##4((type)9, (type)10, (type)11, (type)-12);                         \
    o[k++] = a.x + b.x * 10 + b.y * 100 + c.x * 2 + c.y * 3 + c.z * 5;                                \
    o[k++] = (long long)(d.x * 7 + d.y * 11 + d.z * 13 + d.w);                                                     \
    o[k++] = sizeof a + 100 * sizeof b + 10000 * sizeof c + 1000000 * sizeof d;                       \
    o[k++] = alignof(name##1) + 100 * alignof(name##2) + 10000 * alignof(name##3) + 1000000 * alignof(name##4); \
  }
__global__ void vectors(long long *o) {
  int k = 0;
  EACH(FILL)
  const dim3 d(2, 3);
  const uint3 u = d;
  o[k++] = d.x + 10 * d.y + 100 * d.z + 1000 * u.x + 10000 * u.y + 100000 * u.z + sizeof(dim3);
}
__global__ void aligned(long long *o) {
  int k = 0;
#define ALIGNED(name, type)                                                                                                     \
  {                                                                                                                             \
    const name##_16a a = make_##name##_16a((type)1, (type)2, (type)3, (type)4);                                                 \
    const name##_32a b = make_##name##_32a((type)5, (type)6, (type)7, (type)8);                                                 \
    o[k++] = (long long)(a.x + a.y * 10 + a.z * 100 + a.w * 1000 + b.x * 2 + b.y * 3 + b.z * 5 + b.w * 7);                                   \
    o[k++] = sizeof a + 100 * sizeof b + 10000 * alignof(name##_16a) + 1000000 * alignof(name##_32a);                           \
  }
  ALIGNED(long4, long) ALIGNED(ulong4, ulong_) ALIGNED(longlong4, longlong) ALIGNED(ulonglong4, ulonglong) ALIGNED(double4, double)
}
// Each function by itself: what else uses a product decides whether it is rounded with a sum.
typedef cuFloatComplex F;
typedef cuDoubleComplex D;
#define BOTH(name, of_float, of_double)                                        \
  __device__ __noinline__ F name(F a, F b, F c) { return of_float; }           \
  __device__ __noinline__ D name(D a, D b, D c) { return of_double; }
BOTH(sum, cuCaddf(a, b), cuCadd(a, b))
BOTH(difference, cuCsubf(a, b), cuCsub(a, b))
BOTH(product, cuCmulf(a, b), cuCmul(a, b))
BOTH(quotient, cuCdivf(a, b), cuCdiv(a, b))
BOTH(fused, cuCfmaf(a, b, c), cuCfma(a, b, c))
BOTH(conjugate, cuConjf(a), cuConj(a))
BOTH(turned, make_cuFloatComplex(cuCimagf(b), cuCrealf(c)), make_cuDoubleComplex(cuCimag(b), cuCreal(c)))
BOTH(length, make_cuComplex(cuCabsf(a), cuCabsf(c)), make_cuDoubleComplex(cuCabs(a), cuCabs(c)))
__device__ __noinline__ F narrowed(D a) { return cuComplexDoubleToFloat(a); }
BOTH(narrow, cuComplexDoubleToFloat(cuComplexFloatToDouble(a)), cuComplexFloatToDouble(narrowed(b)))
#define COMPLEX(X) X(sum) X(difference) X(product) X(quotient) X(fused) X(conjugate) X(turned) X(length) X(narrow)
template <class C, class T> __global__ void complexes(unsigned long long *o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const T zero = 0;
  const C a{argument(i, 0, zero), argument(i, 1, zero)}, b{argument(i, 2, zero), argument(i, 3, zero)}, c{argument(i, 4, zero), argument(i, 5, zero)};
  int k = 0;
#define X(f) { const C v = f(a, b, c); o[k++ * COUNT + i] = word(v.x); o[k++ * COUNT + i] = word(v.y); }
  COMPLEX(X)
#undef X
}
int main(int argc, char **) {
  long long *o = array<long long>(64);
  vectors<<<1, 1>>>(o);
  show("vectors", o, 49);
  aligned<<<1, 1>>>(o);
  show("aligned", o, 10);
#define X(f) #f " real", #f " imaginary",
  const char *const names[] = {COMPLEX(X)};
  unsigned long long *c = array<unsigned long long>(18 * COUNT);
  complexes<F, float><<<COUNT / 128, 128>>>(c);
  finish("complexes");
  for (int k = 0; k < 18; ++k) report(names[k], c + k * COUNT, argc > 1);
  complexes<D, double><<<COUNT / 128, 128>>>(c);
  finish("complexes");
  for (int k = 0; k < 18; ++k) report(names[k], c + k * COUNT, argc > 1);
}
