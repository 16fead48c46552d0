// The elements of matrices for probes of mma: of a type with E bits of exponent and M of fraction, in classes by the test's number.
#pragma once
#ifndef __CUDACC__
#define __host__
#define __device__
#endif
__host__ __device__ inline unsigned blend(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352dU;
  x ^= x >> 15; x *= 0x846ca68bU;
  return x ^ x >> 16;
}
// `which`: 0 a, 1 b, 2 c. `line`: a's row or b's column (c: row * 8 + column), k the place in the sum.
__host__ __device__ inline unsigned term(int E, int M, int test, int which, int line, int k, int Kk) {
  const unsigned r = blend(((test * 3 + which) * 256 + line) * 64 + k + 12345), bias = (1u << (E - 1)) - 1, wide = E == 5 ? 12 : 20;
  unsigned sign = r >> 31, man = (r >> 3) & ((1u << M) - 1);
  const unsigned pick = (r >> 26) & 31;
  int exponent = 0;
  const int round = test / 8;
  switch (test % 8) {
    case 0: exponent = bias + int(pick % 5) - 2; break;
    case 1: exponent = bias + int(blend(r) % (2 * wide + 1)) - int(wide); break;
    case 2: exponent = which == 2 ? bias - 4 + int(pick % 6) : k == round * 5 % Kk ? bias + 5 : bias - 6 + int(pick % 3); break;
    case 3:
      if (which == 2) exponent = bias - 4 + int(pick % 4);
      else if (k % 4 == round % 4) {
        exponent = bias + 5;
        man = blend(line + 77 * which) & ((1u << M) - 1);
        sign = which == 1 && k / 4 % 2;
      } else exponent = bias - 4 + int(pick % 4);
      break;
    case 4: exponent = which == 0 ? int(pick % 3) : which == 1 ? int(2 * bias) - int(pick % 4) : int(pick % 12); break;
    case 5: exponent = blend(r) & ((1u << E) - 1); if (round % 2 && exponent == (1 << E) - 1) man = 0; break;
    case 6:
      exponent = bias + int(blend(r) % (2 * wide + 1)) - int(wide);
      if (which != 2 && k != round * 3 % Kk) return 0;
      if (which == 2 && round % 3 == 2) return 0;
      break;
    case 7:
      if (which == 2) { if (round % 2 == 0) return 0; exponent = bias; }
      else exponent = k == 0 ? int(bias) : int(bias) - 8 - int(pick % 7);
      break;
  }
  if (test >= 1000) {  // factors that are 0 beside great ones, and sums of negative zeros
    const int zero = test % 4 < 2 ? 0 : 1, place = test / 4 * 3 % Kk;
    man = r >> 3 & ((1u << M) - 1);
    exponent = which == 2 ? (test % 2 ? 0 : bias - 8 + int(pick % 4)) : k == place ? (which == zero ? 0 : 2 * bias) : test % 2 ? 0 : bias - 6 + int(pick % 4);
    if (which == 2 ? test % 2 : k == place ? which == zero : test % 2) man = 0;
    if (test % 2) sign = which != 1 || (line & 1);
  }
  if (E == 5 && exponent > 30 && test % 8 != 5) exponent = 30;
  if (exponent < 0) exponent = 0;
  return sign << (E + M) | (unsigned)exponent << M | man;
}
