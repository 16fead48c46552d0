/* Complex numbers for C, with CUDA's names. */
#ifndef GPUOPT_CUCOMPLEX_H
#define GPUOPT_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* as programs ask for it */

#include <math.h>

#include "vector_types.h"

/* Single precision and double precision: names with f or without. */
#define GPUOPT_COMPLEX(T, Rr, suffix, f)                                                                            \
  static inline Rr cuCreal##suffix(T x) { return x.x; }                                                             \
  static inline Rr cuCimag##suffix(T x) { return x.y; }                                                             \
  static inline T cuConj##suffix(T x) { T r = {x.x, -x.y}; return r; }                                             \
  static inline T cuCadd##suffix(T x, T y) { T r = {x.x + y.x, x.y + y.y}; return r; }                             \
  static inline T cuCsub##suffix(T x, T y) { T r = {x.x - y.x, x.y - y.y}; return r; }                             \
  static inline T cuCmul##suffix(T x, T y) {                                                                       \
    T r = {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                                                          \
    return r;                                                                                                      \
  }                                                                                                                \
  static inline Rr cuCabs##suffix(T x) { return hypot##f(x.x, x.y); }                                               \
  static inline T cuCdiv##suffix(T x, T y) { /* scaled, so that squares do not overflow */                         \
    Rr s = fabs##f(y.x) + fabs##f(y.y), a = x.x / s, b = x.y / s, c = y.x / s, d = y.y / s, n = c * c + d * d;      \
    T r = {(a * c + b * d) / n, (b * c - a * d) / n};                                                              \
    return r;                                                                                                      \
  }                                                                                                                \
  static inline T cuCfma##suffix(T x, T y, T z) { return cuCadd##suffix(cuCmul##suffix(x, y), z); }
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
GPUOPT_COMPLEX(cuFloatComplex, float, f, f)
GPUOPT_COMPLEX(cuDoubleComplex, double, , )
#undef GPUOPT_COMPLEX

static inline cuFloatComplex make_cuFloatComplex(float r, float i) { cuFloatComplex c = {r, i}; return c; }
static inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { cuDoubleComplex c = {r, i}; return c; }
static inline cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#endif
