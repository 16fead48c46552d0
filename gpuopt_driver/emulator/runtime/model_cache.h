// A cache of lines of 128 bytes in sectors of 32: sets, replacement, what is on its way. What it holds, not how fast.
#ifndef GPUOPT_EMU_MODEL_CACHE_H
#define GPUOPT_EMU_MODEL_CACHE_H

#include <stdint.h>

#include <vector>

#include "model_gpu.h"

namespace gpuopt_emu {

// How lines enter, or are touched: those used once are given up before those used twice where the policy says so.
enum class Rank : unsigned char { normal, first_out, stays };

class Cache {
 public:
  struct Line {
    uint64_t line;         // number: address / 128
    uint64_t arrives;      // when what was asked for last is there
    int before, after;     // neighbours in the list of its set, the latest used first
    unsigned char valid, dirty, pending;  // sectors
    unsigned char in_use, guarded;
    const void *owner;  // who brought it
  };
  struct Evicted {
    uint64_t line;
    const void *owner;
    unsigned dirty;  // sectors
    bool any;
  };

  // ways 0: one set. `guarded_part`: of each set, for lines used twice; 0: least recently used goes.
  void set_up(size_t bytes, unsigned ways, Index index, double guarded_part);
  void clear();
  size_t lines() const { return lines_.size(); }
  size_t held() const { return held_; }

  int find(uint64_t line) const;
  Line &operator[](int at) { return lines_[(size_t)at]; }
  void touch(int at, Rank rank);
  int insert(uint64_t line, Rank rank, Evicted *evicted);  // of a line that is not there
  void drop(int at);

 private:
  struct List {
    int head, tail;
  };
  struct Set {
    List once, twice, empty;
    unsigned guarded;
  };

  unsigned set_of(uint64_t line) const;
  static uint64_t mixed(uint64_t x);
  List &list_of(Set &set, const Line &line) { return line.guarded ? set.twice : set.once; }
  void unlink(List &list, int at);
  void push_front(List &list, int at);
  void push_back(List &list, int at);
  void index_line(uint64_t line, int at);
  void forget_line(uint64_t line, int at);
  void guard(Set &set, int at);

  std::vector<Line> lines_;
  std::vector<Set> sets_;
  struct Entry {
    uint64_t line;
    int at;  // -1: free
  };
  std::vector<Entry> table_;  // open addressing
  uint64_t mask_ = 0;
  size_t held_ = 0;
  unsigned ways_ = 0, most_guarded_ = 0;
  Index index_ = Index::hashed;
};

}  // namespace gpuopt_emu

#endif
