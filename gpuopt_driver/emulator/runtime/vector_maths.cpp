// The vector forms of what include/gpuopt_emu/vector_maths.h declares, by the names that the x86-64 ABI for them gives.
#if defined(__AVX2__) && defined(__FMA__) && !defined(GPUOPT_EMU_PORTABLE)
// All in one function: g++ 12 loses the upper half of a pack that another function returns.
#define GPUOPT_EMU_ALWAYS __attribute__((always_inline))
#include "gpuopt_emu/packs.h"

#include "gpuopt_emu/device_maths.h"
#include "gpuopt_emu/device_maths_double.h"
#include "gpuopt_emu/quotients.h"

namespace gpuopt_emu {
namespace {

#define GPUOPT_EMU_PACKED inline __attribute__((always_inline))
using unit::Doubles;
using unit::each;
using unit::Floats;
using unit::unusual;

GPUOPT_EMU_PACKED Floats exp(Floats x) { return library::exp_of(x); }
GPUOPT_EMU_PACKED Floats exp10(Floats x) { return library::exp10_of(x); }
GPUOPT_EMU_PACKED Floats exp2(Floats x) { return unit::ex2_approx(x); }
GPUOPT_EMU_PACKED Floats rsqrt(Floats x) { return unit::rsqrt_approx(x); }
GPUOPT_EMU_PACKED Floats tanh(Floats x) { return library::tanh_of(x); }
GPUOPT_EMU_PACKED Floats rcp(Floats x) { return unit::rcp(x); }
GPUOPT_EMU_PACKED Floats sqrt(Floats x) { return unit::sqrt(x); }
GPUOPT_EMU_PACKED Floats lg2_approx(Floats x) { return unit::lg2_approx(x); }
GPUOPT_EMU_PACKED Floats sin_approx(Floats x) { return unit::sin_approx(x); }
GPUOPT_EMU_PACKED Floats cos_approx(Floats x) { return unit::cos_approx(x); }
GPUOPT_EMU_PACKED Floats wave(Floats x, int quarter) {
  const unit::Wholes turns = unit::whole(rounded(x * 0.63661975f));
  return library::wave(library::near_angle(x, unit::real(turns)), turns + quarter);
}
GPUOPT_EMU_PACKED bool far(Floats x) { return unusual(!all(size_of(x) < 105615.0f)); }
GPUOPT_EMU_PACKED Floats sin(Floats x) { return far(x) ? each([](float one) { return of_gpu(library::sin(one)); }, x) : wave(x, 0); }
GPUOPT_EMU_PACKED Floats cos(Floats x) { return far(x) ? each([](float one) { return of_gpu(library::cos(one)); }, x) : wave(x, 1); }

GPUOPT_EMU_PACKED bool positive_and_normal(Floats x) { return all((x >= 1.1754944e-38f) & (INFINITY > x)); }
GPUOPT_EMU_PACKED Floats log(Floats x) {
  if (unusual(!positive_and_normal(x))) return each([](float one) { return of_gpu(library::log(one)); }, x);
  return library::natural(library::parts(x, 0x3f2aaaabu, 8388608.0f, -23.0f));
}
GPUOPT_EMU_PACKED Floats log10(Floats x) {
  if (unusual(!positive_and_normal(x))) return each([](float one) { return of_gpu(library::log10(one)); }, x);
  return library::natural(library::parts(x, 0x3f2aaaabu, 8388608.0f, -23.0f)) * 0.4342945f;
}
GPUOPT_EMU_PACKED Floats log2(Floats x) {
  if (unusual(!positive_and_normal(x))) return each([](float one) { return of_gpu(library::log2(one)); }, x);
  return library::binary(library::parts(x, 0x3f3504f3u, 8388608.0f, -23.0f));
}
GPUOPT_EMU_PACKED Floats pow(Floats x, Floats y) {
  if (unusual(!all((x >= 1.1754944e-38f) & (size_of(x) + size_of(y) < INFINITY))))
    return each([](float one, float two) { return of_gpu(library::pow(one, two)); }, x, y);
  return library::power(x, y);
}
GPUOPT_EMU_PACKED Doubles exp(Doubles x) {
  if (unusual(!all(size_of(x) < 700.0))) return each([](double one) { return library::exp(one); }, x);
  return library::exp_of_middle(x);
}
GPUOPT_EMU_PACKED bool positive_and_normal(Doubles x) { return all((x >= 2.2250738585072014e-308) & (x < INFINITY)); }
GPUOPT_EMU_PACKED Doubles log(Doubles x) {
  if (unusual(!positive_and_normal(x))) return each([](double one) { return of_gpu<library::log>(one); }, x);
  return library::logarithm_of(library::parts_of_normal(x, 1023.0));
}

GPUOPT_EMU_PACKED Doubles pow(Doubles x, Doubles y) {
  const auto alone = [](double one, double two) { return library::pow(one, two); };
  if (unusual(!positive_and_normal(x))) return each(alone, x, y);
  const library::Twofold<Doubles> exponent = exponent_of(twofold_logarithm_of(library::parts_of_normal(x, 1023.0)), y);
  if (unusual(!all((size_of(exponent.high) < 700.0) & (size_of(y) < 1e300)))) return each(alone, x, y);
  const Doubles result = library::exp_of_middle(exponent.high);
  return fused(result, exponent.low, result);
}

}  // namespace
}  // namespace gpuopt_emu

