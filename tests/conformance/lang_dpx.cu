// DPX: minima and maxima of two and three, of sums, not below 0, and which one was taken; words and pairs of half words.
#include "show.h"

const int N = 4096;

__host__ __device__ unsigned mixed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

#define WORDS(X) X(__vimax3_s32) X(__vimin3_s32) X(__vimax3_s32_relu) X(__vimin3_s32_relu) X(__viaddmax_s32) X(__viaddmin_s32) \
  X(__viaddmax_s32_relu) X(__viaddmin_s32_relu) X(__vimax3_u32) X(__vimin3_u32) X(__viaddmax_u32) X(__viaddmin_u32)
#define PAIRS(X) X(__vimax3_s16x2) X(__vimin3_s16x2) X(__vimax3_s16x2_relu) X(__vimin3_s16x2_relu) X(__viaddmax_s16x2) \
  X(__viaddmin_s16x2) X(__viaddmax_s16x2_relu) X(__viaddmin_s16x2_relu) X(__vimax3_u16x2) X(__vimin3_u16x2) \
  X(__viaddmax_u16x2) X(__viaddmin_u16x2)
#define OF_TWO(X) X(__vimax_s32_relu) X(__vimin_s32_relu) X(__vimax_s16x2_relu) X(__vimin_s16x2_relu)
#define WHICH(X) X(__vibmax_s32) X(__vibmin_s32) X(__vibmax_u32) X(__vibmin_u32)
#define WHICH_PAIRS(X) X(__vibmax_s16x2) X(__vibmin_s16x2) X(__vibmax_u16x2) X(__vibmin_u16x2)

enum {
#define X(name) id_##name,
  WORDS(X) PAIRS(X) OF_TWO(X) WHICH(X) WHICH_PAIRS(X)
#undef X
  COUNT
};

__global__ void all(unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = mixed(3 * i), b = mixed(3 * i + 1), c = mixed(3 * i + 2);
  if (i % 4 == 1) b = a;                    // equal ones
  if (i % 4 == 2) b = (a & 0xffff) | (b & 0xffff0000u), c >>= 20;
  if (i % 8 == 3) a = 0x80007fffu, c = 0;   // sums that wrap
#define X(name) out[id_##name * N + i] = (unsigned)name(a, b, c);
  WORDS(X) PAIRS(X)
#undef X
#define X(name) out[id_##name * N + i] = (unsigned)name(a, b);
  OF_TWO(X)
#undef X
#define X(name) { bool first; out[id_##name * N + i] = (unsigned)name(a, b, &first) * 2 + first; }
  WHICH(X)
#undef X
#define X(name) { bool high, low; out[id_##name * N + i] = (unsigned)name(a, b, &high, &low) * 4 + high * 2 + low; }
  WHICH_PAIRS(X)
#undef X
}

int main() {
  static const char *names[] = {
#define X(name) #name,
    WORDS(X) PAIRS(X) OF_TWO(X) WHICH(X) WHICH_PAIRS(X)
#undef X
  };
  unsigned *out = array<unsigned>(COUNT * N);
  all<<<N / 256, 256>>>(out);
  for (int k = 0; k < COUNT; ++k) digest(names[k], out + k * N, N);
}
