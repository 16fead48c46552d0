// cuRAND's other generators: L'Ecuyer's MRG32k3a, and Sobol's sequences from the direction vectors that the program gives.
#ifndef GPUOPT_EMU_RANDOM_MORE_H
#define GPUOPT_EMU_RANDOM_MORE_H

#include <math.h>

#include "../curand.h"
#include "maths.h"

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace gpuopt_emu {

// Functions of mathematics for numbers of a distribution: the device's where the device runs, the C library's elsewhere.
namespace numbers {
#ifdef __CUDACC__
#define GPUOPT_EMU_NUMBERS(T, name, on_host) \
  static inline T name(T x) { return on_device() ? library::name(x) : on_host; }
#else
#define GPUOPT_EMU_NUMBERS(T, name, on_host) \
  static inline T name(T x) { return on_host; }
#endif
GPUOPT_EMU_NUMBERS(float, exp, ::expf(x))
GPUOPT_EMU_NUMBERS(float, log, ::logf(x))
GPUOPT_EMU_NUMBERS(float, erfcinv, ::erfcinvf(x))
GPUOPT_EMU_NUMBERS(double, exp, ::exp(x))
GPUOPT_EMU_NUMBERS(double, log, ::log(x))
GPUOPT_EMU_NUMBERS(double, sinpi, ::sinpi(x))
GPUOPT_EMU_NUMBERS(double, cospi, ::cospi(x))
GPUOPT_EMU_NUMBERS(double, erfcinv, ::erfcinv(x))
#undef GPUOPT_EMU_NUMBERS
}  // namespace numbers

const unsigned long long MRG_M1 = 4294967087ull, MRG_M2 = 4294944443ull;
const double MRG_NORM = 2.3283065498378288e-10;  // 1 / (M1 + 1), nearly: the numbers are in (0, 1]

struct Matrix3 {
  unsigned long long at[3][3];
  Matrix3 times(const Matrix3 &other, unsigned long long m) const {
    Matrix3 result;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k) sum = (sum + at[i][k] * other.at[k][j] % m) % m;
        result.at[i][j] = sum;
      }
    return result;
  }
  void apply(unsigned *s, unsigned long long m) const {
    unsigned long long result[3] = {};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) result[i] = (result[i] + at[i][k] * s[k] % m) % m;
    for (int i = 0; i < 3; ++i) s[i] = (unsigned)result[i];
  }
};

// count * 2^log2 steps of one of the two recurrences.
static inline void mrg_jump(Matrix3 step, unsigned long long m, unsigned *s, unsigned long long count, int log2) {
  for (; log2; --log2) step = step.times(step, m);
  for (; count; count >>= 1, step = step.times(step, m))
    if (count & 1) step.apply(s, m);
}
static inline void mrg_jump(curandStateMRG32k3a_t *s, unsigned long long count, int log2) {
  if (!count) return;
  mrg_jump(Matrix3{{{0, 1, 0}, {0, 0, 1}, {MRG_M1 - 810728, 1403580, 0}}}, MRG_M1, s->s1, count, log2);
  mrg_jump(Matrix3{{{0, 1, 0}, {0, 0, 1}, {MRG_M2 - 1370589, 0, 527612}}}, MRG_M2, s->s2, count, log2);
}
// One step of 2^76, the distance of subsequences. What 2^76 steps are is worked out once.
static inline void mrg_next_subsequence(curandStateMRG32k3a_t *s) {
  struct Powers {
    Matrix3 first, second;
    Powers() : first{{{0, 1, 0}, {0, 0, 1}, {MRG_M1 - 810728, 1403580, 0}}}, second{{{0, 1, 0}, {0, 0, 1}, {MRG_M2 - 1370589, 0, 527612}}} {
      for (int i = 0; i < 76; ++i) first = first.times(first, MRG_M1), second = second.times(second, MRG_M2);
    }
  };
  static const Powers powers;
  powers.first.apply(s->s1, MRG_M1);
  powers.second.apply(s->s2, MRG_M2);
}
// The next number, from 1 to M1.
static inline unsigned long long mrg_next(curandStateMRG32k3a_t *s) {
  const unsigned long long p1 = (1403580ull * s->s1[1] + (MRG_M1 - 810728) * s->s1[0] % MRG_M1) % MRG_M1;
  const unsigned long long p2 = (527612ull * s->s2[2] + (MRG_M2 - 1370589) * s->s2[0] % MRG_M2) % MRG_M2;
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = (unsigned)p1;
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = (unsigned)p2;
  return p1 > p2 ? p1 - p2 : p1 + MRG_M1 - p2;
}

}  // namespace gpuopt_emu

