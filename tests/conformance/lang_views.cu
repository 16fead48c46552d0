// Variables and arrays read and written as other types, as vector loads of packed numbers are.
#include "show.h"
#include <cuda_fp16.h>

const int N = 2048;

__global__ void halves(const half *a, const half *b, half *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 a8 = reinterpret_cast<const float4 *>(a)[i], b8 = reinterpret_cast<const float4 *>(b)[i], out8;
  half2 *a2 = reinterpret_cast<half2 *>(&a8), *b2 = reinterpret_cast<half2 *>(&b8), *out2 = reinterpret_cast<half2 *>(&out8);
  for (int k = 0; k < 4; ++k) out2[k] = __hmul2(__hgt2(b2[k], __float2half2_rn(0.0f)), a2[k]);
  reinterpret_cast<float4 *>(out)[i] = out8;
}
__global__ void words(const float *in, unsigned long long *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double two;
  ((float *)&two)[0] = in[2 * i];
  ((float *)&two)[1] = in[2 * i + 1];
  const long long bits = *(long long *)&two;
  int parts[4];
  *(long long *)parts = bits;
  *(double *)&parts[2] = two;
  parts[3] ^= parts[0];
  out[i] = *(unsigned long long *)&parts[2] + (unsigned)parts[1];
}
__global__ void in_turn(int *data) {  // stores of one type between loads of another
  int *at = data + 4 * threadIdx.x;
  float *same = (float *)at;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    at[k] = 0x3f800000 + (k << 20);
    same[k] += 1.0f;
    sum += at[k] >> 16;
  }
  at[0] = sum;
}

int main() {
  half *a = array<half>(N), *b = array<half>(N), *out = array<half>(N);
  for (int i = 0; i < N; ++i) a[i] = __float2half(i * 0.25f), b[i] = __float2half(i % 3 - 1.0f);
  halves<<<N / 8 / 64, 64>>>(a, b, out);
  digest("halves", out, N);
  float *numbers = array<float>(N);
  unsigned long long *sums = array<unsigned long long>(N / 2);
  for (int i = 0; i < N; ++i) numbers[i] = i * 1.375f;
  words<<<N / 2 / 64, 64>>>(numbers, sums);
  digest("words", sums, N / 2);
  int *data = array<int>(256);
  in_turn<<<1, 64>>>(data);
  show("in turn", data, 8);
}
