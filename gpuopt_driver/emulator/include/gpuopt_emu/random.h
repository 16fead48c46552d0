// The generators behind curand_kernel.h: XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox4x32-10 (Salmon and others,
// "Parallel random numbers: as easy as 1, 2, 3", 2011).
#ifndef GPUOPT_EMU_RANDOM_H
#define GPUOPT_EMU_RANDOM_H

#include "../vector_types.h"

namespace gpuopt_emu {

// One step of the xorshift part: five words.
static inline void xorwow_step(unsigned *v) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// `count` times 2^log2_steps steps.
void xorwow_jump(unsigned *v, unsigned long long count, unsigned log2_steps);

static inline uint4 philox_round(uint4 c, uint2 key) {
  const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
  return uint4{(unsigned)(b >> 32) ^ c.y ^ key.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ key.y, (unsigned)a};
}
static inline uint4 philox(uint4 counter, uint2 key) {
  for (int i = 0; i < 10; ++i) {
    counter = philox_round(counter, key);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}
// Adds to a counter of two or four words.
static inline void philox_add(uint4 *counter, unsigned long long low, unsigned long long high) {
  unsigned long long first = counter->x | (unsigned long long)counter->y << 32;
  unsigned long long second = counter->z | (unsigned long long)counter->w << 32;
  first += low;
  second += high + (first < low);
  *counter = uint4{(unsigned)first, (unsigned)(first >> 32), (unsigned)second, (unsigned)(second >> 32)};
}

}  // namespace gpuopt_emu

#endif