static inline void skipahead(unsigned long long n, curandStateMRG32k3a_t *s) { gpuopt_emu::mrg_jump(s, n, 0); }
static inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) { gpuopt_emu::mrg_jump(s, n, 76); }
static inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s) { gpuopt_emu::mrg_jump(s, n, 127); }
static inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateMRG32k3a_t *s) {
  *s = curandStateMRG32k3a();
  const unsigned long long low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; ++i) {
    s->s1[i] = seed ? (unsigned)((i == 1 ? high : low) * 12345 % gpuopt_emu::MRG_M1) : 12345;
    s->s2[i] = seed ? (unsigned)((i == 1 ? low : high) * 12345 % gpuopt_emu::MRG_M2) : 12345;
  }
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
static inline unsigned int curand(curandStateMRG32k3a_t *s) {
  return (unsigned)((double)gpuopt_emu::mrg_next(s) * 1.000000048662);  // spread over 32 bits
}
static inline double curand_uniform_double(curandStateMRG32k3a_t *s) {
  return (double)gpuopt_emu::mrg_next(s) * gpuopt_emu::MRG_NORM;
}
static inline float curand_uniform(curandStateMRG32k3a_t *s) { return (float)curand_uniform_double(s); }
static inline float2 curand_normal2(curandStateMRG32k3a_t *s) {
  const float x = curand_uniform(s), angle = curand_uniform(s) * 6.2831855f;
#ifdef __CUDACC__
  if (gpuopt_emu::on_device()) {
    const float r = sqrtf(-2.0f * gpuopt_emu::library::log(x));
    return float2{gpuopt_emu::unit::sin_approx(angle) * r, gpuopt_emu::unit::cos_approx(angle) * r};
  }
#endif
  const float r = sqrtf(-2.0f * logf(x));
  return float2{r * sinf(angle), r * cosf(angle)};
}
static inline double2 curand_normal2_double(curandStateMRG32k3a_t *s) {
  const double x = curand_uniform_double(s), turns = 2.0 * curand_uniform_double(s);
  const double r = sqrt(-2.0 * gpuopt_emu::numbers::log(x));
  return double2{r * gpuopt_emu::numbers::sinpi(turns), r * gpuopt_emu::numbers::cospi(turns)};
}

namespace gpuopt_emu {
static inline float log_normal(float mean, float deviation, float x) {
#ifdef __CUDACC__
  if (on_device()) return library::exp(library::fused(deviation, x, mean));
#endif
  return expf(mean + deviation * x);
}
static inline double log_normal(double mean, double deviation, double x) { return numbers::exp(fma(deviation, x, mean)); }
}  // namespace gpuopt_emu

namespace gpuopt_emu {

// `word` n of the sequence is the exclusive or of those direction vectors whose bits are set in n's Gray code.
template <class Word, int Bits> struct Sobol {
  Word i, x, c, direction_vectors[Bits];
  void start(const Word *vectors, Word scramble, Word offset) {
    for (int k = 0; k < Bits; ++k) direction_vectors[k] = vectors[k];
    c = scramble;
    go_to(offset);
  }
  void go_to(Word n) {
    i = n;
    x = c;
    const Word gray = n ^ n >> 1;
    for (int k = 0; k < Bits; ++k)
      if (gray >> k & 1) x ^= direction_vectors[k];
  }
  Word next() {
    const Word result = x;
    const Word waits = ~i;
    if (waits) x ^= direction_vectors[__builtin_ctzll((unsigned long long)waits)];
    ++i;
    return result;
  }
};

}  // namespace gpuopt_emu

struct curandStateSobol32 : gpuopt_emu::Sobol<unsigned int, 32> {};
struct curandStateScrambledSobol32 : gpuopt_emu::Sobol<unsigned int, 32> {};
struct curandStateSobol64 : gpuopt_emu::Sobol<unsigned long long, 64> {};
struct curandStateScrambledSobol64 : gpuopt_emu::Sobol<unsigned long long, 64> {};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

