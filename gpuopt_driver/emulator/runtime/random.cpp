// Jumping ahead in the XORWOW generator: its xorshift part is linear over bits, so 2^k steps are one matrix.
#include <string.h>

#include <mutex>
#include <vector>

#include "gpuopt_emu/block.h"
#include "gpuopt_emu/random.h"

namespace gpuopt_emu {

enum { WORDS = 5, BITS = 32 * WORDS, POWERS = 67 + 64 };

// Row i: what a state becomes of which only bit i is set.
struct Steps {
  unsigned row[BITS][WORDS];

  void apply(unsigned *state) const {
    unsigned result[WORDS] = {};
    for (unsigned bit = 0; bit < BITS; ++bit)
      if (state[bit / 32] >> bit % 32 & 1)
        for (unsigned w = 0; w < WORDS; ++w) result[w] ^= row[bit][w];
    memcpy(state, result, sizeof result);
  }
};

// Matrices for 2^0, 2^1, ... steps.
static const std::vector<Steps> &powers() {
  static const std::vector<Steps> all = [] {
    std::vector<Steps> made(POWERS);
    for (unsigned bit = 0; bit < BITS; ++bit) {
      unsigned state[WORDS] = {};
      state[bit / 32] = 1u << bit % 32;
      xorwow_step(state);
      memcpy(made[0].row[bit], state, sizeof state);
    }
    for (unsigned k = 1; k < POWERS; ++k) {
      made[k] = made[k - 1];
      for (unsigned bit = 0; bit < BITS; ++bit) made[k - 1].apply(made[k].row[bit]);
    }
    return made;
  }();
  return all;
}

// While they are made, no other thread of the block gets a turn: it would wait for them, and nobody would go on.
static const std::vector<Steps> &powers_at_once() {
  Block *block = current ? current->block : nullptr;
  if (!block || block->busy) return powers();
  const Busy busy(block);
  return powers();
}

void xorwow_jump(unsigned *state, unsigned long long count, unsigned log2_steps) {
  for (unsigned k = log2_steps; count; count >>= 1, ++k)
    if (count & 1) powers_at_once()[k].apply(state);
}

}  // namespace gpuopt_emu
