// CUB's block-wide differences of neighbours and shuffles, and the bits by which keys are sorted.
#ifndef GPUOPT_EMU_CUB_NEIGHBOURS_H
#define GPUOPT_EMU_CUB_NEIGHBOURS_H

#include "cub_block.h"

namespace cub {

// Each item and its neighbour on one side: the first one (left) or the last one (right) of all is taken as it is, or beside the
// caller's own neighbour. `valid` items are there, the others are taken as they are.
template <class T, int Xx, int Yy = 1, int Zz = 1, int = 0> class BlockAdjacentDifference {
  enum { THREADS = Xx * Yy * Zz };

 public:
  struct TempStorage : detail::Raw<T, THREADS> {};
  explicit BlockAdjacentDifference(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}

  template <int Nn, class Out, class Op> void SubtractLeft(T (&in)[Nn], Out (&out)[Nn], Op op) {
    left(in, out, op, THREADS * Nn, static_cast<const T *>(nullptr));
  }
  template <int Nn, class Out, class Op> void SubtractLeft(T (&in)[Nn], Out (&out)[Nn], Op op, T before) {
    left(in, out, op, THREADS * Nn, &before);
  }
  template <int Nn, class Out, class Op> void SubtractLeftPartialTile(T (&in)[Nn], Out (&out)[Nn], Op op, int valid) {
    left(in, out, op, valid, static_cast<const T *>(nullptr));
  }
  template <int Nn, class Out, class Op> void SubtractLeftPartialTile(T (&in)[Nn], Out (&out)[Nn], Op op, int valid, T before) {
    left(in, out, op, valid, &before);
  }
  template <int Nn, class Out, class Op> void SubtractRight(T (&in)[Nn], Out (&out)[Nn], Op op) {
    right(in, out, op, THREADS * Nn, static_cast<const T *>(nullptr));
  }
  template <int Nn, class Out, class Op> void SubtractRight(T (&in)[Nn], Out (&out)[Nn], Op op, T behind) {
    right(in, out, op, THREADS * Nn, &behind);
  }
  template <int Nn, class Out, class Op> void SubtractRightPartialTile(T (&in)[Nn], Out (&out)[Nn], Op op, int valid) {
    right(in, out, op, valid, static_cast<const T *>(nullptr));
  }

 private:
  template <int Nn, class Out, class Op> void left(T (&in)[Nn], Out (&out)[Nn], Op op, int valid, const T *before) {
    detail::place(all_ + rank_, in[Nn - 1]);
    CTA_SYNC();
    for (int i = Nn - 1; i >= 0; --i) {  // `out` may be `in`
      const int at = rank_ * Nn + i;
      const T *neighbour = i ? in + i - 1 : rank_ ? all_ + rank_ - 1 : before;
      out[i] = at < valid && neighbour ? of_both<Out>(in[i], *neighbour, op) : static_cast<Out>(in[i]);
    }
  }
  template <int Nn, class Out, class Op> void right(T (&in)[Nn], Out (&out)[Nn], Op op, int valid, const T *behind) {
    detail::place(all_ + rank_, in[0]);
    CTA_SYNC();
    for (int i = 0; i < Nn; ++i) {
      const int at = rank_ * Nn + i;
      const T *neighbour = at + 1 == THREADS * Nn ? behind : i + 1 < Nn ? in + i + 1 : all_ + rank_ + 1;
      const bool there = at + 1 < valid || (at + 1 == THREADS * Nn && valid == THREADS * Nn && behind);
      out[i] = there ? of_both<Out>(in[i], *neighbour, op) : static_cast<Out>(in[i]);
    }
  }
  template <class Out, class Op> static Out of_both(T item, T neighbour, Op &op) { return static_cast<Out>(op(item, neighbour)); }
  T *all_;
  int rank_;
};

template <class T, int Xx, int Yy = 1, int Zz = 1, int = 0> class BlockShuffle {
  enum { THREADS = Xx * Yy * Zz };

 public:
  struct TempStorage : detail::Raw<T, THREADS> {};
  explicit BlockShuffle(TempStorage &storage) : all_(storage.data()), rank_(RowMajorTid(Xx, Yy, Zz)) {}

  // Threads without such a neighbour keep what `output` has.
  void Offset(T input, T &output, int distance = 1) {
    detail::place(all_ + rank_, input);
    CTA_SYNC();
    const int from = rank_ + distance;
    if (from >= 0 && from < THREADS) output = all_[from];
  }
  void Rotate(T input, T &output, unsigned distance = 1) {
    detail::place(all_ + rank_, input);
    CTA_SYNC();
    output = all_[(rank_ + distance) % THREADS];
  }
  // All items one place on; the first one of all stays, `suffix` is the last one.
  template <int Nn> void Up(T (&input)[Nn], T (&previous)[Nn]) {
    detail::place(all_ + rank_, input[Nn - 1]);
    CTA_SYNC();
    for (int i = Nn - 1; i > 0; --i) previous[i] = input[i - 1];
    if (rank_ > 0) previous[0] = all_[rank_ - 1];
  }
  template <int Nn> void Up(T (&input)[Nn], T (&previous)[Nn], T &suffix) {
    Up(input, previous);
    suffix = all_[THREADS - 1];
  }
  // One place back; the last one of all stays, `prefix` is the first one.
  template <int Nn> void Down(T (&input)[Nn], T (&next)[Nn]) {
    detail::place(all_ + rank_, input[0]);
    CTA_SYNC();
    for (int i = 0; i + 1 < Nn; ++i) next[i] = input[i + 1];
    if (rank_ < THREADS - 1) next[Nn - 1] = all_[rank_ + 1];
  }
  template <int Nn> void Down(T (&input)[Nn], T (&next)[Nn], T &prefix) {
    Down(input, next);
    prefix = all_[0];
  }

 private:
  T *all_;
  int rank_;
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
namespace detail {
// Numbers as words that have the same order.
template <class Bits, Category Kind> struct Twiddled {
  typedef Bits UnsignedBits;
  static const Category CATEGORY = Kind;
  static const bool PRIMITIVE = true;
  static UnsignedBits TwiddleIn(UnsignedBits key) {
    return Kind == UNSIGNED_INTEGER ? key : (UnsignedBits)(key ^ (Kind == FLOATING_POINT && (key & high()) ? (Bits)~(Bits)0 : high()));
  }
  static UnsignedBits TwiddleOut(UnsignedBits key) {
    return Kind == UNSIGNED_INTEGER ? key : (UnsignedBits)(key ^ (Kind == FLOATING_POINT && !(key & high()) ? (Bits)~(Bits)0 : high()));
  }

 private:
  static constexpr Bits high() { return (Bits)((Bits)1 << (sizeof(Bits) * 8 - 1)); }
};
template <class T, bool = std::is_arithmetic<T>::value> struct TraitsOf {
  static const Category CATEGORY = NOT_A_NUMBER;
  static const bool PRIMITIVE = false;
};
template <class T> struct TraitsOf<T, true>
    : Twiddled<typename Word<sizeof(T)>::type, std::is_floating_point<T>::value ? FLOATING_POINT
                                                   : std::is_signed<T>::value       ? SIGNED_INTEGER
                                                                                    : UNSIGNED_INTEGER> {};
}  // namespace detail
template <class T> struct NumericTraits : detail::TraitsOf<typename std::remove_cv<T>::type> {};
template <class T> struct Traits : NumericTraits<T> {};

}  // namespace cub

#endif
