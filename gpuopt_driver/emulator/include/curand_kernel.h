// cuRAND's device functions for XORWOW and Philox4x32-10 (others: gpuopt_emu/random_more.h): the same numbers as NVIDIA's in device code
// (on the host, normal numbers in double differ in the last bits); Poisson numbers for a mean from 64 to 4000 have the same distribution,
// but are others.
#ifndef GPUOPT_CURAND_KERNEL_H
#define GPUOPT_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* as programs ask for it */

#include <math.h>

#include "cuda_runtime.h"
#include "gpuopt_emu/random.h"
#include "gpuopt_emu/random_more.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// XORWOW: seeds are spread over Marsaglia's initial state; subsequences are 2^67 numbers apart.
static inline void skipahead(unsigned long long n, curandStateXORWOW_t *s) {
  gpuopt_emu::xorwow_jump(s->v, n, 0);
  s->d += 362437u * (unsigned)n;
}
static inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s) {
  gpuopt_emu::xorwow_jump(s->v, n, 67);
}
static inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                               curandStateXORWOW_t *s) {
  const unsigned low = ((unsigned)seed ^ 0xaad26b49u) * 1099087573u;
  const unsigned high = ((unsigned)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  *s = curandStateXORWOW();
  s->d = 6615241u + high + low;
  s->v[0] = 123456789u + low;
  s->v[1] = 362436069u ^ low;
  s->v[2] = 521288629u + high;
  s->v[3] = 88675123u ^ high;
  s->v[4] = 5783321u + low;
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
static inline unsigned int curand(curandStateXORWOW_t *s) {
  gpuopt_emu::xorwow_step(s->v);
  s->d += 362437u;
  return s->v[4] + s->d;
}

// Philox: the seed is the key, the subsequence the upper half of the counter.
static inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  s->STATE += (unsigned)(n & 3);
  gpuopt_emu::philox_add(&s->ctr, n / 4 + s->STATE / 4, 0);
  s->STATE %= 4;
  s->output = gpuopt_emu::philox(s->ctr, s->key);
}
static inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  gpuopt_emu::philox_add(&s->ctr, 0, n);
  s->output = gpuopt_emu::philox(s->ctr, s->key);
}
static inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                               curandStatePhilox4_32_10_t *s) {
  *s = curandStatePhilox4_32_10();
  s->key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
static inline unsigned int curand(curandStatePhilox4_32_10_t *s) {
  const unsigned int *words = &s->output.x;
  const unsigned int result = words[s->STATE];
  skipahead(1, s);
  return result;
}
static inline uint4 curand4(curandStatePhilox4_32_10_t *s) {
  const unsigned x = curand(s), y = curand(s), z = curand(s);
  return uint4{x, y, z, curand(s)};
}

namespace gpuopt_emu {
enum { kept_normal = 1, kept_log_normal = 2 };  // what boxmuller_extra holds
static inline float uniform(unsigned x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
static inline double uniform_double(unsigned x, unsigned y) {
  const unsigned long long z = x ^ (unsigned long long)y << 21;
  return (double)z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
static inline float2 box_muller(unsigned x, unsigned y) {
  const float u = uniform(x), turn = 2.3283064e-10f * 6.2831855f, v = (float)y * turn + turn / 2.0f;
#ifdef __CUDACC__
  if (on_device()) {
    const float s = sqrtf(-2.0f * library::log(u)), angle = library::fused((float)y, turn, turn / 2.0f);
    return float2{unit::sin_approx(angle) * s, unit::cos_approx(angle) * s};
  }
#endif
  const float s = sqrtf(-2.0f * logf(u));
  return float2{sinf(v) * s, cosf(v) * s};
}
static inline double2 box_muller_double(uint4 x) {
  const double u = uniform_double(x.x, x.y);
  const unsigned long long z = x.z ^ (unsigned long long)x.w << 21;
  const double v = (double)z * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
  const double s = sqrt(-2.0 * numbers::log(u));
  return double2{numbers::sinpi(v) * s, numbers::cospi(v) * s};
}
}  // namespace gpuopt_emu

template <class State> static inline float curand_uniform(State *s) { return gpuopt_emu::uniform(curand(s)); }
template <class State> static inline double curand_uniform_double(State *s) {
  const unsigned x = curand(s);
  return gpuopt_emu::uniform_double(x, curand(s));
}
static inline double curand_uniform_double(curandStatePhilox4_32_10_t *s) {  // from 32 bits only, as NVIDIA's
  return curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
template <class State> static inline float2 curand_normal2(State *s) {
  const unsigned x = curand(s);
  return gpuopt_emu::box_muller(x, curand(s));
}
template <class State> static inline double2 curand_normal2_double(State *s) {
  const unsigned x = curand(s), y = curand(s), z = curand(s);
  return gpuopt_emu::box_muller_double(uint4{x, y, z, curand(s)});
}
// Normal numbers come in pairs: the second is kept for the next call of the same kind.
namespace gpuopt_emu {
template <class T, class Pair> static inline T first_of_pair(int &flag, int kind, T &kept, const Pair &pair) {
  if (flag == kind) {
    flag = 0;
    return kept;
  }
  const auto both = pair();
  kept = both.y;
  flag = kind;
  return both.x;
}
}  // namespace gpuopt_emu
template <class State> static inline float2 curand_log_normal2(State *s, float mean, float deviation) {
  const float2 both = curand_normal2(s);
  return float2{gpuopt_emu::log_normal(mean, deviation, both.x), gpuopt_emu::log_normal(mean, deviation, both.y)};
}
template <class State> static inline double2 curand_log_normal2_double(State *s, double mean, double deviation) {
  const double2 both = curand_normal2_double(s);
  return double2{gpuopt_emu::log_normal(mean, deviation, both.x), gpuopt_emu::log_normal(mean, deviation, both.y)};
}
template <class State> static inline float curand_normal(State *s) {
  return gpuopt_emu::first_of_pair(s->boxmuller_flag, gpuopt_emu::kept_normal, s->boxmuller_extra,
                                   [=] { return curand_normal2(s); });
}
template <class State> static inline double curand_normal_double(State *s) {
  return gpuopt_emu::first_of_pair(s->boxmuller_flag_double, gpuopt_emu::kept_normal, s->boxmuller_extra_double,
                                   [=] { return curand_normal2_double(s); });
}
template <class State> static inline float curand_log_normal(State *s, float mean, float deviation) {
  return gpuopt_emu::first_of_pair(s->boxmuller_flag, gpuopt_emu::kept_log_normal, s->boxmuller_extra,
                                   [=] { return curand_log_normal2(s, mean, deviation); });
}
template <class State> static inline double curand_log_normal_double(State *s, double mean, double deviation) {
  return gpuopt_emu::first_of_pair(s->boxmuller_flag_double, gpuopt_emu::kept_log_normal, s->boxmuller_extra_double,
                                   [=] { return curand_log_normal2_double(s, mean, deviation); });
}

// Four at a time, of Philox.
static inline float4 curand_uniform4(curandStatePhilox4_32_10_t *s) {
  const uint4 x = curand4(s);
  return float4{gpuopt_emu::uniform(x.x), gpuopt_emu::uniform(x.y), gpuopt_emu::uniform(x.z), gpuopt_emu::uniform(x.w)};
}
static inline float4 curand_normal4(curandStatePhilox4_32_10_t *s) {
  const uint4 x = curand4(s);
  const float2 a = gpuopt_emu::box_muller(x.x, x.y), b = gpuopt_emu::box_muller(x.z, x.w);
  return float4{a.x, a.y, b.x, b.y};
}
static inline float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation) {
  const float4 x = curand_normal4(s);
  return float4{gpuopt_emu::log_normal(mean, deviation, x.x), gpuopt_emu::log_normal(mean, deviation, x.y),
                gpuopt_emu::log_normal(mean, deviation, x.z), gpuopt_emu::log_normal(mean, deviation, x.w)};
}
static inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s) {
  const uint4 x = curand4(s);
  return double2{gpuopt_emu::uniform_double(x.x, x.y), gpuopt_emu::uniform_double(x.z, x.w)};
}
static inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s) {
  const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}
static inline double4 curand_normal4_double(curandStatePhilox4_32_10_t *s) {
  const double2 a = gpuopt_emu::box_muller_double(curand4(s)), b = gpuopt_emu::box_muller_double(curand4(s));
  return double4{a.x, a.y, b.x, b.y};
}
static inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *s, double mean, double deviation) {
  const double4 x = curand_normal4_double(s);
  return double4{gpuopt_emu::log_normal(mean, deviation, x.x), gpuopt_emu::log_normal(mean, deviation, x.y),
                 gpuopt_emu::log_normal(mean, deviation, x.z), gpuopt_emu::log_normal(mean, deviation, x.w)};
}

