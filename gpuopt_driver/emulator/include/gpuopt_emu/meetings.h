// What threads of split kernels take from what others have offered: emulator/fission/meetings.py.
#ifndef GPUOPT_EMU_MEETINGS_H
#define GPUOPT_EMU_MEETINGS_H

#include "warp.h"

namespace gpuopt_emu {

static inline int count_in(const bool *offered, int threads) {
  int trues = 0;
  for (int i = 0; i < threads; ++i) trues += offered[i];
  return trues;
}

static inline unsigned ballot_in(const bool *offered, int thread, int threads) {
  const int first = thread / WARP * WARP, lanes = threads - first < WARP ? threads - first : WARP;
  unsigned bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= (unsigned)offered[first + i] << i;
  return bits;
}
static inline int any_in(const bool *offered, int thread, int threads) { return ballot_in(offered, thread, threads) != 0; }
static inline int all_in(const bool *offered, int thread, int threads) {
  const int lanes = threads - thread / WARP * WARP;
  return ballot_in(offered, thread, threads) == (lanes < WARP ? (1u << lanes) - 1 : ~0u);
}

// From a lane that is not there: 0, as everywhere.
template <class T>
static inline T shuffle_in(const T *offered, int thread, int threads, Shuffle how, unsigned operand, int width = 32) {
  const int from = source_lane(how, (unsigned)(thread % WARP), operand, width);
  if (from < 0) return offered[thread];
  const int source = thread / WARP * WARP + from;
  return source < threads ? offered[source] : T();
}

}  // namespace gpuopt_emu

#endif
