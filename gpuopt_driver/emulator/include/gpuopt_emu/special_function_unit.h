// What a GPU's special function unit answers, bit for bit: reciprocals, roots, powers of two, logarithms, sines.
//
// The unit adds up c0 + c1 * x + c2 * x^2 in whole numbers, with the leading bits of the fraction choosing the constants and
// a square from which small partial products are missing. The constants are those that alone give what an H200 answered for
// every fraction (benchmarks/RESULTS.md); the shape of the sum is that which envytools' authors found in older GPUs.
#ifndef GPUOPT_EMU_SPECIAL_FUNCTION_UNIT_H
#define GPUOPT_EMU_SPECIAL_FUNCTION_UNIT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "early.h"
#include "target.h"

extern "C" {
extern const int32_t gpuopt_emu_unit_rcp[128][4], gpuopt_emu_unit_rsq[128][4], gpuopt_emu_unit_sqrt[128][4];
extern const int32_t gpuopt_emu_unit_ex2[64][4], gpuopt_emu_unit_lg2[64][4], gpuopt_emu_unit_sin[64][4];
extern const int32_t gpuopt_emu_unit_tanh[51][4];
struct gpuopt_emu_squares {
  uint16_t upper[2048];
  uint8_t ends[256];
};
extern const struct gpuopt_emu_squares gpuopt_emu_unit_squares;
}

namespace gpuopt_emu {
namespace unit {

static inline uint32_t bits(float x) { uint32_t b; __builtin_memcpy(&b, &x, sizeof b); return b; }
static inline uint64_t bits(double x) { uint64_t b; __builtin_memcpy(&b, &x, sizeof b); return b; }
static inline float number(uint32_t b) { float x; __builtin_memcpy(&x, &b, sizeof x); return x; }
static inline double number(uint64_t b) { double x; __builtin_memcpy(&x, &b, sizeof x); return x; }
static inline float no_number() { return number((uint32_t)0x7fffffff); }
template <class T> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(T) choose(bool is, T a, T b) { return is ? a : b; }
static inline int32_t whole(float x) { return (int32_t)x; }
static inline float real(int32_t x) { return (float)x; }
static inline double real(uint64_t x) { return (double)(int64_t)x; }

// Whole numbers as wide as a number, with and without sign. Templates here are for one number and for packs of them (packs.h).
template <class Ff> struct Kinds;
template <> struct Kinds<float> {
  typedef uint32_t Word;
  typedef int32_t Whole;
};
template <> struct Kinds<double> {
  typedef uint64_t Word;
};

// x * x / 2^19 for 17 bits, without what the unit leaves out.
static inline uint32_t square(uint32_t x) {
  return (uint32_t)gpuopt_emu_unit_squares.upper[x >> 6] + gpuopt_emu_unit_squares.ends[(x >> 13) << 4 | (x >> 2 & 15)];
}
// (c0 * 2^first + c1 * x + c2 * 2^second * x2 + add) / 2^shift, with the constants of a table's row.
static inline uint32_t sum(const int32_t (*table)[4], uint32_t row, int first, uint32_t x, int second, uint32_t x2, int32_t add, int shift) {
  const int32_t(&c)[4] = table[row];
  return (uint32_t)((((int64_t)c[0] << first) + (int64_t)c[1] * (int32_t)x + (int64_t)(c[2] * (1 << second)) * (int32_t)x2 + add) >> shift);
}
static inline uint64_t sum(const int32_t (*table)[4], uint64_t row, int first, uint64_t x, int second, uint32_t x2, int32_t add, int shift) {
  return sum(table, (uint32_t)row, first, (uint32_t)x, second, x2, add, shift);
}
static inline int64_t series(const int32_t(&c)[4], int first, uint32_t x, int32_t second, uint32_t x2) {
  return ((int64_t)c[0] << first) + (int64_t)c[1] * (int32_t)x + (int64_t)second * (int32_t)x2;
}

// The 24 bits, or 24 less those cut off, of the reciprocal of 1.fraction, and of that of its root.
template <class Ww> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Ww) rcp_series(Ww fraction, int cut_off) {
  const Ww x = fraction & Ww(0xffffu);
  return sum(gpuopt_emu_unit_rcp, fraction >> 16, 13, x, 0, square(x << 1), 0x47e7, 15 + cut_off);
}
template <class Ww> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Ww) rsq_series(Ww fraction, int cut_off) {
  const Ww x = fraction & 0x1ffff;
  return sum(gpuopt_emu_unit_rsq, fraction >> 17, 14, x, 2, square(x), 0x7fff, 16 + cut_off);
}

// Arguments that are not as most are: a branch that is rarely taken.
static inline bool unusual(bool is) { return __builtin_expect(is, 0); }

