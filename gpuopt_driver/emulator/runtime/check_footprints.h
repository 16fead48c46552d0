// The accesses of a whole grid as surveys tell them, and whether they are all as they should be.
//
// Only what is clearly so: then nothing of it needs to be remembered, since accesses of one launch do not race with those
// of another one.
#ifndef GPUOPT_EMU_CHECK_FOOTPRINTS_H
#define GPUOPT_EMU_CHECK_FOOTPRINTS_H

#include <vector>

#include "check_shadow.h"
#include "gpuopt_emu/survey.h"

namespace gpuopt_emu {

// Accesses of so many bytes, the n-th ones of one place: of the threads in `box` at `at + by * indices`, in turns of at most two loops.
struct Footprint {
  const Spot *place;
  unsigned ordinal;  // of the place's accesses
  surveys::How how;
  unsigned bytes;
  bool maybe;    // not all of these threads need do so
  bool covered;  // reads what the same thread has written before
  surveys::Box box;
  surveys::Affine first;
  long long step[2];
  unsigned turns[2];
  uintptr_t low, high;  // of all of them; `high` is behind the last byte
};

class Footprints {
 public:
  void clear();
  // A part of the grid begins; it has to be looked at in smaller parts.
  void begin_part() { part_ = all_.size(), forget_open(); }
  void drop_part() { all_.resize(part_), forget_open(); }
  // False: there are too many.
  bool add(const surveys::Box &box, const surveys::Affine &address, unsigned bytes, surveys::How how, const Spot *place,
           unsigned ordinal, bool maybe);
  // Bounds, what was written, and order. Where all is well, what is written counts as written.
  bool sound();

 private:
  enum { MOST = 1024, SETS = 32, WAYS = 4 };
  struct Open {
    int last, before;  // -1: none
  };
  std::vector<Footprint> all_;
  size_t part_;
  Open open_[SETS * WAYS];  // what was told last of one place, by place, and the one before
  unsigned next_;

  void forget_open();
  bool is_covered(const Footprint &one) const;
  bool bounds() const;
  void mark(const Footprint &one) const;
};

}  // namespace gpuopt_emu

#endif
