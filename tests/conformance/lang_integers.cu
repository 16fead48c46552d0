// Integer functions: of single bits, bytes, products, sums, differences, in 32 and 64 bits.
#include "sweep.h"

__device__ char4 quads(unsigned x) { return make_char4(x, x >> 8, x >> 16, x >> 24); }
__device__ uchar4 uquads(unsigned x) { return make_uchar4(x, x >> 8, x >> 16, x >> 24); }
__device__ short2 pair(unsigned x) { return make_short2(x, x >> 16); }
__device__ ushort2 upair(unsigned x) { return make_ushort2(x, x >> 16); }

#define WORDS(X) \
  X(__popc(x)) X(__clz(x)) X(__ffs(x)) X(__brev(x)) X(__fns(x, y%32, int(z%9)-4)) X(__fns(x, 0, int(y%32)+1)) X(__fns(x, 31, -int(y%32)-1)) \
  X(__byte_perm(x, y, z)) X(__byte_perm(x, y, z&0x7777)) X(__funnelshift_l(x, y, z)) X(__funnelshift_r(x, y, z)) X(__funnelshift_lc(x, y, z%70)) \
  X(__funnelshift_rc(x, y, z%70)) X(__mulhi(int(x), int(y))) X(__umulhi(x, y)) X(__mul24(int(x), int(y))) X(__umul24(x, y)) X(__sad(int(x), int(y), z)) \
  X(__usad(x, y, z)) X(__hadd(int(x), int(y))) X(__rhadd(int(x), int(y))) X(__uhadd(x, y)) X(__urhadd(x, y)) X(__dp4a(int(x), int(y), int(z))) \
  X(__dp4a(x, y, z)) X(__dp4a(quads(x), quads(y), int(z))) X(__dp4a(uquads(x), uquads(y), z)) X(__dp2a_lo(int(x), int(y), int(z))) \
  X(__dp2a_hi(int(x), int(y), int(z))) X(__dp2a_lo(x, y, z)) X(__dp2a_hi(x, y, z)) X(__dp2a_lo(pair(x), quads(y), int(z))) \
  X(__dp2a_hi(pair(x), quads(y), int(z))) X(__dp2a_lo(upair(x), uquads(y), z)) X(__dp2a_hi(upair(x), uquads(y), z)) X(min(int(x), int(y))) \
  X(max(int(x), int(y))) X(min(x, y)) X(max(x, y)) X(umin(x, y)) X(umax(x, y)) X(min(int(x), y)) X(max(x, int(y))) X(abs(int(x)|1)) \
  X(__float_as_int(__int_as_float(int(x&0x7fbfffff)))) X(__float_as_uint(__uint_as_float(x&0x7fbfffff))) X(__nv_bswap16(x)) X(__nv_bswap32(x))
#define LONGS(X) \
  X(__popcll(x)) X(__clzll(x)) X(__ffsll(x)) X(__brevll(x)) X(__mul64hi((long long)x, (long long)y)) X(__umul64hi(x, y)) \
  X(min((long long)x, (long long)y)) X(max((long long)x, (long long)y)) X(min(x, y)) X(max(x, y)) X(llmin((long long)x, (long long)y)) \
  X(llmax((long long)x, (long long)y)) X(ullmin(x, y)) X(ullmax(x, y)) X(llabs((long long)x|1)) X(labs(long(x|1))) X(abs((long long)(x|1))) \
  X(min((long long)x, y)) X(max(x, (long long)y)) X(__double_as_longlong(__longlong_as_double(x&0x7ff7ffffffffffff))) \
  X(__double2hiint(__longlong_as_double(x&0x7ff7ffffffffffff))) X(__double2loint(__longlong_as_double(x&0x7ff7ffffffffffff))) \
  X(__double_as_longlong(__hiloint2double(int(x>>32)&0x7ff7ffff, int(y)))) X(__nv_bswap64(x)) X(x/(y|1)) X(x%(y|1)) \
  X((long long)x/((long long)(y&~(1ull<<63))|1)) X((long long)x%((long long)(y&~(1ull<<63))|1)) X(x<<(y&63)) X((long long)x>>(y&63)) X(x*y+z)

typedef unsigned long long u64;
SWEEP(words, unsigned, WORDS)
SWEEP(longs, u64, LONGS)
int main(int argc, char **) {
  RUN_SWEEP(words, argc > 1)
  RUN_SWEEP(longs, argc > 1)
}
