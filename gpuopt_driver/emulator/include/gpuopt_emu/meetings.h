// What threads of split kernels take from what others have offered: emulator/fission/meetings.py.
#ifndef GPUOPT_EMU_MEETINGS_H
#define GPUOPT_EMU_MEETINGS_H

#include <utility>

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

// What CUDA's shuffles make of a type.
template <class T> using Shuffled = decltype(__shfl_sync(0u, std::declval<T>(), 0));
// From a lane that is not there: 0, as everywhere.
template <class T>
static inline T shuffle_in(const T *offered, int thread, int threads, Shuffle how, unsigned operand, int width = 32) {
  const int from = source_lane(how, (unsigned)(thread % WARP), operand, width);
  if (from < 0) return offered[thread];
  const int source = thread / WARP * WARP + from;
  return source < threads ? offered[source] : T();
}

// Tiles of a part of a warp, as groups of kernels that are split are written: emulator/inlining/group_calls.py.
template <unsigned Size> struct TileOf {};
template <unsigned Size> static inline unsigned lanes_of_tile() { return ((1u << Size) - 1) << lane() / Size * Size; }
template <unsigned Size> static inline unsigned bits_of_tile(unsigned bits, unsigned rank) {
  return bits >> rank % WARP / Size * Size & ((1u << Size) - 1);
}
// What joins values of type T, and a value of that very type.
template <template <class> class Join, class T> T joined_by(Join<T>);
template <class T> struct Exactly {
  T value;
  template <class Uu> explicit Exactly(const Uu &given) : value(given) {
    static_assert(std::is_same<typename std::remove_cv<Uu>::type, T>::value, "joined as another type");
  }
};

// The threads of a block that have given one answer, in whole warps: emulator/fission/masking.py.
struct Chosen {
  int first, last;
  bool any;
  int first_in(int row) const { return row > first ? row : first; }
  int last_in(int row, int length) const { return row + length < last ? row + length : last; }
};
// Those that answered 0 and 1; false if lanes of one warp did both.
static inline bool choose(const unsigned char *answers, unsigned threads, Chosen (&chosen)[2]) {
  bool alike = true;
  chosen[0] = chosen[1] = Chosen{(int)threads, 0, false};
  for (unsigned first = 0; first < threads; first += WARP) {
    const unsigned last = first + WARP < threads ? first + WARP : threads;
    unsigned seen = 0;  // of each answer
    for (unsigned i = first; i < last; ++i) seen |= 1u << answers[i];
    alike &= (seen & 3) != 3;
    for (int answer = 0; answer < 2; ++answer) {
      if (!(seen >> answer & 1)) continue;
      Chosen &those = chosen[answer];
      if (!those.any) those.first = (int)first;
      those.last = (int)last;
      those.any = true;
    }
  }
  return alike;
}

// What template arguments are where calls are written in place: emulator/inlining/types.py.
template <class T> using Same = T;  // a type of several words as one
template <class T> T &of_type();  // an lvalue in an expression that is not evaluated
template <class T> using Deduced = typename std::decay<T>::type;                          // of `T`
template <class T> using DeducedReferred = typename std::remove_reference<T>::type;       // of `T &`
template <class T> using DeducedReferredConstant = typename std::remove_const<DeducedReferred<T>>::type;
template <class T> using DeducedTo = typename std::remove_pointer<Deduced<T>>::type;      // of `T *`
template <class T> using DeducedToConstant = typename std::remove_const<DeducedTo<T>>::type;

}  // namespace gpuopt_emu

#endif