#define GPUOPT_EMU_ALL extern "C"
// Of 64 bytes, where the program is compiled for AVX-512: one half and then the other.
#define GPUOPT_EMU_WIDE extern "C" __attribute__((target("avx512f")))
#define GPUOPT_EMU_UPPER(x) _mm512_extractf64x4_pd(x, 1)
#define GPUOPT_EMU_JOINED(low, high) _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1)
#define GPUOPT_EMU_LOW_FLOATS(x) _mm512_castps512_ps256(x)
#define GPUOPT_EMU_HIGH_FLOATS(x) _mm256_castpd_ps(GPUOPT_EMU_UPPER(_mm512_castps_pd(x)))
#define GPUOPT_EMU_FLOATS(low, high) _mm512_castpd_ps(GPUOPT_EMU_JOINED(_mm256_castps_pd(low), _mm256_castps_pd(high)))
#define GPUOPT_EMU_OF_FLOATS(name, single)                                                                  \
  GPUOPT_EMU_ALL float gpuopt_emu_vector_##name##f(float x) { return gpuopt_emu::of_gpu(gpuopt_emu::single(x)); } \
  GPUOPT_EMU_ALL __m256 _ZGVdN8v_gpuopt_emu_vector_##name##f(__m256 x) { return gpuopt_emu::name(Floats(x)).v; } \
  GPUOPT_EMU_ALL __m256 _ZGVcN8v_gpuopt_emu_vector_##name##f(__m256 x) { return gpuopt_emu::name(Floats(x)).v; } \
  GPUOPT_EMU_ALL __m128 _ZGVbN4v_gpuopt_emu_vector_##name##f(__m128 x) {                                   \
    return _mm256_castps256_ps128(gpuopt_emu::name(Floats(_mm256_set_m128(x, x))).v);                      \
  }                                                                                                        \
  GPUOPT_EMU_WIDE __m512 _ZGVeN16v_gpuopt_emu_vector_##name##f(__m512 x) {                                 \
    const __m256 low = _ZGVdN8v_gpuopt_emu_vector_##name##f(GPUOPT_EMU_LOW_FLOATS(x));                     \
    return GPUOPT_EMU_FLOATS(low, _ZGVdN8v_gpuopt_emu_vector_##name##f(GPUOPT_EMU_HIGH_FLOATS(x)));        \
  }
#define GPUOPT_EMU_OF_DOUBLES(name, single)                                                                  \
  GPUOPT_EMU_ALL double gpuopt_emu_vector_##name(double x) { return gpuopt_emu::single(x); }                 \
  GPUOPT_EMU_ALL __m256d _ZGVdN4v_gpuopt_emu_vector_##name(__m256d x) { return gpuopt_emu::name(Doubles(x)).v; } \
  GPUOPT_EMU_ALL __m256d _ZGVcN4v_gpuopt_emu_vector_##name(__m256d x) { return gpuopt_emu::name(Doubles(x)).v; } \
  GPUOPT_EMU_ALL __m128d _ZGVbN2v_gpuopt_emu_vector_##name(__m128d x) {                                     \
    return _mm256_castpd256_pd128(gpuopt_emu::name(Doubles(_mm256_set_m128d(x, x))).v);                      \
  }                                                                                                          \
  GPUOPT_EMU_WIDE __m512d _ZGVeN8v_gpuopt_emu_vector_##name(__m512d x) {                                     \
    const __m256d low = _ZGVdN4v_gpuopt_emu_vector_##name(_mm512_castpd512_pd256(x));                        \
    return GPUOPT_EMU_JOINED(low, _ZGVdN4v_gpuopt_emu_vector_##name(GPUOPT_EMU_UPPER(x)));                   \
  }