// The bits of 1 / x, 1 / sqrt(x) and sqrt(x) of normal numbers of which that is a normal number; of roots, positive ones.
template <class Ww> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Ww) rcp_bits(Ww word) {
  return (word & 0x80000000u) | (rcp_series(word & 0x7fffff, 0) + ((Ww(252) - (word >> 23 & 0xff)) << 23));
}
template <class Ww> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Ww) rsq_bits(Ww word) {
  const Ww odd = (word >> 23 & 1) ^ 1, fraction = (word & 0x7fffff) | odd << 23, half = (Ww(189) - (((word >> 23) + 1) >> 1)) << 23;
  return half + choose(fraction == 0, Ww(1u << 24), rsq_series(fraction, 0));
}
static inline float rcp(float x) {
  const uint32_t word = bits(x), sign = word & 0x80000000u, size = word & 0x7fffffffu;
  if (unusual(size - 0x00800000u > 0x7e000000u)) {  // of results below 2^-126, only 2^-126 itself is not 0
    if (size > 0x7f800000u) return no_number();
    return number(size < 0x00800000u ? sign | 0x7f800000u : sign);
  }
  return number(rcp_bits(word));
}
// What roots have in common: numbers that are not, denormals, negative ones.
static inline float not_rooted(uint32_t word, uint32_t of_zero, uint32_t of_infinity) {
  const uint32_t size = word & 0x7fffffffu;
  if (size < 0x00800000u) return number((word & 0x80000000u) | of_zero);
  return word == 0x7f800000u ? number(of_infinity) : no_number();
}
static inline float rsq(float x) {
  const uint32_t word = bits(x);
  if (unusual(word - 0x00800000u >= 0x7f000000u)) return not_rooted(word, 0x7f800000u, 0);
  return number(rsq_bits(word));
}
template <class Ww> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Ww) sqrt_bits(Ww word) {
  const Ww odd = (word >> 23 & 1) ^ 1, fraction = (word & 0x7fffff) | odd << 23, rest = fraction & 0x1ffff;
  return sum(gpuopt_emu_unit_sqrt, fraction >> 17, 15, rest, 1, square(rest), 0x7fff, 17) + ((Ww(62) + (((word >> 23) + 1) >> 1)) << 23);
}
static inline float sqrt(float x) {
  const uint32_t word = bits(x);
  if (unusual(word - 0x00800000u >= 0x7f000000u)) return not_rooted(word, 0, 0x7f800000u);
  return number(sqrt_bits(word));
}
// The reciprocal of a double of which the upper half is looked at; the lower half of the result is 0.
template <class Dd> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(Dd) rcp_of_positive(Dd x) {
  typedef typename Kinds<Dd>::Word Word;
  const Word word = bits(x) >> 32, fraction = word & (uint64_t)0xfffff;
  return number((rcp_series(fraction << 3, 3) + (Word((uint64_t)2044 << 20) - (word - fraction))) << 32);
}
static inline double rcp(double x) {
  const uint32_t word = (uint32_t)(bits(x) >> 32), sign = word & 0x80000000u, size = word & 0x7fffffffu;
  if (x != x) return number((uint64_t)0x7fffffff << 32);
  if (size < 0x00100000u) return number((uint64_t)(sign | 0x7ff00000u) << 32);
  if (size > 0x7fd00000u) return number((uint64_t)sign << 32);
  return number(bits(rcp_of_positive(__builtin_fabs(x))) | (uint64_t)sign << 32);
}
static inline double rsq(double x) {
  const uint32_t size = (uint32_t)(bits(x) >> 32);
  const int exponent = (int)(size >> 20) - 1023;
  const uint32_t fraction = (size & 0xfffff) << 3 | (uint32_t)(exponent & 1) << 23, half = (uint32_t)(1021 - (exponent >> 1)) << 20;
  return number((uint64_t)(half + (fraction ? rsq_series(fraction, 3) : 1u << 21)) << 32);
}

