// Matrices spread over a warp: mma.sync and ldmatrix.
#include "show.h"
#include <cstdint>
#include <cuda_fp16.h>

__global__ void half_mma(const __half *a, const __half *b, float *c) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  uint32_t ra[4], rb[2];
  memcpy(&ra[0], a + g * 16 + 2 * t, 4); memcpy(&ra[1], a + (g + 8) * 16 + 2 * t, 4);
  memcpy(&ra[2], a + g * 16 + 2 * t + 8, 4); memcpy(&ra[3], a + (g + 8) * 16 + 2 * t + 8, 4);
  memcpy(&rb[0], b + g * 16 + 2 * t, 4); memcpy(&rb[1], b + g * 16 + 2 * t + 8, 4);
  float d[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  c[g * 8 + 2 * t] = d[0]; c[g * 8 + 2 * t + 1] = d[1]; c[(g + 8) * 8 + 2 * t] = d[2]; c[(g + 8) * 8 + 2 * t + 1] = d[3];
}
__global__ void byte_mma(const int8_t *a, const int8_t *b, int *c) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  uint32_t ra[4], rb[2];
  memcpy(&ra[0], a + g * 32 + 4 * t, 4); memcpy(&ra[1], a + (g + 8) * 32 + 4 * t, 4);
  memcpy(&ra[2], a + g * 32 + 4 * t + 16, 4); memcpy(&ra[3], a + (g + 8) * 32 + 4 * t + 16, 4);
  memcpy(&rb[0], b + g * 32 + 4 * t, 4); memcpy(&rb[1], b + g * 32 + 4 * t + 16, 4);
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "r"(5));
  c[g * 8 + 2 * t] = d[0]; c[g * 8 + 2 * t + 1] = d[1]; c[(g + 8) * 8 + 2 * t] = d[2]; c[(g + 8) * 8 + 2 * t + 1] = d[3];
}
__global__ void load_matrix(unsigned *out) {
  __shared__ alignas(16) __half s[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = __float2half((float)i);
  __syncwarp();
  const unsigned at = (unsigned)__cvta_generic_to_shared(s + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8);
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 6 + i] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
  out[threadIdx.x * 6 + 4] = r[0]; out[threadIdx.x * 6 + 5] = r[1];
}
int main() {
  __half *a = array<__half>(256), *b = array<__half>(128);
  for (int i = 0; i < 256; ++i) a[i] = __float2half((float)(i % 7 - 3));
  for (int i = 0; i < 128; ++i) b[i] = __float2half((float)(i % 5 - 2) * 0.5f);
  float *c = array<float>(128);
  half_mma<<<1, 32>>>(a, b, c);
  show("f16", c, 4); digest("f16", c, 128);
  int8_t *x = array<int8_t>(512), *y = array<int8_t>(256);
  for (int i = 0; i < 512; ++i) x[i] = (int8_t)(i * 37 % 256 - 128);
  for (int i = 0; i < 256; ++i) y[i] = (int8_t)(i * 11 % 200 - 100);
  int *z = array<int>(128);
  byte_mma<<<1, 32>>>(x, y, z);
  show("s8", z, 4); digest("s8", z, 128);
  unsigned *u = array<unsigned>(192);
  load_matrix<<<1, 32>>>(u);
  show("ldmatrix", u, 6); digest("ldmatrix", u, 192);
}