// Small means by counting factors (Knuth), larger ones by rejection from a transformed uniform (Hoermann's PTRS), above 4000 by
// the normal distribution, as cuRAND's.
namespace gpuopt_emu {
static inline unsigned poisson_of_normal(double mean, double normal) { return (unsigned)(fma(sqrt(mean), normal, mean) + 0.5); }
}  // namespace gpuopt_emu
template <class State> static inline unsigned int curand_poisson(State *s, double mean) {
  if (mean < 64) {
    unsigned count = 0;
    float product = gpuopt_emu::numbers::exp((float)mean);
    do {
      ++count;
      product *= curand_uniform(s);
    } while (product > 1.0f);
    return count - 1;
  }
  if (mean > 4000) return gpuopt_emu::poisson_of_normal(mean, curand_normal_double(s));
  const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
  for (;;) {
    const double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s), us = 0.5 - fabs(u);
    const double k = floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return (unsigned)k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4);
    if (log(v) + log(inverse) - log(a / (us * us) + b) <= -mean + k * log(mean) - lgamma(k + 1)) return (unsigned)k;
  }
}
static inline uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double mean) {
  if (mean > 4000) {
    const double4 n = curand_normal4_double(s);
    return uint4{gpuopt_emu::poisson_of_normal(mean, n.x), gpuopt_emu::poisson_of_normal(mean, n.y),
                 gpuopt_emu::poisson_of_normal(mean, n.z), gpuopt_emu::poisson_of_normal(mean, n.w)};
  }
  const unsigned x = curand_poisson(s, mean), y = curand_poisson(s, mean), z = curand_poisson(s, mean);
  return uint4{x, y, z, curand_poisson(s, mean)};
}

// Numbers of a distribution that the host has made: one of the generator's numbers each, by bisection.
namespace gpuopt_emu {
static inline unsigned discrete(double u, curandDiscreteDistribution_t d) {
  unsigned low = 0, high = d->count - 1;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (d->shares[middle] < u)
      low = middle + 1;
    else
      high = middle;
  }
  return d->first + low;
}
}  // namespace gpuopt_emu
template <class State> static inline unsigned int curand_discrete(State *s, curandDiscreteDistribution_t distribution) {
  return gpuopt_emu::discrete(gpuopt_emu::sobol_uniform_double(curand(s)), distribution);
}
static inline uint4 curand_discrete4(curandStatePhilox4_32_10_t *s, curandDiscreteDistribution_t distribution) {
  const unsigned x = curand_discrete(s, distribution), y = curand_discrete(s, distribution), z = curand_discrete(s, distribution);
  return uint4{x, y, z, curand_discrete(s, distribution)};
}

#endif