using gpuopt_emu::unit::Doubles;
using gpuopt_emu::unit::Floats;
GPUOPT_EMU_OF_FLOATS(exp, library::exp) GPUOPT_EMU_OF_FLOATS(exp10, library::exp10) GPUOPT_EMU_OF_FLOATS(exp2, library::exp2)
GPUOPT_EMU_OF_FLOATS(rsqrt, library::rsqrt) GPUOPT_EMU_OF_FLOATS(tanh, library::tanh) GPUOPT_EMU_OF_FLOATS(sin, library::sin)
GPUOPT_EMU_OF_FLOATS(cos, library::cos) GPUOPT_EMU_OF_FLOATS(log, library::log) GPUOPT_EMU_OF_FLOATS(log2, library::log2)
GPUOPT_EMU_OF_FLOATS(log10, library::log10) GPUOPT_EMU_OF_FLOATS(rcp, unit::rcp) GPUOPT_EMU_OF_FLOATS(sqrt, unit::sqrt)
GPUOPT_EMU_OF_FLOATS(lg2_approx, unit::lg2_approx) GPUOPT_EMU_OF_FLOATS(sin_approx, unit::sin_approx)
GPUOPT_EMU_OF_FLOATS(cos_approx, unit::cos_approx) GPUOPT_EMU_OF_DOUBLES(exp, library::exp) GPUOPT_EMU_OF_DOUBLES(log, of_gpu<gpuopt_emu::library::log>)

GPUOPT_EMU_ALL float gpuopt_emu_vector_powf(float x, float y) { return gpuopt_emu::of_gpu(gpuopt_emu::library::pow(x, y)); }
GPUOPT_EMU_ALL __m256 _ZGVdN8vv_gpuopt_emu_vector_powf(__m256 x, __m256 y) { return gpuopt_emu::pow(Floats(x), Floats(y)).v; }
GPUOPT_EMU_ALL __m256 _ZGVcN8vv_gpuopt_emu_vector_powf(__m256 x, __m256 y) { return gpuopt_emu::pow(Floats(x), Floats(y)).v; }
GPUOPT_EMU_ALL __m128 _ZGVbN4vv_gpuopt_emu_vector_powf(__m128 x, __m128 y) {
  return _mm256_castps256_ps128(gpuopt_emu::pow(Floats(_mm256_set_m128(x, x)), Floats(_mm256_set_m128(y, y))).v);
}
GPUOPT_EMU_ALL double gpuopt_emu_vector_pow(double x, double y) { return gpuopt_emu::library::pow(x, y); }
GPUOPT_EMU_ALL __m256d _ZGVdN4vv_gpuopt_emu_vector_pow(__m256d x, __m256d y) { return gpuopt_emu::pow(Doubles(x), Doubles(y)).v; }
GPUOPT_EMU_ALL __m256d _ZGVcN4vv_gpuopt_emu_vector_pow(__m256d x, __m256d y) { return gpuopt_emu::pow(Doubles(x), Doubles(y)).v; }
GPUOPT_EMU_ALL __m128d _ZGVbN2vv_gpuopt_emu_vector_pow(__m128d x, __m128d y) {
  return _mm256_castpd256_pd128(gpuopt_emu::pow(Doubles(_mm256_set_m128d(x, x)), Doubles(_mm256_set_m128d(y, y))).v);
}
GPUOPT_EMU_WIDE __m512 _ZGVeN16vv_gpuopt_emu_vector_powf(__m512 x, __m512 y) {
  const __m256 low = _ZGVdN8vv_gpuopt_emu_vector_powf(GPUOPT_EMU_LOW_FLOATS(x), GPUOPT_EMU_LOW_FLOATS(y));
  return GPUOPT_EMU_FLOATS(low, _ZGVdN8vv_gpuopt_emu_vector_powf(GPUOPT_EMU_HIGH_FLOATS(x), GPUOPT_EMU_HIGH_FLOATS(y)));
}
GPUOPT_EMU_WIDE __m512d _ZGVeN8vv_gpuopt_emu_vector_pow(__m512d x, __m512d y) {
  const __m256d low = _ZGVdN4vv_gpuopt_emu_vector_pow(_mm512_castpd512_pd256(x), _mm512_castpd512_pd256(y));
  return GPUOPT_EMU_JOINED(low, _ZGVdN4vv_gpuopt_emu_vector_pow(GPUOPT_EMU_UPPER(x), GPUOPT_EMU_UPPER(y)));
}
#endif