// A number below 0 with a fraction, of 23 bits, is taken for one less. `rarely`: it seldom is below 0.
static inline int32_t lowered(int32_t fixed, bool rarely) {
  if (rarely) return fixed - (fixed < 0 && fixed & 0x7fffff);
  return fixed & 0x7fffff ? fixed + (fixed >> 31) : fixed;  // without a branch: numbers come as they may
}
// The bits of 2^x, where x is not as large as 128.
template <class Ff> static inline GPUOPT_EMU_ALWAYS GPUOPT_EMU_EARLY(typename Kinds<Ff>::Word) ex2_bits(Ff x, bool mostly_positive = false) {
  typedef typename Kinds<Ff>::Word Word;
  const Word fixed = Word(lowered(whole(x * 8388608.0f), mostly_positive)), fraction = fixed & 0x7fffff, rest = fraction & 0x1ffff;
  const Word result = sum(gpuopt_emu_unit_ex2, fraction >> 17, 13, rest, 0, square(rest), 0x77e2, 15);
  return result + (fixed & 0xff800000u) + 0x3f000000u;
}
static inline float ex2(float x, bool mostly_positive = false) {
  const uint32_t word = bits(x), size = word & 0x7fffffffu;
  if (unusual(size >= 0x43000000u)) return size > 0x7f800000u ? no_number() : word >> 31 ? 0.0f : INFINITY;  // 128 and more
  const int32_t result = (int32_t)ex2_bits(x, mostly_positive);
  return unusual(result < 0x00800000) ? 0.0f : number((uint32_t)result);
}
// `value` / 2^place as a number; bits beyond the 24 first are dropped.
static inline float normal(uint64_t value, int place, uint32_t sign) {
  if (value == 0) return number(sign);
  const int top = 63 - __builtin_clzll(value);
  const uint64_t mantissa = top > 23 ? value >> (top - 23) : value << (23 - top);
  return number(sign | ((uint32_t)mantissa + (uint32_t)((126 + top - place) * (1 << 23))));
}
static inline float lg2(float x) {
  const uint32_t word = bits(x);
  if (unusual(word - 0x00800000u >= 0x7f000000u)) {
    const uint32_t size = word & 0x7fffffffu;
    return size < 0x00800000u ? -INFINITY : word == 0x7f800000u ? x : no_number();
  }
  const uint32_t fraction = word & 0x7fffff, rest = fraction & 0x1ffff;
  const int32_t(&c)[4] = gpuopt_emu_unit_lg2[fraction >> 17];
  int64_t sum = word == 0x3f800000u ? 0 : (series(c, 12, rest, c[2] * 2, square(rest)) + 0x3345) >> 2;
  sum += (int64_t)((int)(word >> 23) - 127) * ((int64_t)1 << 36);
  return sum < 0 ? normal((uint64_t)~sum, 36, 0x80000000u) : normal((uint64_t)sum, 36, 0);
}
// Of x / (2 pi), cut off as a number, and then as a part of a turn.
static inline float wave(float x, int turn) {
  const double exact = (double)x * (double)0.15915494f;
  if (!(exact - exact == 0.0)) return no_number();
  uint32_t word = bits((float)exact);
  if (fabs((double)(float)exact) > fabs(exact)) --word;
  const uint32_t size = word & 0x7fffffffu;
  const int shift = (int)(size >> 23) - 125;
  const uint32_t mantissa = (size & 0x7fffff) | 0x800000;
  uint32_t fixed = size < 0x00800000u || shift < -24 || shift > 24 ? 0 : shift < 0 ? mantissa >> -shift : mantissa << shift;
  const uint32_t sign = turn ? 0 : word >> 31, quarter = (fixed >> 23 & 3) + (uint32_t)turn;
  if (quarter & 1) fixed = ~fixed;
  const uint32_t fraction = fixed & 0x7fffff, rest = fraction & 0x1ffff;
  const int32_t(&c)[4] = gpuopt_emu_unit_sin[fraction >> 17];
  return normal((uint64_t)series(c, 11, rest, c[2], square(rest)), 37, (sign ^ (quarter >> 1 & 1)) << 31);
}
// Each octave from 2^-8 to 8 has its own number of parts; 17 bits of the fraction behind those that choose the part count.
static inline float tanh(float x) {
  static const uint8_t octaves[11][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}, {7, 2}, {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
  const uint32_t word = bits(x), sign = word & 0x80000000u, size = word & 0x7fffffffu;
  if (size > 0x7f800000u) return no_number();
  if (size < 0x3b800000u) return x;  // 2^-8
  if (size >= 0x41000000u) return number(sign | 0x3f800000u);
  const uint8_t(&octave)[2] = octaves[(size >> 23) - 119];
  const uint32_t leading = (size & 0x7fffff) >> (6 - octave[1]), rest = leading & 0x1ffff;
  const int32_t(&c)[4] = gpuopt_emu_unit_tanh[octave[0] + (leading >> 17)];
  return normal((uint64_t)series(c, 15, rest, c[2] * 2, square(rest)), 167 - (int)(size >> 23), sign);
}

// As PTX's instructions without .ftz use the unit. `lifted`: 2^24 times a number below 2^-126, also where the processor
// takes such a number for 0.
static inline bool is_small(float x) { return (bits(x) & 0x7fffffffu) < 0x00800000u; }
static inline float lifted(float x) { return copysignf((float)(int32_t)(bits(x) & 0x7fffff) * 2.350988701644575e-38f, x); }
static inline float rcp_approx(float x) { return is_small(x) ? rcp(lifted(x)) * 16777216.0f : rcp(x); }
static inline float rsqrt_approx(float x) { return is_small(x) ? rsq(lifted(x)) * 4096.0f : rsq(x); }
static inline float sqrt_approx(float x) { return is_small(x) ? sqrt(lifted(x)) * 0.000244140625f : sqrt(x); }
static inline float ex2_approx(float x) {
  if (x >= -126.0f) return ex2(x);
  const float root = ex2(x * 0.5f);
  return root * root;
}
static inline float lg2_approx(float x) { return is_small(x) ? lg2(lifted(x)) - 24.0f : lg2(x); }
static inline float sin_approx(float x) { return wave(x, 0); }
static inline float cos_approx(float x) { return wave(x, 1); }

}  // namespace unit
}  // namespace gpuopt_emu

#endif
