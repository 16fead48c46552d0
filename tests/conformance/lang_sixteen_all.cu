// All functions of cuda_fp16.h and cuda_bf16.h: of one number and two of them, comparisons, conversions with all roundings.
#include "sweep.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Not every value of 16 bits that is no number, but each that is one.
template <class H> __device__ H sixteen(unsigned bits, unsigned least) {
  const unsigned short kept = (bits & 0x7fff) > least ? 0x7fff : bits;
  H h;
  memcpy(&h, &kept, 2);
  return h;
}
__device__ inline unsigned short bits_of(__half h) { return __hisnan(h) ? 0x7fff : __half_as_ushort(h); }
__device__ inline unsigned short bits_of(__nv_bfloat16 h) { return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h); }
__device__ inline unsigned long long word(__half h) { return bits_of(h); }
__device__ inline unsigned long long word(__nv_bfloat16 h) { return bits_of(h); }
__device__ inline unsigned long long word(__half2 p) { return bits_of(__low2half(p)) | (unsigned)bits_of(__high2half(p)) << 16; }
__device__ inline unsigned long long word(__nv_bfloat162 p) { return bits_of(__low2bfloat16(p)) | (unsigned)bits_of(__high2bfloat16(p)) << 16; }

#define OF_NUMBERS(X) \
  X(__habs(x)) X(__hneg(x)) X(hceil(x)) X(hfloor(x)) X(hrint(x)) X(htrunc(x)) X(-x) X(+x) X(__hadd(x, y)) X(__hadd_rn(x, y)) X(__hadd_sat(x, y)) \
  X(__hsub(x, y)) X(__hsub_rn(x, y)) X(__hsub_sat(x, y)) X(__hmul(x, y)) X(__hmul_rn(x, y)) X(__hmul_sat(x, y)) X(__hdiv(x, y)) X(__hmax(x, y)) \
  X(__hmin(x, y)) X(__hmax_nan(x, y)) X(__hmin_nan(x, y)) X(x + y) X(x - y) X(x * y) X(x / y) X(__hfma(x, y, z)) X(__hfma_sat(x, y, z)) \
  X(__hfma_relu(x, y, z))
#define COMPARISONS(X) \
  X(__heq(x, y)) X(__hne(x, y)) X(__hlt(x, y)) X(__hle(x, y)) X(__hgt(x, y)) X(__hge(x, y)) X(__hequ(x, y)) X(__hneu(x, y)) X(__hltu(x, y)) \
  X(__hleu(x, y)) X(__hgtu(x, y)) X(__hgeu(x, y)) X(__hisnan(x)) X(__hisinf(x) != 0) X(__hisinf(x) > 0) X(x == y) X(x != y) X(x < y) X(x <= y) X(x > y) \
  X(x >= y)
#define TO_WHOLE(X) \
  X(FROM(int, rn)(x)) X(FROM(int, rz)(x)) X(FROM(int, ru)(x)) X(FROM(int, rd)(x)) X(FROM(uint, rn)(x)) X(FROM(uint, rz)(x)) X(FROM(uint, ru)(x)) \
  X(FROM(uint, rd)(x)) X(FROM(short, rn)(x)) X(FROM(short, rz)(x)) X(FROM(short, ru)(x)) X(FROM(short, rd)(x)) X(FROM(ushort, rn)(x)) \
  X(FROM(ushort, rz)(x)) X(FROM(ushort, ru)(x)) X(FROM(ushort, rd)(x)) X(FROM(ll, rn)(x)) X(FROM(ll, rz)(x)) X(FROM(ll, ru)(x)) X(FROM(ll, rd)(x)) \
  X(FROM(ull, rn)(x)) X(FROM(ull, rz)(x)) X(FROM(ull, ru)(x)) X(FROM(ull, rd)(x)) X(FROM(char, rz)(x)) X(FROM(uchar, rz)(x))
