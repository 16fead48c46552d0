/* Complex numbers for C, with CUDA's names. */
#ifndef GPUOPT_CUCOMPLEX_H
#define GPUOPT_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* as programs ask for it */

#include <math.h>

#include "vector_types.h"

/* Single precision and double precision: names with f or without. */
#define GPUOPT_COMPLEX(T, Rr, suffix, f, MOST)                                                                      \
  static inline Rr cuCreal##suffix(T x) { return x.x; }                                                             \
  static inline Rr cuCimag##suffix(T x) { return x.y; }                                                             \
  static inline T cuConj##suffix(T x) { T r = {x.x, -x.y}; return r; }                                             \
  static inline T cuCadd##suffix(T x, T y) { T r = {x.x + y.x, x.y + y.y}; return r; }                             \
  static inline T cuCsub##suffix(T x, T y) { T r = {x.x - y.x, x.y - y.y}; return r; }                             \
  static inline T cuCmul##suffix(T x, T y) {                                                                       \
    T r = {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                                                          \
    return r;                                                                                                      \
  }                                                                                                                \
  static inline Rr cuCabs##suffix(T x) { /* scaled, so that squares do not overflow */                              \
    Rr a = fabs##f(x.x), b = fabs##f(x.y), v = a > b ? a : b, w = a > b ? b : a, t = w / v;                         \
    return v == 0 || v > MOST || w > MOST ? v + w : v * sqrt##f(1 + t * t);                                         \
  }                                                                                                                \
  static inline T cuCdiv##suffix(T x, T y) {                                                                       \
    Rr s = 1 / (fabs##f(y.x) + fabs##f(y.y)), a = x.x * s, b = x.y * s, c = y.x * s, d = y.y * s;                   \
    Rr n = 1 / (c * c + d * d);                                                                                    \
    T r = {(a * c + b * d) * n, (b * c - a * d) * n};                                                              \
    return r;                                                                                                      \
  }                                                                                                                \
  static inline T cuCfma##suffix(T x, T y, T z) {                                                                  \
    T r = {x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x};                                              \
    return r;                                                                                                      \
  }
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
GPUOPT_COMPLEX(cuFloatComplex, float, f, f, 3.402823466e38f)
GPUOPT_COMPLEX(cuDoubleComplex, double, , , 1.79769313486231570e+308)
#undef GPUOPT_COMPLEX

#ifdef GPUOPT_EMU_DEVICE
/* In device code (emulator/device_maths.py gives calls there these names) products are rounded with sums as nvcc has it. */
#define GPUOPT_COMPLEX(T, Rr, suffix, f, MOST)                                                                      \
  static inline GPUOPT_EMU_DEVICE T gpuopt_emu_cuCmul##suffix(T x, T y) {                                           \
    return T{__builtin_fma##f(x.x, y.x, -(x.y * y.y)), __builtin_fma##f(x.x, y.y, x.y * y.x)};                      \
  }                                                                                                                \
  static inline GPUOPT_EMU_DEVICE Rr gpuopt_emu_cuCabs##suffix(T x) {                                               \
    const Rr a = fabs##f(x.x), b = fabs##f(x.y), v = a > b ? a : b, w = a > b ? b : a, t = w / v;                   \
    return v == 0 || v > MOST || w > MOST ? v + w : v * sqrt##f(__builtin_fma##f(t, t, (Rr)1));                     \
  }                                                                                                                \
  static inline GPUOPT_EMU_DEVICE T gpuopt_emu_cuCdiv##suffix(T x, T y) {                                           \
    const Rr s = 1 / (fabs##f(y.x) + fabs##f(y.y)), a = x.x * s, b = x.y * s, c = y.x * s, d = y.y * s;             \
    const Rr n = 1 / __builtin_fma##f(c, c, d * d);                                                                \
    return T{__builtin_fma##f(a, c, b * d) * n, __builtin_fma##f(b, c, -(a * d)) * n};                              \
  }                                                                                                                \
  static inline GPUOPT_EMU_DEVICE T gpuopt_emu_cuCfma##suffix(T x, T y, T z) {                                      \
    return T{__builtin_fma##f(-x.y, y.y, __builtin_fma##f(x.x, y.x, z.x)),                                          \
             __builtin_fma##f(x.y, y.x, __builtin_fma##f(x.x, y.y, z.y))};                                          \
  }                                                                                                                \
  static inline T gpuopt_emu_both_cuCmul##suffix(T x, T y) {                                                       \
    return gpuopt_emu::on_device() ? gpuopt_emu_cuCmul##suffix(x, y) : cuCmul##suffix(x, y);                        \
  }                                                                                                                \
  static inline Rr gpuopt_emu_both_cuCabs##suffix(T x) {                                                           \
    return gpuopt_emu::on_device() ? gpuopt_emu_cuCabs##suffix(x) : cuCabs##suffix(x);                              \
  }                                                                                                                \
  static inline T gpuopt_emu_both_cuCdiv##suffix(T x, T y) {                                                       \
    return gpuopt_emu::on_device() ? gpuopt_emu_cuCdiv##suffix(x, y) : cuCdiv##suffix(x, y);                        \
  }                                                                                                                \
  static inline T gpuopt_emu_both_cuCfma##suffix(T x, T y, T z) {                                                  \
    return gpuopt_emu::on_device() ? gpuopt_emu_cuCfma##suffix(x, y, z) : cuCfma##suffix(x, y, z);                  \
  }
GPUOPT_COMPLEX(cuFloatComplex, float, f, f, 3.402823466e38f)
GPUOPT_COMPLEX(cuDoubleComplex, double, , , 1.79769313486231570e+308)
#undef GPUOPT_COMPLEX
#endif

static inline cuFloatComplex make_cuFloatComplex(float r, float i) { cuFloatComplex c = {r, i}; return c; }
static inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { cuDoubleComplex c = {r, i}; return c; }
static inline cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#endif