static inline void curand_init(const curandDirectionVectors32_t vectors, unsigned offset, curandStateSobol32_t *s) {
  s->start(vectors, 0, offset);
}
static inline void curand_init(const curandDirectionVectors32_t vectors, unsigned scramble, unsigned offset,
                               curandStateScrambledSobol32_t *s) {
  s->start(vectors, scramble, offset);
}
static inline void curand_init(const curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64_t *s) {
  s->start(vectors, 0, offset);
}
static inline void curand_init(const curandDirectionVectors64_t vectors, unsigned long long scramble,
                               unsigned long long offset, curandStateScrambledSobol64_t *s) {
  s->start(vectors, scramble, offset);
}

#define GPUOPT_SOBOL(State, Word)                                                                                     \
  static inline void skipahead(Word n, State *s) { s->go_to((Word)(s->i + n)); }                                       \
  static inline Word curand(State *s) { return s->next(); }                                                           \
  static inline float curand_uniform(State *s) { return gpuopt_emu::sobol_uniform(s->next()); }                        \
  static inline double curand_uniform_double(State *s) { return gpuopt_emu::sobol_uniform_double(s->next()); }         \
  static inline float curand_normal(State *s) { return gpuopt_emu::sobol_normal(s->next()); }                          \
  static inline double curand_normal_double(State *s) { return gpuopt_emu::sobol_normal_double(s->next()); }           \
  static inline float curand_log_normal(State *s, float mean, float deviation) {                                       \
    return gpuopt_emu::log_normal(mean, deviation, curand_normal(s));                                                                  \
  }                                                                                                                    \
  static inline double curand_log_normal_double(State *s, double mean, double deviation) {                             \
    return gpuopt_emu::log_normal(mean, deviation, curand_normal_double(s));                                           \
  }                                                                                                                    \
  static inline unsigned int curand_poisson(State *s, double mean) { return gpuopt_emu::sobol_poisson(mean, s->next()); }

namespace gpuopt_emu {
// One number of the sequence makes one number of a distribution: normal ones by the inverse of their distribution.
static inline float sobol_uniform(unsigned x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
static inline float sobol_uniform(unsigned long long x) { return sobol_uniform((unsigned)(x >> 32)); }
static inline double sobol_uniform_double(unsigned x) { return (double)x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
static inline double sobol_uniform_double(unsigned long long x) {
  return (double)(x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
static inline double upper_tail(double half) { return -1.4142135623730951 * numbers::erfcinv(2 * half); }
static inline double sobol_normal_double(unsigned x) {
  const bool above = x > 0x80000000u;
  const double v = upper_tail((double)(above ? 0xffffffffu - x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2);
  return above ? -v : v;
}
static inline double sobol_normal_double(unsigned long long x) {
  x >>= 11;
  const bool above = x > 0x10000000000000ull;
  const double v = upper_tail((double)(above ? 0x1fffffffffffffull - x : x) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2);
  return above ? -v : v;
}
static inline float sobol_normal(unsigned x) {
  const bool above = x > 0x80000000u;
  const float half = (float)(above ? 0xffffffffu - x : x) * 2.3283064e-10f + 2.3283064e-10f / 2;
  return (above ? 1.4142135f : -1.4142135f) * numbers::erfcinv(2 * half);
}
static inline float sobol_normal(unsigned long long x) { return sobol_normal((unsigned)(x >> 32)); }
// The smallest count of which a share of `u` or more is not above; the first guess is Cornish and Fisher's.
unsigned poisson_quantile(double mean, double u);
static inline unsigned sobol_poisson(double mean, unsigned x) { return poisson_quantile(mean, sobol_uniform_double(x)); }
static inline unsigned sobol_poisson(double mean, unsigned long long x) { return poisson_quantile(mean, sobol_uniform_double(x)); }
}  // namespace gpuopt_emu

GPUOPT_SOBOL(curandStateSobol32_t, unsigned)
GPUOPT_SOBOL(curandStateScrambledSobol32_t, unsigned)
GPUOPT_SOBOL(curandStateSobol64_t, unsigned long long)
GPUOPT_SOBOL(curandStateScrambledSobol64_t, unsigned long long)

#endif
