// The warps of one scheduler, by slot: when each can go on, in arrays that are searched without branches.
#ifndef GPUOPT_EMU_MODEL_SLOTS_H
#define GPUOPT_EMU_MODEL_SLOTS_H

#include <stdint.h>

#include <vector>

#include "model_pages.h"

namespace gpuopt_emu {

struct ModelWarp;

constexpr uint64_t NEVER = ~0ull >> 1;

class Slots {
 public:
  size_t size() const { return count_; }
  size_t add();  // an empty one; its number
  uint64_t &ready(size_t slot) { return row(READY)[slot]; }  // NEVER: empty, or its warp waits for others
  uint64_t ready(size_t slot) const { return row(READY)[slot]; }
  // When its warp could have gone on but for L1's queue.
  uint64_t since(size_t slot) const { return row(SINCE)[slot] >> RANK_BITS; }
  // Ready from then on, for any reason but L1's queue.
  void set_ready(size_t slot, uint64_t when) {
    ready(slot) = when;
    row(SINCE)[slot] = when << RANK_BITS | (row(SINCE)[slot] & MOST);
  }
  // Whether what its warp does next asks L1, as soon as it is ready.
  bool asks_l1(size_t slot) const { return row(ASKS)[slot] != 0; }
  void set_asks_l1(size_t slot, bool asks) { row(ASKS)[slot] = asks ? ~0ull : 0; }
  ModelWarp *warp(size_t slot) const { return reinterpret_cast<ModelWarp *>(row(WARP_AT)[slot]); }
  void set_warp(size_t slot, ModelWarp *warp) { row(WARP_AT)[slot] = reinterpret_cast<uintptr_t>(warp); }
  uint64_t age(size_t slot) const { return ages_[slot]; }  // of its warp
  void set_age(size_t slot, uint64_t age);                 // of a warp that is younger than all others

  // Of the slots that are ready at `now`; -1: none is, and the next one will be at `*next` (NEVER: none).
  int longest(uint64_t now, uint64_t *next) const;  // the one that is so since longest, of those the youngest warp
  int oldest(uint64_t now, uint64_t *next) const;   // the one with the oldest warp
  uint64_t next_ready(uint64_t now) const;          // after `now`
  // Lets all slots that are ready and ask L1 wait. Whether others are ready; if not, the next one will be at `*next`.
  bool hold_back(uint64_t now, uint64_t until, uint64_t *next);

  void fetch_all_early() const {
    for (size_t i = 0; i < words_.size(); i += 8) fetch_early(&words_[i]);
  }

 private:
  enum Row : unsigned { READY, SINCE, ASKS, WARP_AT, ROWS };
  static constexpr unsigned RANK_BITS = 8;
  static constexpr uint64_t MOST = (1u << RANK_BITS) - 1;
  uint64_t *row(Row which) { return words_.data() + which * room_; }
  const uint64_t *row(Row which) const { return words_.data() + which * room_; }
  void enlarge();

  size_t count_ = 0, room_ = 0;  // room: a multiple of eight slots; those beyond the last are never ready
  PackedVector<uint64_t> words_;  // rows; below `since` there is the warp's place among all by age, the youngest lowest
  std::vector<uint64_t> ages_;
  std::vector<unsigned char> by_place_;
};

}  // namespace gpuopt_emu

#endif
