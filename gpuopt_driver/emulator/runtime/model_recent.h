// What a warp accessed lately and what a device compiler would still have in registers.
#ifndef GPUOPT_EMU_MODEL_RECENT_H
#define GPUOPT_EMU_MODEL_RECENT_H

#include <stdint.h>

#include "model_work.h"

namespace gpuopt_emu {

class Recent {
 public:
  void clear() {
    for (uint64_t &one : key_) one = 0;
    marks_ = 0;
  }
  // Whether what is accessed at `pc` (the addresses of all lanes in one key) needs no access: what one turn of a loop
  // loads or stores, and the next one loads at another place of the code, stays in a register, since device compilers
  // make four turns of such a loop one, and load in the first of them.
  bool holds(uint64_t key, uint32_t pc, uintptr_t array, bool writes) {
    turn_ = (uint16_t)(turn_ + (pc <= last_));
    last_ = pc;
    const Place now = {pc, turn_, (uint16_t)(array * FACTOR >> 48)};
    if (__builtin_expect(writes, 0)) forget_others(key, now.array);
    // Bytes of `marks_` that are those of the key become 0; what a borrow adds to them is looked at in vain.
    const uint64_t equal = marks_ ^ (key >> 56) * ONES;
    for (uint64_t same = (equal - ONES) & ~equal & ONES << 7; same; same &= same - 1) {
      const unsigned i = (unsigned)__builtin_ctzll(same) / 8;
      if (key_[i] != key || place_[i].pc == pc || place_[i].turn == turn_) continue;
      if (asked_ != pc) asked_ = pc, times_ = 0;
      if (++times_ % UNROLLED) return true;
    }
    key_[next_] = key;
    place_[next_] = now;
    mark(next_, key >> 56);
    next_ = (next_ + 1) % MOST;
    return false;
  }
  static constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15ull;

 private:
  static constexpr unsigned MOST = 8;
  static constexpr uint64_t ONES = 0x0101010101010101ull;
  struct Place {
    uint32_t pc;  // its lower half
    uint16_t turn, array;
  };
  void mark(unsigned i, uint64_t byte) { marks_ = (marks_ & ~(0xffull << 8 * i)) | byte << 8 * i; }
  // What another array's store may have changed has to be loaded again; of the same array other elements are not.
  void forget_others(uint64_t key, uint16_t array) {
    for (unsigned i = 0; i < MOST; ++i)
      if (place_[i].array != array || key_[i] == key) key_[i] = 0, mark(i, 0);
  }

  uint64_t marks_;      // the highest byte of each key
  uint64_t key_[MOST];  // 0: nothing
  Place place_[MOST];
  uint32_t last_, asked_;  // which access came last, and by which an entry was asked for last,
  uint16_t turn_, times_;  // turns of loops: the code went back so often; how often that was
  unsigned next_;
};

}  // namespace gpuopt_emu

#endif
