// All mathematical functions in single precision, bit by bit.
#include "sweep.h"

__device__ float sine_of_pi(float x) { float s, c; sincospif(x, &s, &c); return s; }
__device__ float cosine_of_pi(float x) { float s, c; sincospif(x, &s, &c); return c; }
__device__ float sine(float x) { float s, c; sincosf(x, &s, &c); return s; }
__device__ float cosine(float x) { float s, c; sincosf(x, &s, &c); return c; }
__device__ float fast_sine(float x) { float s, c; __sincosf(x, &s, &c); return s; }
__device__ float fast_cosine(float x) { float s, c; __sincosf(x, &s, &c); return c; }
__device__ int quotient(float x, float y) { int q; remquof(x, y, &q); return q & 7; }
__device__ float rest(float x, float y) { int q; return remquof(x, y, &q); }
__device__ float fraction_of(float x) { int e; return frexpf(x, &e); }
__device__ int exponent_of(float x) { int e = 0; frexpf(x, &e); return isfinite(x) ? e : 0; }
__device__ float part(float x) { float whole; return modff(x, &whole); }
__device__ float whole(float x) { float whole; modff(x, &whole); return whole; }
__device__ float norm_of(float x, float y, float z, float w) { const float v[] = {x, y, z, w, 1}; return normf(5, v); }
__device__ float rnorm_of(float x, float y, float z, float w) { const float v[] = {x, y, z, w, 1}; return rnormf(5, v); }

#define TRIGONOMETRIC(X) \
  X(sinf(x)) X(cosf(x)) X(tanf(x)) X(sine(x)) X(cosine(x)) X(sinpif(x)) X(cospif(x)) X(sine_of_pi(x)) X(cosine_of_pi(x)) \
  X(asinf(x)) X(acosf(x)) X(atanf(x)) X(atan2f(x, y)) X(sinhf(x)) X(coshf(x)) X(tanhf(x)) X(asinhf(x)) X(acoshf(x)) X(atanhf(x)) \
  X(__sinf(x)) X(__cosf(x)) X(__tanf(x)) X(fast_sine(x)) X(fast_cosine(x)) X(__tanhf(x))
#define POWERS(X) \
  X(expf(x)) X(exp2f(x)) X(exp10f(x)) X(expm1f(x)) X(logf(x)) X(log2f(x)) X(log10f(x)) X(log1pf(x)) X(powf(x, y)) X(powf(fabsf(x), y)) \
  X(pow(x, n)) X(sqrtf(x)) X(rsqrtf(x)) X(cbrtf(x)) X(rcbrtf(x)) X(hypotf(x, y)) X(rhypotf(x, y)) X(norm3df(x, y, z)) X(rnorm3df(x, y, z)) \
  X(norm4df(x, y, z, w)) X(rnorm4df(x, y, z, w)) X(norm_of(x, y, z, w)) X(rnorm_of(x, y, z, w)) \
  X(__expf(x)) X(__exp10f(x)) X(__logf(x)) X(__log2f(x)) X(__log10f(x)) X(__powf(x, y)) X(__frsqrt_rn(x))
#define SPECIAL(X) \
  X(erff(x)) X(erfcf(x)) X(erfcxf(x)) X(erfinvf(x)) X(erfcinvf(x)) X(normcdff(x)) X(normcdfinvf(x)) X(tgammaf(x)) X(lgammaf(x)) \
  X(j0f(x)) X(j1f(x)) X(jnf(n, x)) X(y0f(x)) X(y1f(x)) X(ynf(n, x)) X(cyl_bessel_i0f(x)) X(cyl_bessel_i1f(x))
#define PARTS(X) \
  X(fmodf(x, y)) X(remainderf(x, y)) X(rest(x, y)) X(isfinite(x) && y != 0 && y == y ? quotient(x, y) : 0) X(fraction_of(x)) X(exponent_of(x)) X(part(x)) X(whole(x)) \
  X(ldexpf(x, n * 20)) X(scalbnf(x, n * 30)) X(scalblnf(x, n * 40L)) X(logbf(x)) X(ilogbf(x)) X(nextafterf(x, y)) X(fdimf(x, y)) X(fmaxf(x, y)) \
  X(fminf(x, y)) X(max(x, y)) X(min(x, y)) X(fmaf(x, y, z)) X(copysignf(x, y)) X(fabsf(x)) X(floorf(x)) X(ceilf(x)) X(truncf(x)) X(rintf(x)) X(nearbyintf(x)) \
  X(roundf(x)) X(lrintf(x)) X(llrintf(x)) X(lroundf(x)) X(llroundf(x)) X(signbit(x) ? 1 : 0) X(isfinite(x) ? 1 : 0) X(isnan(x) ? 1 : 0) \
  X(isinf(x) ? 1 : 0) X(nanf("")) X(fdividef(x, y)) X(__fdividef(x, y)) X(x / y) X(__saturatef(x))

SWEEP(trigonometric, float, TRIGONOMETRIC)
SWEEP(powers, float, POWERS)
SWEEP(special, float, SPECIAL)
SWEEP(parts, float, PARTS)
int main(int argc, char **) {
  RUN_SWEEP(trigonometric, argc > 1)
  RUN_SWEEP(powers, argc > 1)
  RUN_SWEEP(special, argc > 1)
  RUN_SWEEP(parts, argc > 1)
}
