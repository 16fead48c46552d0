#include "model_cache.h"

#include <algorithm>

namespace gpuopt_emu {

uint64_t Cache::mixed(uint64_t x) {
  x ^= x >> 17;
  x *= 0x9E3779B97F4A7C15ull;
  return x ^ x >> 29;
}

void Cache::set_up(size_t bytes, unsigned ways, Index index, double guarded_part) {
  const size_t count = bytes >> 7;
  ways_ = ways && ways < count ? ways : (unsigned)count;
  const size_t sets = ways_ ? count / ways_ : 0;
  index_ = index;
  most_guarded_ = (unsigned)(guarded_part * ways_);
  lines_.assign(sets * ways_, Line());
  sets_.assign(sets, Set());
  uint64_t size = 4;
  while (size < 2 * lines_.size()) size *= 2;
  mask_ = size - 1;
  table_.resize(size);
  clear();
}

void Cache::clear() {
  std::fill(table_.begin(), table_.end(), Entry{0, -1});
  held_ = 0;
  for (size_t s = 0; s < sets_.size(); ++s) {
    sets_[s] = Set{{-1, -1}, {-1, -1}, {-1, -1}, 0};
    for (unsigned w = 0; w < ways_; ++w) {
      const int at = (int)(s * ways_ + w);
      lines_[(size_t)at] = Line();
      push_back(sets_[s].empty, at);
    }
  }
}

unsigned Cache::set_of(uint64_t line) const {
  const uint64_t sets = sets_.size();
  if (sets <= 1) return 0;
  if (index_ == Index::linear) return (unsigned)(line % sets);
  if (index_ == Index::exclusive_or) return (unsigned)((line ^ line / sets ^ line / sets / sets) % sets);
  return (unsigned)((mixed(line) >> 8) % sets);
}

int Cache::find(uint64_t line) const {
  for (uint64_t h = mixed(line) & mask_; table_[h].at >= 0; h = (h + 1) & mask_)
    if (table_[h].line == line) return table_[h].at;
  return -1;
}

void Cache::index_line(uint64_t line, int at) {
  uint64_t h = mixed(line) & mask_;
  while (table_[h].at >= 0) h = (h + 1) & mask_;
  table_[h] = Entry{line, at};
}

void Cache::forget_line(uint64_t line, int at) {
  uint64_t h = mixed(line) & mask_;
  while (table_[h].at != at) h = (h + 1) & mask_;
  // Those behind it that would not be found any more move up.
  for (uint64_t next = (h + 1) & mask_; table_[next].at >= 0; next = (next + 1) & mask_) {
    const uint64_t home = mixed(table_[next].line) & mask_;
    if (((next - home) & mask_) >= ((next - h) & mask_)) {
      table_[h] = table_[next];
      h = next;
    }
  }
  table_[h].at = -1;
}

void Cache::unlink(List &list, int at) {
  Line &line = lines_[(size_t)at];
  if (line.before >= 0) lines_[(size_t)line.before].after = line.after;
  else list.head = line.after;
  if (line.after >= 0) lines_[(size_t)line.after].before = line.before;
  else list.tail = line.before;
}

void Cache::push_front(List &list, int at) {
  Line &line = lines_[(size_t)at];
  line.before = -1;
  line.after = list.head;
  if (list.head >= 0) lines_[(size_t)list.head].before = at;
  else list.tail = at;
  list.head = at;
}

void Cache::push_back(List &list, int at) {
  Line &line = lines_[(size_t)at];
  line.after = -1;
  line.before = list.tail;
  if (list.tail >= 0) lines_[(size_t)list.tail].after = at;
  else list.head = at;
  list.tail = at;
}

// Makes a line, which is in no list, one of those used twice; the one of these used longest ago may lose that.
void Cache::guard(Set &set, int at) {
  lines_[(size_t)at].guarded = 1;
  push_front(set.twice, at);
  if (++set.guarded <= most_guarded_) return;
  const int last = set.twice.tail;
  unlink(set.twice, last);
  --set.guarded;
  lines_[(size_t)last].guarded = 0;
  push_front(set.once, last);
}

void Cache::touch(int at, Rank rank) {
  Line &line = lines_[(size_t)at];
  Set &set = sets_[(size_t)at / ways_];
  List &list = list_of(set, line);
  if (rank == Rank::first_out) {
    if (line.guarded) return;  // it was used twice by others
    unlink(list, at);
    push_back(set.once, at);
    return;
  }
  if (list.head == at && (line.guarded || !most_guarded_)) return;
  unlink(list, at);
  if (line.guarded) push_front(set.twice, at);
  else if (most_guarded_) guard(set, at);
  else push_front(set.once, at);
}

int Cache::insert(uint64_t number, Rank rank, Evicted *evicted) {
  Set &set = sets_[set_of(number)];
  evicted->any = false;
  int at = set.empty.head;
  if (at >= 0) {
    unlink(set.empty, at);
    ++held_;
  } else {
    const bool from_twice = set.once.tail < 0 || (rank == Rank::stays && set.twice.tail >= 0);
    List &list = from_twice ? set.twice : set.once;
    at = list.tail;
    unlink(list, at);
    if (from_twice) --set.guarded;
    const Line &old = lines_[(size_t)at];
    *evicted = Evicted{old.line, old.owner, old.dirty, true};
    forget_line(old.line, at);
  }
  Line &line = lines_[(size_t)at];
  line = Line();
  line.line = number;
  line.in_use = 1;
  index_line(number, at);
  if (rank == Rank::first_out) push_back(set.once, at);
  else if (rank == Rank::stays && most_guarded_) guard(set, at);
  else push_front(set.once, at);
  return at;
}

void Cache::drop(int at) {
  Line &line = lines_[(size_t)at];
  Set &set = sets_[(size_t)at / ways_];
  unlink(list_of(set, line), at);
  if (line.guarded) --set.guarded;
  forget_line(line.line, at);
  line = Line();
  push_front(set.empty, at);
  --held_;
}

}  // namespace gpuopt_emu