#define OF_OTHERS(X) \
  X(TO(int, rn)((int)w)) X(TO(int, rz)((int)w)) X(TO(int, ru)((int)w)) X(TO(int, rd)((int)w)) X(TO(uint, rn)((unsigned)w)) X(TO(uint, rz)((unsigned)w)) \
  X(TO(uint, ru)((unsigned)w)) X(TO(uint, rd)((unsigned)w)) X(TO(short, rn)((short)w)) X(TO(short, rz)((short)w)) X(TO(short, ru)((short)w)) \
  X(TO(short, rd)((short)w)) X(TO(ushort, rn)((unsigned short)w)) X(TO(ushort, rz)((unsigned short)w)) X(TO(ushort, ru)((unsigned short)w)) \
  X(TO(ushort, rd)((unsigned short)w)) X(TO(ll, rn)((long long)w)) X(TO(ll, rz)((long long)w)) X(TO(ll, ru)((long long)w)) X(TO(ll, rd)((long long)w)) \
  X(TO(ull, rn)((unsigned long long)w)) X(TO(ull, rz)((unsigned long long)w)) X(TO(ull, ru)((unsigned long long)w)) \
  X(TO(ull, rd)((unsigned long long)w)) X(TO(float, rn)(f)) X(TO(float, rz)(f)) X(TO(float, ru)(f)) X(TO(float, rd)(f)) X(SIMPLE(float)(f)) \
  X(SIMPLE(double)(d))
#define CASTS(X) \
  X((float)x) X((short)x) X((unsigned short)x) X((int)x) X((unsigned)x) X((long)x) X((unsigned long)x) X((long long)x) X((unsigned long long)x) \
  X((signed char)x) X((unsigned char)x) X((bool)x) X(H(f)) X(H(d)) X(H((short)w)) X(H((unsigned short)w)) X(H((int)w)) X(H((unsigned)w)) X(H((long)w)) \
  X(H((unsigned long)w)) X(H((long long)w)) X(H((unsigned long long)w))
#define OF_PAIRS(X) \
  X(__habs2(p)) X(__hneg2(p)) X(h2ceil(p)) X(h2floor(p)) X(h2rint(p)) X(h2trunc(p)) X(__lowhigh2highlow(p)) X(h2cos(p)) X(h2sin(p)) X(h2exp(p)) \
  X(h2exp2(p)) X(h2exp10(p)) X(h2log(p)) X(h2log2(p)) X(h2log10(p)) X(h2rcp(p)) X(h2rsqrt(p)) X(h2sqrt(p)) X(h2tanh(p)) X(h2tanh_approx(p)) X(-p) X(+p) \
  X(__hisnan2(p))
#define OF_TWO_PAIRS(X) \
  X(__hadd2(p, q)) X(__hadd2_rn(p, q)) X(__hadd2_sat(p, q)) X(__hsub2(p, q)) X(__hsub2_rn(p, q)) X(__hsub2_sat(p, q)) X(__hmul2(p, q)) \
  X(__hmul2_rn(p, q)) X(__hmul2_sat(p, q)) X(__h2div(p, q)) X(__hmax2(p, q)) X(__hmin2(p, q)) X(__hmax2_nan(p, q)) X(__hmin2_nan(p, q)) X(__heq2(p, q)) \
  X(__hne2(p, q)) X(__hlt2(p, q)) X(__hle2(p, q)) X(__hgt2(p, q)) X(__hge2(p, q)) X(__hequ2(p, q)) X(__hneu2(p, q)) X(__hltu2(p, q)) X(__hleu2(p, q)) \
  X(__hgtu2(p, q)) X(__hgeu2(p, q)) X(p + q) X(p - q) X(p * q) X(p / q) X(__hfma2(p, q, r)) X(__hfma2_sat(p, q, r)) X(__hfma2_relu(p, q, r)) \
  X(__hcmadd(p, q, r)) X(__hbeq2(p, q)) X(__hbne2(p, q)) X(__hblt2(p, q)) X(__hble2(p, q)) X(__hbgt2(p, q)) X(__hbge2(p, q)) X(__hbequ2(p, q)) \
  X(__hbneu2(p, q)) X(__hbltu2(p, q)) X(__hbleu2(p, q)) X(__hbgtu2(p, q)) X(__hbgeu2(p, q)) X(__heq2_mask(p, q)) X(__hne2_mask(p, q)) \
  X(__hlt2_mask(p, q)) X(__hle2_mask(p, q)) X(__hgt2_mask(p, q)) X(__hge2_mask(p, q)) X(__hequ2_mask(p, q)) X(__hneu2_mask(p, q)) X(__hltu2_mask(p, q)) \
  X(__hleu2_mask(p, q)) X(__hgtu2_mask(p, q)) X(__hgeu2_mask(p, q)) X(p == q) X(p != q) X(p < q) X(p <= q) X(p > q) X(p >= q)
