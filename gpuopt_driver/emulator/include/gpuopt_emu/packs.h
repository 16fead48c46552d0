// Eight floats or four doubles that are computed with together, and whole numbers as wide: what special_function_unit.h and
// device_maths.h say in templates holds for them, too, if they come after this. For code that is compiled for AVX2 and FMA.
#ifndef GPUOPT_EMU_PACKS_H
#define GPUOPT_EMU_PACKS_H

#include <immintrin.h>

#include "special_function_unit.h"

namespace gpuopt_emu {
namespace unit {

#define GPUOPT_EMU_PACKED inline __attribute__((always_inline))

// Of each number, whether something is so: all its bits or none.
struct Which {
  __m256i v;
  friend GPUOPT_EMU_PACKED Which operator&(Which a, Which b) { return {_mm256_and_si256(a.v, b.v)}; }
  friend GPUOPT_EMU_PACKED bool all(Which a) { return _mm256_movemask_epi8(a.v) == -1; }
};

// As uint32_t and int32_t.
template <bool Signed> struct Words32 {
  __m256i v;
  GPUOPT_EMU_PACKED Words32(__m256i given) : v(given) {}
  GPUOPT_EMU_PACKED Words32(int32_t one) : v(_mm256_set1_epi32(one)) {}
  GPUOPT_EMU_PACKED Words32(uint32_t one) : v(_mm256_set1_epi32((int32_t)one)) {}
  GPUOPT_EMU_PACKED explicit Words32(Words32<!Signed> other) : v(other.v) {}
  friend GPUOPT_EMU_PACKED Words32 operator+(Words32 a, Words32 b) { return _mm256_add_epi32(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words32 operator-(Words32 a, Words32 b) { return _mm256_sub_epi32(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words32 operator&(Words32 a, Words32 b) { return _mm256_and_si256(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words32 operator|(Words32 a, Words32 b) { return _mm256_or_si256(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words32 operator^(Words32 a, Words32 b) { return _mm256_xor_si256(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words32 operator~(Words32 a) { return _mm256_xor_si256(a.v, _mm256_set1_epi32(-1)); }
  friend GPUOPT_EMU_PACKED Words32 operator<<(Words32 a, int by) { return _mm256_slli_epi32(a.v, by); }
  friend GPUOPT_EMU_PACKED Words32 operator>>(Words32 a, int by) {
    return Signed ? _mm256_srai_epi32(a.v, by) : _mm256_srli_epi32(a.v, by);
  }
  friend GPUOPT_EMU_PACKED Which operator==(Words32 a, Words32 b) { return {_mm256_cmpeq_epi32(a.v, b.v)}; }
  friend GPUOPT_EMU_PACKED Which operator>(Words32 a, Words32 b) {
    const __m256i least = _mm256_set1_epi32(Signed ? 0 : INT32_MIN);
    return {_mm256_cmpgt_epi32(_mm256_xor_si256(a.v, least), _mm256_xor_si256(b.v, least))};
  }
  friend GPUOPT_EMU_PACKED Words32 choose(Which is, Words32 a, Words32 b) { return _mm256_blendv_epi8(b.v, a.v, is.v); }
};
typedef Words32<false> Words;
typedef Words32<true> Wholes;
// As uint64_t.
struct Words64 {
  __m256i v;
  GPUOPT_EMU_PACKED Words64(__m256i given) : v(given) {}
  GPUOPT_EMU_PACKED Words64(uint64_t one) : v(_mm256_set1_epi64x((int64_t)one)) {}
  friend GPUOPT_EMU_PACKED Words64 operator+(Words64 a, Words64 b) { return _mm256_add_epi64(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words64 operator-(Words64 a, Words64 b) { return _mm256_sub_epi64(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words64 operator&(Words64 a, Words64 b) { return _mm256_and_si256(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words64 operator|(Words64 a, Words64 b) { return _mm256_or_si256(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Words64 operator<<(Words64 a, int by) { return _mm256_slli_epi64(a.v, by); }
  friend GPUOPT_EMU_PACKED Words64 operator>>(Words64 a, int by) { return _mm256_srli_epi64(a.v, by); }
};

struct Floats {
  typedef float One;
  enum { COUNT = 8 };
  __m256 v;
  static GPUOPT_EMU_PACKED Floats loaded(const float *from) { return _mm256_load_ps(from); }
  GPUOPT_EMU_PACKED void store(float *to) const { _mm256_store_ps(to, v); }
  GPUOPT_EMU_PACKED Floats(__m256 given) : v(given) {}
  GPUOPT_EMU_PACKED Floats(float one) : v(_mm256_set1_ps(one)) {}
  friend GPUOPT_EMU_PACKED Floats operator+(Floats a, Floats b) { return _mm256_add_ps(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Floats operator-(Floats a, Floats b) { return _mm256_sub_ps(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Floats operator*(Floats a, Floats b) { return _mm256_mul_ps(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Floats operator-(Floats a) { return -a.v; }
#define GPUOPT_EMU_COMPARED(sign, how)                                          \
  friend GPUOPT_EMU_PACKED Which operator sign(Floats a, Floats b) {            \
    return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, how))};                 \
  }
  GPUOPT_EMU_COMPARED(<, _CMP_LT_OQ) GPUOPT_EMU_COMPARED(>, _CMP_GT_OQ) GPUOPT_EMU_COMPARED(>=, _CMP_GE_OQ)
#undef GPUOPT_EMU_COMPARED
  friend GPUOPT_EMU_PACKED Floats choose(Which is, Floats a, Floats b) {
    return _mm256_blendv_ps(b.v, a.v, _mm256_castsi256_ps(is.v));
  }
  friend GPUOPT_EMU_PACKED Floats fused(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a.v, b.v, c.v); }
  friend GPUOPT_EMU_PACKED Floats size_of(Floats a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v); }
  friend GPUOPT_EMU_PACKED Floats rounded(Floats a) {
    return _mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};
struct Doubles {
  typedef double One;
  enum { COUNT = 4 };
  __m256d v;
  static GPUOPT_EMU_PACKED Doubles loaded(const double *from) { return _mm256_load_pd(from); }
  GPUOPT_EMU_PACKED void store(double *to) const { _mm256_store_pd(to, v); }
  GPUOPT_EMU_PACKED Doubles(__m256d given) : v(given) {}
  GPUOPT_EMU_PACKED Doubles(double one) : v(_mm256_set1_pd(one)) {}
  friend GPUOPT_EMU_PACKED Doubles operator+(Doubles a, Doubles b) { return _mm256_add_pd(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Doubles operator-(Doubles a, Doubles b) { return _mm256_sub_pd(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Doubles operator*(Doubles a, Doubles b) { return _mm256_mul_pd(a.v, b.v); }
  friend GPUOPT_EMU_PACKED Doubles operator-(Doubles a) { return -a.v; }
  friend GPUOPT_EMU_PACKED Which operator<(Doubles a, Doubles b) {
    return {_mm256_castpd_si256(_mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ))};
  }
  friend GPUOPT_EMU_PACKED Which operator>=(Doubles a, Doubles b) {
    return {_mm256_castpd_si256(_mm256_cmp_pd(a.v, b.v, _CMP_GE_OQ))};
  }
  friend GPUOPT_EMU_PACKED Doubles fused(Doubles a, Doubles b, Doubles c) { return _mm256_fmadd_pd(a.v, b.v, c.v); }
  friend GPUOPT_EMU_PACKED Doubles size_of(Doubles a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v); }
};

template <> struct Kinds<Floats> {
  typedef Words Word;
  typedef Wholes Whole;
};
template <> struct Kinds<Doubles> {
  typedef Words64 Word;
};
static GPUOPT_EMU_PACKED Words bits(Floats x) { return _mm256_castps_si256(x.v); }
static GPUOPT_EMU_PACKED Floats number(Words x) { return _mm256_castsi256_ps(x.v); }
static GPUOPT_EMU_PACKED Words64 bits(Doubles x) { return _mm256_castpd_si256(x.v); }
static GPUOPT_EMU_PACKED Doubles number(Words64 x) { return _mm256_castsi256_pd(x.v); }
static GPUOPT_EMU_PACKED Wholes whole(Floats x) { return _mm256_cvttps_epi32(x.v); }
static GPUOPT_EMU_PACKED Floats real(Wholes x) { return _mm256_cvtepi32_ps(x.v); }
// Of whole numbers that are smaller than 2^51.
static GPUOPT_EMU_PACKED Doubles real(Words64 x) {
  return number(x + Words64((uint64_t)0x4338000000000000)) - Doubles(6755399441055744.0);
}
static GPUOPT_EMU_PACKED Wholes whole_product(Floats x, float y) {
  const Wholes near = whole(x * y);  // rounded up, perhaps
  const __m256 less = _mm256_cmp_ps(_mm256_fmsub_ps(x.v, _mm256_set1_ps(y), real(near).v), _mm256_setzero_ps(), _CMP_LT_OQ);
  return _mm256_add_epi32(near.v, _mm256_castps_si256(less));
}
static GPUOPT_EMU_PACKED Wholes lowered(Wholes fixed, bool) {
  const Which no_fraction = (fixed & 0x7fffff) == 0;
  return _mm256_add_epi32(fixed.v, _mm256_andnot_si256(no_fraction.v, (fixed >> 31).v));
}
static GPUOPT_EMU_PACKED Floats either(Words odd, float a, float b) { return choose(odd == 0, Floats(a), Floats(b)); }

#define GPUOPT_EMU_EIGHT(word) {word, word, word, word, word, word, word, word}
alignas(32) static const uint32_t bits_of_square[5][8] = {
    GPUOPT_EMU_EIGHT(0x20020), GPUOPT_EMU_EIGHT(0x40040), GPUOPT_EMU_EIGHT(0x80080), GPUOPT_EMU_EIGHT(0x100000),
    GPUOPT_EMU_EIGHT(0xf01effe0)};
#undef GPUOPT_EMU_EIGHT
// Computed, as no table is as quick: what runtime/special_function_unit.cpp has for the bits 6 to 8 in the lower halves of words, 2 to 5 in their upper
// halves, of x / 2. Multiplications shift to the right, and a sign of 0 leaves out what belongs to a bit that is not set.
static GPUOPT_EMU_PACKED Words square(Words x) {
  const __m256i *bits = reinterpret_cast<const __m256i *>(bits_of_square);
  asm("" : "+r"(bits));  // which are in memory: constants that g++ makes take two instructions more
  const Words half = x >> 1, twice = half | half << 16, ends = twice & bits[4], upper = x >> 9;
  __m256i sum = _mm256_setzero_si256();
#define GPUOPT_EMU_BITS(i) \
  _mm256_sign_epi16(_mm256_mulhi_epu16(ends.v, _mm256_load_si256(bits + i)), _mm256_and_si256(twice.v, _mm256_load_si256(bits + i)))
  sum = _mm256_add_epi16(_mm256_add_epi16(GPUOPT_EMU_BITS(0), GPUOPT_EMU_BITS(1)), _mm256_add_epi16(GPUOPT_EMU_BITS(2), GPUOPT_EMU_BITS(3)));
#undef GPUOPT_EMU_BITS
  return Words(_mm256_madd_epi16(sum, _mm256_set1_epi16(1))) + (Words(_mm256_mullo_epi16(upper.v, upper.v)) >> 1);
}
static GPUOPT_EMU_PACKED Words64 square(Words64 x) { return square(Words(x.v)).v; }  // their upper halves are 0

// Four of special_function_unit.h's sums, with the constants that `table` has at these bytes.
static GPUOPT_EMU_PACKED Words64 sums(const int32_t (*table)[4], uint64_t i, uint64_t j, uint64_t k, uint64_t l, int first, Words64 x,
                                      int second, Words64 x2, int32_t add, int shift) {
#define GPUOPT_EMU_ROW(at) _mm_loadu_si128(reinterpret_cast<const __m128i *>(reinterpret_cast<const char *>(table) + (at)))
  const __m256i ik = _mm256_set_m128i(GPUOPT_EMU_ROW(k), GPUOPT_EMU_ROW(i)), jl = _mm256_set_m128i(GPUOPT_EMU_ROW(l), GPUOPT_EMU_ROW(j));
#undef GPUOPT_EMU_ROW
  const __m256i c0_and_c1 = _mm256_unpacklo_epi64(ik, jl), c2 = _mm256_unpackhi_epi64(ik, jl);
  const Words64 part = _mm256_mul_epi32(c2, x2.v), more = (uint64_t)(int64_t)add;
  const Words64 start = _mm256_mul_epi32(c0_and_c1, _mm256_set1_epi64x(1 << first));
  return (start + _mm256_mul_epi32(_mm256_srli_epi64(c0_and_c1, 32), x.v) + ((part << second) + more)) >> shift;
}
// Eight of them: those of even number, and those of odd number, which `use` makes numbers of 32 bits.
template <class Use>
static GPUOPT_EMU_PACKED Words both_sums(const int32_t (*table)[4], Words row, int first, Words x, int second, Words x2, int32_t add,
                                         int shift, Use use) {
  alignas(32) uint32_t at[8];
  _mm256_store_si256(reinterpret_cast<__m256i *>(at), (row << 4).v);
  const Words64 even = sums(table, at[0], at[2], at[4], at[6], first, x.v, second, x2.v, add, shift);
  const Words64 odd = sums(table, at[1], at[3], at[5], at[7], first, Words64(x.v) >> 32, second, Words64(x2.v) >> 32, add, shift);
  return _mm256_blend_epi32(use(even, 0).v, (use(odd, 32) << 32).v, 0xaa);
}
static GPUOPT_EMU_PACKED Words sum(const int32_t (*table)[4], Words row, int first, Words x, int second, Words x2, int32_t add,
                                   int shift) {
  return both_sums(table, row, first, x, second, x2, add, shift, [](Words64 sums, int) { return sums; });
}
static GPUOPT_EMU_PACKED Words64 sum(const int32_t (*table)[4], Words64 row, int first, Words64 x, int second, Words64 x2,
                                     int32_t add, int shift) {
  alignas(32) uint64_t at[4];
  _mm256_store_si256(reinterpret_cast<__m256i *>(at), (row << 4).v);
  return sums(table, at[0], at[1], at[2], at[3], first, x, second, x2, add, shift);
}

// One by one, where numbers among them are not as most are.
template <class F, class T> static __attribute__((noinline)) void replace(F function, int count, T *x) {
  for (int i = 0; i < count; ++i) x[i] = function(x[i]);
}
template <class F, class T> static __attribute__((noinline)) void replace(F function, int count, T *x, const T *y) {
  for (int i = 0; i < count; ++i) x[i] = function(x[i], y[i]);
}
template <class F, class Pack> static GPUOPT_EMU_PACKED Pack each(F function, Pack x) {
  alignas(32) typename Pack::One numbers[Pack::COUNT];
  x.store(numbers);
  replace(function, Pack::COUNT, numbers);
  return Pack::loaded(numbers);
}
template <class F, class Pack> static GPUOPT_EMU_PACKED Pack each(F function, Pack x, Pack y) {
  alignas(32) typename Pack::One numbers[Pack::COUNT], seconds[Pack::COUNT];
  x.store(numbers);
  y.store(seconds);
  replace(function, Pack::COUNT, numbers, seconds);
  return Pack::loaded(numbers);
}
static GPUOPT_EMU_PACKED Floats rcp(Floats x) {
  if (unusual(!all(Words(0x7e000001u) > (bits(x) & 0x7fffffffu) - 0x00800000u))) return each([](float one) { return rcp(one); }, x);
  return number(rcp_bits(bits(x)));
}
static GPUOPT_EMU_PACKED Floats rsqrt_approx(Floats x) {
  if (unusual(!all(Words(0x7f000000u) > bits(x) - 0x00800000u))) return each([](float one) { return rsqrt_approx(one); }, x);
  return number(rsq_bits(bits(x)));
}
static GPUOPT_EMU_PACKED Floats sqrt(Floats x) {
  if (unusual(!all(Words(0x7f000000u) > bits(x) - 0x00800000u))) return each([](float one) { return sqrt(one); }, x);
  return number(sqrt_bits(bits(x)));
}
// As `normal` has it: `value` / 2^place, below 2^52 - place, made a double, of which the leading bits are left.
static GPUOPT_EMU_PACKED Words64 normal_bits(Words64 value, int place) {
  const Words64 exact = bits(number(value | Words64((uint64_t)0x4330000000000000)) - Doubles(4503599627370496.0));
  const Words64 is_zero = _mm256_cmpeq_epi64(value.v, _mm256_setzero_si256());
  return _mm256_andnot_si256(is_zero.v, ((exact >> 29) - Words64((uint64_t)(896 + place) << 23)).v);
}
static GPUOPT_EMU_PACKED Floats lg2_approx(Floats x) {
  const Words word = bits(x), fraction = word & 0x7fffff, rest = fraction & 0x1ffff, exponent = (word >> 23) - Words(127);
  if (unusual(!all(Words(0x7f000000u) > word - 0x00800000u))) return each([](float one) { return lg2_approx(one); }, x);
  const Words is_one = _mm256_cmpeq_epi32(word.v, _mm256_set1_epi32(0x3f800000));
  return number(both_sums(gpuopt_emu_unit_lg2, fraction >> 17, 12, rest, 1, square(rest), 0x3345, 2, [=](Words64 sums, int from) {
    const Words64 whole = _mm256_mul_epi32((Words64(exponent.v) >> from).v, _mm256_set1_epi64x(1 << 18));
    const Words64 ones = _mm256_mul_epi32((Words64(is_one.v) >> from).v, _mm256_set1_epi64x(1));
    const Words64 value = Words64(_mm256_andnot_si256(ones.v, sums.v)) + (whole << 18), sign = value >> 63;
    const Words64 size = _mm256_xor_si256(value.v, _mm256_sub_epi64(_mm256_setzero_si256(), sign.v));
    return normal_bits(size, 36) | sign << 31;
  }));
}
static GPUOPT_EMU_PACKED Floats wave_approx(Floats x, int turn) {
  const Floats turns = x * 0.15915494f;  // perhaps rounded away from 0, which the unit does not do
  const Floats lost = _mm256_fmsub_ps(x.v, _mm256_set1_ps(0.15915494f), turns.v);
  const Words is_lost = _mm256_castps_si256(_mm256_cmp_ps(lost.v, _mm256_setzero_ps(), _CMP_NEQ_OQ));
  const Words word = bits(turns) - (((bits(turns) ^ bits(lost)) >> 31) & is_lost & 1);
  const Words mantissa = (word & 0x7fffff) | 0x800000, shift = (word >> 23 & 0xff) - Words(125);
  const Words left = _mm256_sllv_epi32(mantissa.v, shift.v), right = _mm256_srlv_epi32(mantissa.v, (Words(0) - shift).v);
  const Words fixed = left | right, quarter = (fixed >> 23 & 3) + Words(turn), back = Words(0) - (quarter & 1);
  const Words fraction = (fixed ^ back) & 0x7fffff, rest = fraction & 0x1ffff, sign = turn ? Words(0) : word >> 31;
  const Words signs = (sign ^ (quarter >> 1 & 1)) << 31;
  return number(signs | both_sums(gpuopt_emu_unit_sin, fraction >> 17, 11, rest, 0, square(rest), 0, 0, [](Words64 sums, int) {
    return normal_bits(sums, 37);
  }));
}
static GPUOPT_EMU_PACKED Floats sin_approx(Floats x) {
  if (unusual(!all(size_of(x) < 1e6f))) return each([](float one) { return sin_approx(one); }, x);
  return wave_approx(x, 0);
}
static GPUOPT_EMU_PACKED Floats cos_approx(Floats x) {
  if (unusual(!all(size_of(x) < 1e6f))) return each([](float one) { return cos_approx(one); }, x);
  return wave_approx(x, 1);
}
static GPUOPT_EMU_PACKED Floats ex2(Floats x, bool = false) {
  if (unusual(!all(size_of(x) < 126.0f))) return each([](float one) { return ex2(one); }, x);
  return number(ex2_bits(x));
}
static GPUOPT_EMU_PACKED Floats ex2_approx(Floats x) {
  if (unusual(!all(size_of(x) < 126.0f))) return each([](float one) { return ex2_approx(one); }, x);
  return number(ex2_bits(x));
}

}  // namespace unit
}  // namespace gpuopt_emu

#undef GPUOPT_EMU_PACKED
#endif
