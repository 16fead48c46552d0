// Vector types, half precision, bfloat16, integer intrinsics, conversions in every rounding mode.
// flags: -std=c++17
#include "show.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void vectors(float *out) {
  const float4 a = make_float4(1, 2, 3, 4);
  const int3 b = make_int3(5, 6, 7);
  const uchar4 c = make_uchar4(250, 251, 252, 253);
  const double2 d = make_double2(0.5, 0.25);
  struct Packed { float3 v; short2 s; } p = {make_float3(8, 9, 10), make_short2(-1, -2)};
  out[0] = a.x + a.w * b.z + c.y;
  out[1] = d.x * d.y + p.v.z + p.s.y;
  out[2] = sizeof(float3) + 10 * sizeof(float4) + 1000 * alignof(float4) + 100000 * alignof(float3);
  out[3] = sizeof(longlong2) + 100 * alignof(double2) + 10000 * sizeof(Packed);
  reinterpret_cast<float4 *>(out)[1] = a;
  const dim3 g(3, 4);
  out[8] = g.x + 10 * g.y + 100 * g.z;
}
__global__ void integers(int *o, unsigned *u, long long *l) {
  const int x = -123456789;
  const unsigned y = 0x9abcdef0u;
  o[0] = __popc(y); o[1] = __clz(x); o[2] = __clz(0); o[3] = __ffs(y); o[4] = __mulhi(x, x); o[5] = __mul24(x, 77);
  o[6] = __sad(x, 5, 1u); o[7] = __hadd(x, 10); o[8] = __rhadd(x, 10); o[9] = __popcll(0xf0f0f0f0f0ull); o[10] = __clzll(1ll << 20);
  o[11] = __dp4a(0x01ff7f80, 0x02030405, -7); o[12] = __ffsll(1ll << 50); o[13] = abs(x); o[14] = max(x, 3); o[15] = min(7u, 3u);
  u[0] = __brev(y); u[1] = __byte_perm(0x11223344, 0x55667788, 0x7216); u[2] = __umulhi(y, y); u[3] = __umul24(y, y);
  u[4] = __funnelshift_l(y, 0x12345678, 9); u[5] = __funnelshift_r(y, 0x12345678, 41); u[6] = __funnelshift_lc(y, 5, 40); u[7] = __usad(y, 7, 3);
  u[8] = __dp4a(0xff01ff01u, 0x02030405u, 9u); u[9] = __vadd4(0x01fe7f80, 0x0203017f); u[10] = __vabsdiffu4(0x10203040, 0x40302010);
  u[11] = __vmaxs2(0x7fff8000, 0x00010001); u[12] = __vcmpeq4(0x01020304, 0x01ff03ff); u[13] = __vsub2(0x00010000, 0x00020001);
  l[0] = __mul64hi(1ll << 62, 1000); l[1] = __brevll(1); l[2] = __double_as_longlong(1.5); l[3] = (long long)__umul64hi(~0ull, ~0ull);
}
__global__ void roundings(int *o, float *f, double *d) {
  int i = 0, j = 0, k = 0;
  for (float v : {2.5f, -2.5f, 3.7f, -3.7f, 1e20f, -1e20f}) {
    o[i++] = __float2int_rn(v); o[i++] = __float2int_rz(v); o[i++] = __float2int_ru(v); o[i++] = __float2int_rd(v); o[i++] = __float2uint_rz(v);
    o[i++] = __double2int_rn(v); o[i++] = (int)__float2ll_rd(v);
  }
  for (int v : {16777217, -16777219, 2147483647}) {
    f[j++] = __int2float_rn(v); f[j++] = __int2float_rz(v); f[j++] = __int2float_ru(v); f[j++] = __int2float_rd(v);
  }
  const float a = 1.0f, b = 3.0f;
  f[j++] = __fdiv_rn(a, b); f[j++] = __fdiv_rz(a, b); f[j++] = __fdiv_ru(a, b); f[j++] = __fdiv_rd(a, b);
  f[j++] = __fadd_ru(a, 1e-9f); f[j++] = __fmul_rz(b, 0.1f); f[j++] = __fmaf_rd(b, 0.1f, a); f[j++] = __fsqrt_ru(b); f[j++] = __frcp_rd(b);
  d[k++] = __ddiv_ru(1.0, 3.0); d[k++] = __dadd_rd(1.0, 1e-20); d[k++] = __dmul_ru(0.1, 0.1); d[k++] = __dsqrt_rn(2.0); d[k++] = __fma_rz(0.1, 0.1, 0.3);
  f[j++] = __double2float_rn(0.1); f[j++] = __double2float_ru(0.1); f[j++] = __saturatef(-1); f[j++] = __saturatef(0.3f);
  f[j++] = __uint_as_float(0x40490fdb); o[i++] = __float_as_int(-0.0f); d[k++] = __hiloint2double(0x3ff80000, 1); o[i++] = __double2hiint(2.0);
}
__global__ void fused(float *f, float a, float b, float c) {
  f[0] = a * b + c;
  f[1] = __fmul_rn(a, b) + c;
}
__global__ void fused_no_more(float *f, float a, float b, float c) { f[2] = __fadd_rn(a * b, c); }
template <class H> __device__ unsigned short bits(H h) { unsigned short b; memcpy(&b, &h, 2); return b; }
__global__ void halves(unsigned short *o) {
  int i = 0;
  const float values[] = {0.f, 1.f, -2.5f, 65504.f, 65519.f, 65520.f, 1e-8f, 5.96e-8f, 6.1e-5f, 0.1f, 1.0004883f, 2049.f};
  for (float v : values) {
    o[i++] = bits(__float2half(v)); o[i++] = bits(__float2half_rz(v)); o[i++] = bits(__float2half_ru(v)); o[i++] = bits(__float2half_rd(v));
    o[i++] = bits(__float2bfloat16(v)); o[i++] = bits(__float2bfloat16_rz(v));
  }
  const __half a = __float2half(1.3f), b = __float2half(-0.7f), c = __float2half(1024.5f);
  o[i++] = bits(__hadd(a, b)); o[i++] = bits(__hsub(a, c)); o[i++] = bits(__hmul(b, c)); o[i++] = bits(__hdiv(a, b)); o[i++] = bits(__hfma(a, c, b));
  o[i++] = bits(__hneg(a)); o[i++] = bits(__habs(b)); o[i++] = bits(__hmin(a, b)); o[i++] = bits(__hmax(a, b)); o[i++] = bits(hsqrt(c)); o[i++] = bits(hfloor(b));
  o[i++] = __hlt(a, b) + 2 * __hgt(a, b) + 4 * (a == a) + 8 * __hisnan(b);
  const __half2 p = __halves2half2(a, b), q = __floats2half2_rn(2.0f, 3.0f), r = __hfma2(p, q, q);
  o[i++] = bits(__low2half(r)); o[i++] = bits(__high2half(r)); o[i++] = bits(__hadd2(p, q).x); o[i++] = bits((p * q).y); o[i++] = __hbgt2(q, p);
  o[i++] = bits(__int2half_rn(-77)); o[i++] = (unsigned short)__half2int_rn(c); o[i++] = (unsigned short)__half2int_rz(b);
  __half e = a; e += b; e *= c; o[i++] = bits(e); o[i++] = bits(__lowhigh2highlow(p).x); o[i++] = bits(__ushort_as_half(0x1234));
  const __nv_bfloat16 x = __float2bfloat16(1.3f), y = __float2bfloat16(-300.7f);
  o[i++] = bits(__hadd(x, y)); o[i++] = bits(__hmul(x, y)); o[i++] = bits(__hfma(x, y, y)); o[i++] = bits(__hdiv(x, y)); o[i++] = bits(x - y);
  const __nv_bfloat162 z = __floats2bfloat162_rn(1.5f, 2.5f); o[i++] = bits(__hmul2(z, z).y); o[i++] = (unsigned short)(int)__bfloat162float(y);
}
int main() {
  float *f = array<float>(64); double *d = array<double>(16); int *o = array<int>(64); unsigned *u = array<unsigned>(16); long long *l = array<long long>(8);
  vectors<<<1, 1>>>(f); show("vectors", f, 9);
  integers<<<1, 1>>>(o, u, l); show("int", o, 16); show("unsigned", u, 14); show("long long", l, 4);
  roundings<<<1, 1>>>(o, f, d); show("to integers", o, 44); show("to float", f, 26); show("double", d, 6);
  fused<<<1, 1>>>(f, 1.0f + 1.2e-7f, 1.0f - 1.2e-7f, -1.0f);
  fused_no_more<<<1, 1>>>(f, 1.0f + 1.2e-7f, 1.0f - 1.2e-7f, -1.0f); show("fused", f, 3);
  unsigned short *h = array<unsigned short>(128); halves<<<1, 1>>>(h); show("16 bits", h, 72 + 30);
}