#define PARTS(X) \
  X(PAIR(__low2, 2)(p)) X(PAIR(__high2, 2)(p)) X(PAIR(__lows2, 2)(p, q)) X(PAIR(__highs2, 2)(p, q)) X(PAIR(__low2, )(p)) X(PAIR(__high2, )(p)) \
  X(__low2float(p)) X(__high2float(p)) X(OF_ONE(x)) X(OF_TWO(x, y)) X(PAIR(__floats2, 2_rn)(f, -f)) X(PAIR(__float2, 2_rn)(f)) \
  X(PAIR(__float22, 2_rn)(make_float2(f, -f))) X(PAIR(make_, 2)(x, y)) X(PAIR(__, 22float2)(p).x) X(PAIR(__, 22float2)(p).y) X(AS_USHORT(x)) \
  X(AS_SHORT(x)) X(OF_USHORT(w)) X(OF_SHORT(w))

#define KERNEL(kernel, type, pair, LIST)                                                                          \
  __global__ void kernel(unsigned long long *o, unsigned least) {                                                 \
    typedef type H;                                                                                               \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = mixed(i), t = mixed(i + 70000);                 \
    const H x = sixteen<H>(s, least), y = sixteen<H>(s >> 16, least), z = sixteen<H>(t, least), u = sixteen<H>(i * 16, least); \
    const pair p(x, u), q(i % 3 ? y : x, i % 5 ? z : u), r(z, y);                                                 \
    const float f = i % 2 ? argument(i / 2, 0, 0.0f) : __uint_as_float(i << 20 | (i & 15) << 12 | (i & 1));        \
    const double d = i % 2 ? argument(i / 2, 0, 0.0) : f == f ? f * 1.0000000001 : 0.0;                             \
    const unsigned long long w = mixed_long(i) >> i % 64;                                                         \
    (void)x, (void)y, (void)z, (void)p, (void)q, (void)r, (void)f, (void)d, (void)w;                              \
    int k = 0;                                                                                                    \
    LIST(SWEEP_ONE)                                                                                               \
  }
#define NAMES(kernel, LIST) static const char *const kernel##_names[] = {LIST(SWEEP_NAME)};
#define EACH_LIST(X) \
  X(numbers, OF_NUMBERS) X(comparisons, COMPARISONS) X(whole, TO_WHOLE) X(others, OF_OTHERS) X(casts, CASTS) X(pairs, OF_PAIRS) \
  X(two_pairs, OF_TWO_PAIRS) X(parts, PARTS)
EACH_LIST(NAMES)

#define FROM(type, mode) __half2##type##_##mode
#define TO(type, mode) __##type##2half_##mode
#define SIMPLE(type) __##type##2half
#define PAIR(before, after) before##half##after
#define OF_ONE __half2half2
#define OF_TWO __halves2half2
#define AS_USHORT __half_as_ushort
#define AS_SHORT __half_as_short
#define OF_USHORT __ushort_as_half
#define OF_SHORT __short_as_half
namespace of_half {
#define X(kernel, LIST) KERNEL(kernel, __half, __half2, LIST)
EACH_LIST(X)
}
#undef FROM
#undef TO
#undef SIMPLE
#undef PAIR
#undef OF_ONE
#undef OF_TWO
#undef AS_USHORT
#undef AS_SHORT
#undef OF_USHORT
#undef OF_SHORT
#define FROM(type, mode) __bfloat162##type##_##mode
#define TO(type, mode) __##type##2bfloat16_##mode
#define SIMPLE(type) __##type##2bfloat16
#define PAIR(before, after) before##bfloat16##after
#define OF_ONE __bfloat162bfloat162
#define OF_TWO __halves2bfloat162
#define AS_USHORT __bfloat16_as_ushort
#define AS_SHORT __bfloat16_as_short
#define OF_USHORT __ushort_as_bfloat16
#define OF_SHORT __short_as_bfloat16
namespace of_bfloat16 {
#undef X
#define X(kernel, LIST) KERNEL(kernel, __nv_bfloat16, __nv_bfloat162, LIST)
EACH_LIST(X)
}
template <class K> void run(const char *type, const char *const *names, int count, K kernel, unsigned least, bool all) {
  unsigned long long *o = array<unsigned long long>(count * COUNT);
  kernel<<<COUNT / 128, 128>>>(o, least);
  finish(type);
  for (int f = 0; f < count; ++f) {
    printf("%s, ", type);
    report(names[f], o + f * COUNT, all);
  }
  cudaFree(o);
}
int main(int argc, char **) {
#undef X
#define X(kernel, LIST) run("half", kernel##_names, sizeof kernel##_names / sizeof *kernel##_names, of_half::kernel, 0x7c00, argc > 1);
  EACH_LIST(X)
#undef X
#define X(kernel, LIST) run("bfloat16", kernel##_names, sizeof kernel##_names / sizeof *kernel##_names, of_bfloat16::kernel, 0x7f80, argc > 1);
  EACH_LIST(X)
}
