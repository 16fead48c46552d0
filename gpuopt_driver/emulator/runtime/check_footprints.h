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

// Accesses of two threads that may come to the same bytes, and nothing orders them.
struct Race {
  struct Side {
    const Spot *place;
    surveys::How how;
  } sides[2];
};
// Of a grid's accesses: they are as they should be; so they are but for races; they are not, or it is not clear.
enum class Judgement { unclear, races, sound };

class Footprints {
 public:
  void clear();
  // A part of the grid begins; it has to be looked at in smaller parts.
  void begin_part() { part_ = all_.size(), forget_open(); }
  void drop_part() { all_.resize(part_), forget_open(); }
  // False: there are too many.
  bool add(const surveys::Box &box, const surveys::Affine &address, unsigned bytes, surveys::How how, const Spot *place,
           unsigned ordinal, bool maybe);
  // Bounds, what was written, and order. Where all is well but for races, what is written counts as written.
  // `whole`: of the grid.
  Judgement judge(const surveys::Box &whole);
  const std::vector<Race> &races() const { return races_; }
  bool alike() const { return alike_; }  // races are within blocks, and the same ones in each

 private:
  enum { MOST = 1024, MOST_RACES = 32, SETS = 32, WAYS = 4 };
  struct Open {
    int last, before;  // -1: none
  };
  std::vector<Footprint> all_;
  std::vector<Race> races_;
  bool alike_;
  size_t part_;
  Open open_[SETS * WAYS];  // what was told last of one place, by place, and the one before
  unsigned next_;

  void forget_open();
  void look_at_two(const Footprint &a, const Footprint &b, const surveys::Box &whole);
  bool is_covered(const Footprint &one) const;
  bool bounds() const;
  void mark(const Footprint &one) const;
};

}  // namespace gpuopt_emu

#endif
