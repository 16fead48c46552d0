// Numbers of eight bits: conversions from all that there is, with and without saturation, and back.
#include "show.h"
#include <cuda_fp8.h>
constexpr int COUNT = 1 << 16;
constexpr int KINDS = 2 * 2 * 7;

template <class T> __host__ __device__ T made_of(unsigned bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
// Every 65536th float, odd ones among them: of all exponents, on and beside the middles between two neighbours.
__host__ __device__ float number(int i) { return made_of<float>((unsigned)i << 16 | (i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 0xffff)); }

__global__ void to(unsigned short *o) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float f = number(i), known = f == f ? f : 0;  // no bits of a double that is not a number
  __half_raw half;
  __nv_bfloat16_raw bfloat;
  half.x = bfloat.x = (unsigned short)i;
  int at = 0;
  for (int kind = 0; kind < 2; ++kind)
    for (int saturate = 0; saturate < 2; ++saturate) {
      const __nv_fp8_interpretation_t k = kind ? __NV_E5M2 : __NV_E4M3;
      const __nv_saturation_t s = saturate ? __NV_SATFINITE : __NV_NOSAT;
      o[at++ * COUNT + i] = __nv_cvt_float_to_fp8(f, s, k);
      o[at++ * COUNT + i] = __nv_cvt_double_to_fp8((double)known * 1.0000000001, s, k);
      o[at++ * COUNT + i] = __nv_cvt_halfraw_to_fp8(half, s, k);
      o[at++ * COUNT + i] = __nv_cvt_bfloat16raw_to_fp8(bfloat, s, k);
      o[at++ * COUNT + i] = __nv_cvt_float2_to_fp8x2(make_float2(f, -f), s, k);
      o[at++ * COUNT + i] = __nv_cvt_double2_to_fp8x2(make_double2(known, 3 * (double)known), s, k);
      o[at++ * COUNT + i] = __nv_cvt_halfraw2_to_fp8x2(__half2_raw{half.x, (unsigned short)(half.x + 1)}, s, k);
    }
}
template <class One, class Two, class Four> __global__ void classes(float *o, int *whole, unsigned *packed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float f = number(i * 256 + 7);
  One one;
  one.__x = (unsigned char)i;
  o[i] = (float)one;
  o[256 + i] = (float)(double)one;
  o[512 + i] = __half2float((__half)one);
  o[768 + i] = __bfloat162float((__nv_bfloat16)one);
  whole[i] = (int)one;
  whole[256 + i] = (int)(unsigned)one;
  whole[512 + i] = (short)one;
  whole[768 + i] = (unsigned char)one;
  whole[1024 + i] = (int)(long long)one;
  whole[1280 + i] = (bool)one;
  whole[1536 + i] = (signed char)one;
  packed[i] = One(f).__x | One((double)f).__x << 8 | One(i * 9 - 700).__x << 16 | One((unsigned long long)i * i).__x << 24;
  packed[256 + i] = Two(make_float2(f, 1 - f)).__x | Two(__floats2half2_rn(f, i)).__x << 16;
  packed[512 + i] = Four(make_float4(f, i, -f, 0.01f * i)).__x;
  const float4 back = (float4)Four(make_float4(f, i, -f, 0.01f * i));
  const float2 two = (float2)Two(make_float2(f, 1 - f));
  o[1024 + i] = back.x, o[1280 + i] = back.y, o[1536 + i] = back.z, o[1792 + i] = back.w;
  o[2048 + i] = two.x, o[2304 + i] = two.y;
}
template <class One, class Two, class Four> void all(const char *name) {
  float *o = array<float>(2560);
  int *whole = array<int>(1792);
  unsigned *packed = array<unsigned>(768);
  classes<One, Two, Four><<<1, 256>>>(o, whole, packed);
  finish(name);
  for (int i = 0; i < 2560; ++i)
    if (o[i] != o[i]) o[i] = 12345;  // that it is none is what counts
  show(name, o, 130);
  digest(name, o, 2560);
  for (int i = 0; i < 7; ++i) digest(name, whole + 256 * i, 256);
  digest(name, packed, 768);
  printf("sizes: %d %d %d\n", (int)sizeof(One), (int)sizeof(Two), (int)sizeof(Four));
}
int main() {
  unsigned short *o = array<unsigned short>(KINDS * COUNT);
  to<<<COUNT / 256, 256>>>(o);
  for (int i = 0; i < KINDS; ++i) digest("to", o + i * COUNT, COUNT);
  all<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>("e4m3");
  all<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>("e5m2");
  __half_raw half = __nv_cvt_fp8_to_halfraw(0x42, __NV_E4M3);
  __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(0xc37f, __NV_E5M2);
  printf("host: %04x %04x %04x %02x\n", half.x, halves.x, halves.y, __nv_cvt_float_to_fp8(-3.3f, __NV_SATFINITE, __NV_E4M3));
}
