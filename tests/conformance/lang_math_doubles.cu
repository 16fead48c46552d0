// All mathematical functions in double precision, bit by bit.
#include "sweep.h"

__device__ double sine_of_pi(double x) { double s, c; sincospi(x, &s, &c); return s; }
__device__ double cosine_of_pi(double x) { double s, c; sincospi(x, &s, &c); return c; }
__device__ double sine(double x) { double s, c; sincos(x, &s, &c); return s; }
__device__ double cosine(double x) { double s, c; sincos(x, &s, &c); return c; }
__device__ int quotient(double x, double y) { int q; remquo(x, y, &q); return q & 7; }
__device__ double rest(double x, double y) { int q; return remquo(x, y, &q); }
__device__ double fraction_of(double x) { int e; return frexp(x, &e); }
__device__ int exponent_of(double x) { int e = 0; frexp(x, &e); return isfinite(x) ? e : 0; }
__device__ double part(double x) { double whole; return modf(x, &whole); }
__device__ double whole(double x) { double whole; modf(x, &whole); return whole; }
__device__ double norm_of(double x, double y, double z, double w) { const double v[] = {x, y, z, w, 1}; return norm(5, v); }
__device__ double rnorm_of(double x, double y, double z, double w) { const double v[] = {x, y, z, w, 1}; return rnorm(5, v); }

#define TRIGONOMETRIC(X) \
  X(sin(x)) X(cos(x)) X(tan(x)) X(sine(x)) X(cosine(x)) X(sinpi(x)) X(cospi(x)) X(sine_of_pi(x)) X(cosine_of_pi(x)) \
  X(asin(x)) X(acos(x)) X(atan(x)) X(atan2(x, y)) X(sinh(x)) X(cosh(x)) X(tanh(x)) X(asinh(x)) X(acosh(x)) X(atanh(x))
#define POWERS(X) \
  X(exp(x)) X(exp2(x)) X(exp10(x)) X(expm1(x)) X(log(x)) X(log2(x)) X(log10(x)) X(log1p(x)) X(pow(x, y)) X(pow(fabs(x), y)) \
  X(pow(x, n)) X(sqrt(x)) X(rsqrt(x)) X(cbrt(x)) X(rcbrt(x)) X(hypot(x, y)) X(rhypot(x, y)) X(norm3d(x, y, z)) X(rnorm3d(x, y, z)) \
  X(norm4d(x, y, z, w)) X(rnorm4d(x, y, z, w)) X(norm_of(x, y, z, w)) X(rnorm_of(x, y, z, w))
#define SPECIAL(X) \
  X(erf(x)) X(erfc(x)) X(erfcx(x)) X(erfinv(x)) X(erfcinv(x)) X(normcdf(x)) X(normcdfinv(x)) X(tgamma(x)) X(lgamma(x)) \
  X(j0(x)) X(j1(x)) X(jn(n, x)) X(y0(x)) X(y1(x)) X(yn(n, x)) X(cyl_bessel_i0(x)) X(cyl_bessel_i1(x))
#define PARTS(X) \
  X(fmod(x, y)) X(remainder(x, y)) X(rest(x, y)) X(isfinite(x) && y != 0 && y == y ? quotient(x, y) : 0) X(fraction_of(x)) X(exponent_of(x)) X(part(x)) X(whole(x)) \
  X(ldexp(x, n * 200)) X(scalbn(x, n * 300)) X(scalbln(x, n * 400L)) X(logb(x)) X(ilogb(x)) X(nextafter(x, y)) X(fdim(x, y)) X(fmax(x, y)) \
  X(fmin(x, y)) X(max(x, y)) X(min(x, y)) X(fma(x, y, z)) X(copysign(x, y)) X(fabs(x)) X(floor(x)) X(ceil(x)) X(trunc(x)) X(rint(x)) X(nearbyint(x)) \
  X(round(x)) X(lrint(x)) X(llrint(x)) X(lround(x)) X(llround(x)) X(signbit(x) ? 1 : 0) X(isfinite(x) ? 1 : 0) X(isnan(x) ? 1 : 0) \
  X(isinf(x) ? 1 : 0) X(nan("")) X(x / y) X((float)x)

SWEEP(trigonometric, double, TRIGONOMETRIC)
SWEEP(powers, double, POWERS)
SWEEP(special, double, SPECIAL)
SWEEP(parts, double, PARTS)
int main(int argc, char **) {
  RUN_SWEEP(trigonometric, argc > 1)
  RUN_SWEEP(powers, argc > 1)
  RUN_SWEEP(special, argc > 1)
  RUN_SWEEP(parts, argc > 1)
}
