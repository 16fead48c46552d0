// Batches of accesses against the shadow: bounds, what was written, and order. See check_survey.h.
#include <string.h>

#include "check_cells.h"

namespace gpuopt_emu {

using surveys::READ;
using surveys::UPDATE;
using surveys::WRITE;

namespace {

// Whether reads by the same threads differ in where they begin alone.
bool same_rows(const Batch &a, const Batch &b) {
  return a.bytes == b.bytes && memcmp(a.by, b.by, sizeof a.by) == 0 && memcmp(a.threads, b.threads, sizeof a.threads) == 0 &&
         memcmp(a.low, b.low, sizeof a.low) == 0;
}

// Of the accesses, for each thread along x and each turn; those that are neighbours at once.
bool apply_row(Cells &cells, const Batch &batch, uintptr_t at, unsigned thread, Stamp flags) {
  const unsigned per_thread = batch.bytes / 4, threads = (unsigned)batch.threads[0];
  const long long bytes = batch.bytes, whole = bytes * threads;
  const unsigned own = batch.by[0] ? threads : 1;
  if (batch.by[0] == bytes) {
    // Turns that move on by less than the row add what is new; the last threads of the row have it.
    const unsigned last = thread + threads - 1;
    const bool overlapping = batch.how == READ && batch.turns > 1 && batch.step > 0 && batch.step < whole;
    if (overlapping && batch.step == bytes && per_thread == 1)
      return cells.run(Run{at, threads + batch.turns - 1, 1, thread, last, flags, false});
    if (batch.how == READ && batch.step == whole && per_thread == 1)
      return cells.run(Run{at, threads * batch.turns, 1, thread, last, flags, true});
    for (unsigned turn = 0; turn < batch.turns; ++turn) {
      const unsigned fresh = overlapping && turn ? (unsigned)(batch.step / bytes) : threads;
      const uintptr_t start = at + (uintptr_t)(batch.step * turn + bytes * (threads - fresh));
      if (!cells.run(Run{start, fresh * per_thread, per_thread, last + 1 - fresh, last, flags, false})) return false;
    }
    return true;
  }
  const bool neighbours = batch.turns > 1 && batch.step == bytes;
  for (unsigned x = 0; x < own; ++x) {
    const uintptr_t start = at + (uintptr_t)(batch.by[0] * (long long)x);
    if (neighbours) {
      if (!cells.run(Run{start, per_thread * batch.turns, per_thread * batch.turns, thread + x, thread + x, flags, false})) return false;
      continue;
    }
    for (unsigned turn = 0; turn < batch.turns; ++turn)
      if (!cells.run(Run{start + (uintptr_t)(batch.step * turn), per_thread, per_thread, thread + x, thread + x, flags, false})) return false;
  }
  return true;
}

}  // namespace

bool apply(SurveyWork &work, const Batch &given) {
  Batch batch = given;
  if (batch.step < 0) {
    batch.at += (uintptr_t)(batch.step * (batch.turns - 1ll));
    batch.step = -batch.step;
  }
  const Block *block = work.block;
  uintptr_t low = batch.at, high = batch.at + batch.bytes;
  const auto stretch = [&](long long by, long long count) {
    if (by < 0) low += (uintptr_t)(by * (count - 1));
    else high += (uintptr_t)(by * (count - 1));
  };
  for (int d = 0; d < 3; ++d) stretch(batch.by[d], batch.threads[d]);
  stretch(batch.step, batch.turns);
  Shadow shadow;
  if (!find_shadow(work, low, high, &shadow)) return false;
  const unsigned stride[] = {1, block->size.x, block->size.x * block->size.y};
  // Whole rows that follow each other are one.
  for (int d = 1; d < 3 && !batch.low[0] && batch.by[0] && (unsigned)batch.threads[0] == stride[d]; ++d) {
    if (batch.by[d] != batch.by[0] * batch.threads[0]) break;
    batch.threads[0] *= batch.threads[d];
    batch.threads[d] = 1, batch.by[d] = 0;
  }
  // Several threads at one place: fine for reads and atomic operations, while stores need a closer look.
  bool shared = false, over_warps = false;
  unsigned thread = 0, last = 0;
  for (int d = 0; d < 3; ++d) {
    thread += (unsigned)batch.low[d] * stride[d];
    last += (unsigned)(batch.low[d] + batch.threads[d] - 1) * stride[d];
    shared |= !batch.by[d] && batch.threads[d] > 1;
  }
  if (shared && batch.how == WRITE) return false;
  const bool merged = batch.turns > 1 && batch.by[0] == batch.bytes && batch.step > 0 &&
                      batch.step < batch.by[0] * batch.threads[0];
  over_warps = thread / WARP != last / WARP;
  const Stamp flags = shared || merged ? MANY_THREADS | (over_warps ? (Stamp)MANY_WARPS : 0) : 0;
  Cells cells(work, batch, shadow);
  const int nz = batch.by[2] ? batch.threads[2] : 1, ny = batch.by[1] ? batch.threads[1] : 1;
  int from = 0, to = ny;
  if (batch.how == READ && nz == 1 && ny > 1 && flags == (MANY_THREADS | MANY_WARPS)) {
    // Rows that another read has just gone over.
    Batch &before = work.rows;
    const long long distance = (long long)(batch.at - before.at);
    if (before.turns == batch.turns && before.step == batch.step && same_rows(before, batch) && distance % batch.by[1] == 0) {
      const long long rows = distance / batch.by[1];
      if (rows >= 0 && rows < ny) from = ny - (int)rows;
      else if (rows < 0 && rows > -ny) to = (int)-rows;
    }
    before = batch;
  }
  for (int z = 0; z < nz; ++z)
    for (int y = from; y < to; ++y) {
      const uintptr_t at = batch.at + (uintptr_t)(batch.by[1] * y + batch.by[2] * z);
      if (!apply_row(cells, batch, at, thread + (unsigned)y * stride[1] + (unsigned)z * stride[2], flags)) return false;
    }
  return true;
}

bool apply_all(SurveyWork &work) {
  bool good = true;
  work.ending = true;
  for (Batch &batch : work.batches) {
    if (!batch.turns) continue;
    const Batch one = batch;
    batch.turns = 0;
    good = good && (one.done || apply(work, one));
  }
  work.rows.turns = 0;
  work.ending = false;
  return good;
}

}  // namespace gpuopt_emu
