// Mathematical functions beyond C's, min and max for all types, and the fast variants, which are the exact ones here.
#ifndef GPUOPT_EMU_MATHS_H
#define GPUOPT_EMU_MATHS_H

#include <math.h>
#include <stdlib.h>

#define GPUOPT_EMU_DEFINE static inline

// What later C libraries declare themselves, as C23 has it.
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#define GPUOPT_EMU_LIBC_HAS(MAJOR, MINOR) __GLIBC_PREREQ(MAJOR, MINOR)
#else
#define GPUOPT_EMU_LIBC_HAS(MAJOR, MINOR) 0
#endif
// With C's linkage: zig's headers declare them for older libraries, too, which have none.
#define GPUOPT_EMU_OF_C extern "C" inline
#if !GPUOPT_EMU_LIBC_HAS(2, 42)
GPUOPT_EMU_OF_C float rsqrtf(float x) noexcept { return (float)(1.0 / sqrt((double)x)); }  // as CUDA does it on the host
GPUOPT_EMU_OF_C double rsqrt(double x) noexcept { return 1.0 / sqrt(x); }
#endif
GPUOPT_EMU_DEFINE float rsqrt(float x) { return rsqrtf(x); }
GPUOPT_EMU_DEFINE float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
GPUOPT_EMU_DEFINE double rcbrt(double x) { return 1.0 / cbrt(x); }
#if !GPUOPT_EMU_LIBC_HAS(2, 41)
GPUOPT_EMU_OF_C float sinpif(float x) noexcept { return (float)sin(M_PI * fmod((double)x, 2.0)); }
GPUOPT_EMU_OF_C double sinpi(double x) noexcept { return sin(M_PI * fmod(x, 2.0)); }
GPUOPT_EMU_OF_C float cospif(float x) noexcept { return (float)cos(M_PI * fmod((double)x, 2.0)); }
GPUOPT_EMU_OF_C double cospi(double x) noexcept { return cos(M_PI * fmod(x, 2.0)); }
#endif
GPUOPT_EMU_DEFINE void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
GPUOPT_EMU_DEFINE void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }

GPUOPT_EMU_DEFINE double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
GPUOPT_EMU_DEFINE float normcdff(float x) { return (float)normcdf((double)x); }
GPUOPT_EMU_DEFINE double erfcx(double x) { return exp(x * x) * erfc(x); }
GPUOPT_EMU_DEFINE float erfcxf(float x) { return (float)erfcx(x); }
GPUOPT_EMU_DEFINE float __frsqrt_rn(float x) { return x >= 0 ? (float)(1.0 / sqrt((double)x)) : nanf("0x7fffff"); }
GPUOPT_EMU_DEFINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
GPUOPT_EMU_DEFINE float norm3df(float x, float y, float z) {
  return (float)sqrt((double)x * x + (double)y * y + (double)z * z);
}
GPUOPT_EMU_DEFINE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
GPUOPT_EMU_DEFINE float norm4df(float x, float y, float z, float w) {
  return (float)sqrt((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
GPUOPT_EMU_DEFINE double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
GPUOPT_EMU_DEFINE float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
GPUOPT_EMU_DEFINE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
GPUOPT_EMU_DEFINE float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
GPUOPT_EMU_DEFINE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
GPUOPT_EMU_DEFINE float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }
GPUOPT_EMU_DEFINE double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }

// Inverses by Halley's method: near the middle of erf, elsewhere of the upper tail of the normal distribution.
GPUOPT_EMU_DEFINE double erfinv(double x);
GPUOPT_EMU_DEFINE double normcdfinv(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -HUGE_VAL : p == 1 ? HUGE_VAL : nan("");
  if (p >= 0.25 && p <= 0.75) return M_SQRT2 * erfinv(2 * p - 1);
  const double tail = p < 0.5 ? p : 1 - p, t = sqrt(-2 * log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 4; ++i) {  // x > 0 with upper tail probability `tail`
    const double error = 0.5 * erfc(x * M_SQRT1_2) - tail, density = exp(-x * x / 2) / sqrt(2 * M_PI);
    const double step = error / density;
    x += step / (1 + x * step / 2);
  }
  return p < 0.5 ? -x : x;
}
GPUOPT_EMU_DEFINE float normcdfinvf(float p) { return (float)normcdfinv(p); }
GPUOPT_EMU_DEFINE double erfinv(double x) {
  if (!(fabs(x) <= 0.5)) return fabs(x) <= 1 ? copysign(-M_SQRT1_2 * normcdfinv((1 - fabs(x)) / 2), x) : nan("");
  double y = x * (0.886226925452758 + x * x * 0.2320137);
  for (int i = 0; i < 3; ++i) {
    const double step = (erf(y) - x) * exp(y * y) * 0.886226925452758;
    y -= step / (1 + y * step);
  }
  return y;
}
GPUOPT_EMU_DEFINE float erfinvf(float x) { return (float)erfinv(x); }
GPUOPT_EMU_DEFINE double erfcinv(double x) { return x >= 0.5 && x <= 1.5 ? erfinv(1 - x) : -normcdfinv(x / 2) * M_SQRT1_2; }
GPUOPT_EMU_DEFINE float erfcinvf(float x) { return (float)erfcinv(x); }

// The C library declares some of these names itself, so they are macros; the functions are in device_names.h.
#define __sinf gpuopt_emu_fast_sinf
#define __cosf gpuopt_emu_fast_cosf
#define __tanf gpuopt_emu_fast_tanf
#define __sincosf gpuopt_emu_fast_sincosf
#define __expf gpuopt_emu_fast_expf
#define __exp10f gpuopt_emu_fast_exp10f
#define __logf gpuopt_emu_fast_logf
#define __log2f gpuopt_emu_fast_log2f
#define __log10f gpuopt_emu_fast_log10f
#define __powf gpuopt_emu_fast_powf
#define __tanhf gpuopt_emu_fast_tanhf

#define GPUOPT_EMU_MIN_MAX(result, a, b)                                             \
  GPUOPT_EMU_DEFINE result min(a x, b y) { return (result)x < (result)y ? x : y; }   \
  GPUOPT_EMU_DEFINE result max(a x, b y) { return (result)x > (result)y ? x : y; }
#define GPUOPT_EMU_MIN_MAX_BOTH(result, a, b) GPUOPT_EMU_MIN_MAX(result, a, b) GPUOPT_EMU_MIN_MAX(result, b, a)
GPUOPT_EMU_MIN_MAX(int, int, int)
GPUOPT_EMU_MIN_MAX(unsigned, unsigned, unsigned)
GPUOPT_EMU_MIN_MAX_BOTH(unsigned, int, unsigned)
GPUOPT_EMU_MIN_MAX(long, long, long)
GPUOPT_EMU_MIN_MAX(unsigned long, unsigned long, unsigned long)
GPUOPT_EMU_MIN_MAX_BOTH(unsigned long, long, unsigned long)
GPUOPT_EMU_MIN_MAX(long long, long long, long long)
GPUOPT_EMU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GPUOPT_EMU_MIN_MAX_BOTH(unsigned long long, long long, unsigned long long)
#undef GPUOPT_EMU_MIN_MAX
#undef GPUOPT_EMU_MIN_MAX_BOTH
GPUOPT_EMU_DEFINE float min(float x, float y) { return fminf(x, y); }
GPUOPT_EMU_DEFINE float max(float x, float y) { return fmaxf(x, y); }
GPUOPT_EMU_DEFINE double min(double x, double y) { return fmin(x, y); }
GPUOPT_EMU_DEFINE double max(double x, double y) { return fmax(x, y); }
GPUOPT_EMU_DEFINE double min(float x, double y) { return fmin((double)x, y); }
GPUOPT_EMU_DEFINE double max(float x, double y) { return fmax((double)x, y); }
GPUOPT_EMU_DEFINE double min(double x, float y) { return fmin(x, (double)y); }
GPUOPT_EMU_DEFINE double max(double x, float y) { return fmax(x, (double)y); }
GPUOPT_EMU_DEFINE unsigned umin(unsigned x, unsigned y) { return x < y ? x : y; }
GPUOPT_EMU_DEFINE unsigned umax(unsigned x, unsigned y) { return x > y ? x : y; }
GPUOPT_EMU_DEFINE long long llmin(long long x, long long y) { return x < y ? x : y; }
GPUOPT_EMU_DEFINE long long llmax(long long x, long long y) { return x > y ? x : y; }
GPUOPT_EMU_DEFINE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
GPUOPT_EMU_DEFINE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }

#undef GPUOPT_EMU_DEFINE
#undef GPUOPT_EMU_OF_C

#endif
