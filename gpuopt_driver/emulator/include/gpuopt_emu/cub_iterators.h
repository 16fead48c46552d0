// CUB's iterators, and its functions that move a block's items between memory and threads.
#ifndef GPUOPT_EMU_CUB_ITERATORS_H
#define GPUOPT_EMU_CUB_ITERATORS_H

#include "cub_block.h"

namespace cub {

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

template <CacheLoadModifier, class It> typename std::iterator_traits<It>::value_type ThreadLoad(It at) { return *at; }
template <CacheStoreModifier, class It, class T> void ThreadStore(It at, T value) { *at = value; }

namespace detail {

// An iterator that computes what it reads: Self has `T at(long long) const`.
template <class Self, class T> struct Computed {
  typedef std::random_access_iterator_tag iterator_category;
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T reference;
  typedef const T *pointer;
  ptrdiff_t place = 0;
  T operator*() const { return self().at(place); }
  T operator[](ptrdiff_t i) const { return self().at(place + i); }
  Self &operator+=(ptrdiff_t n) { place += n; return self(); }
  Self &operator-=(ptrdiff_t n) { place -= n; return self(); }
  Self &operator++() { return *this += 1; }
  Self &operator--() { return *this -= 1; }
  Self operator++(int) { Self old(self()); ++place; return old; }
  Self operator--(int) { Self old(self()); --place; return old; }
  friend Self operator+(Self a, ptrdiff_t n) { a += n; return a; }
  friend Self operator-(Self a, ptrdiff_t n) { a -= n; return a; }
  friend ptrdiff_t operator-(const Self &a, const Self &b) { return a.place - b.place; }
  friend bool operator==(const Self &a, const Self &b) { return a.place == b.place; }
  friend bool operator!=(const Self &a, const Self &b) { return a.place != b.place; }
  friend bool operator<(const Self &a, const Self &b) { return a.place < b.place; }

 private:
  Self &self() { return static_cast<Self &>(*this); }
  const Self &self() const { return static_cast<const Self &>(*this); }
};

}  // namespace detail

template <class T, class Offset = ptrdiff_t>
struct CountingInputIterator : detail::Computed<CountingInputIterator<T, Offset>, T> {
  T start;
  explicit CountingInputIterator(const T &first) : start(first) {}
  T at(ptrdiff_t i) const { return start + (T)i; }
};
template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator : detail::Computed<ConstantInputIterator<T, Offset>, T> {
  T value;
  explicit ConstantInputIterator(const T &one) : value(one) {}
  T at(ptrdiff_t) const { return value; }
};
template <class T, class Op, class It, class Offset = ptrdiff_t>
struct TransformInputIterator : detail::Computed<TransformInputIterator<T, Op, It, Offset>, T> {
  It from;
  Op op;
  TransformInputIterator(It in, Op convert) : from(in), op(convert) {}
  T at(ptrdiff_t i) const { Op one(op); return one(from[i]); }
};
template <class It, class Offset = ptrdiff_t, class T = typename std::iterator_traits<It>::value_type>
struct ArgIndexInputIterator : detail::Computed<ArgIndexInputIterator<It, Offset, T>, KeyValuePair<Offset, T>> {
  It from;
  explicit ArgIndexInputIterator(It in) : from(in) {}
  KeyValuePair<Offset, T> at(ptrdiff_t i) const { return KeyValuePair<Offset, T>((Offset)i, from[i]); }
};
template <CacheLoadModifier How, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator : detail::Computed<CacheModifiedInputIterator<How, T, Offset>, T> {
  const T *from;
  explicit CacheModifiedInputIterator(const T *in) : from(in) {}
  T at(ptrdiff_t i) const { return from[i]; }
};

template <class T, class It> void LoadDirectBlocked(int rank, It from, T *items, int count, int valid) {
  for (int i = 0; i < count; ++i)
    if (rank * count + i < valid) items[i] = from[rank * count + i];
}
template <class T, int Nn, class It> void LoadDirectBlocked(int rank, It from, T (&items)[Nn]) {
  for (int i = 0; i < Nn; ++i) items[i] = from[rank * Nn + i];
}
template <class T, int Nn, class It> void LoadDirectBlocked(int rank, It from, T (&items)[Nn], int valid) {
  LoadDirectBlocked(rank, from, items + 0, Nn, valid);
}
template <class T, int Nn, class It> void StoreDirectBlocked(int rank, It to, T (&items)[Nn], int valid = 1 << 30) {
  for (int i = 0; i < Nn; ++i)
    if (rank * Nn + i < valid) to[rank * Nn + i] = items[i];
}
template <int Threads, class T, int Nn, class It> void LoadDirectStriped(int rank, It from, T (&items)[Nn], int valid = 1 << 30) {
  for (int i = 0; i < Nn; ++i)
    if (rank + i * Threads < valid) items[i] = from[rank + i * Threads];
}
template <int Threads, class T, int Nn, class It> void StoreDirectStriped(int rank, It to, T (&items)[Nn], int valid = 1 << 30) {
  for (int i = 0; i < Nn; ++i)
    if (rank + i * Threads < valid) to[rank + i * Threads] = items[i];
}

template <class T, int Xx, int Items, BlockLoadAlgorithm How = BLOCK_LOAD_DIRECT, int Yy = 1, int Zz = 1, int = 0>
class BlockLoad {
 public:
  typedef NullType TempStorage;
  BlockLoad() {}
  explicit BlockLoad(TempStorage &) {}
  template <class It> void Load(It from, T (&items)[Items], int valid = 1 << 30) {
    const int rank = RowMajorTid(Xx, Yy, Zz);
    if (How == BLOCK_LOAD_STRIPED) LoadDirectStriped<Xx * Yy * Zz>(rank, from, items, valid);
    else LoadDirectBlocked(rank, from, items, valid);
    CTA_SYNC();  // as transposing does: nobody goes on to write what another one has yet to read
  }
  template <class It, class Default> void Load(It from, T (&items)[Items], int valid, Default other) {
    for (int i = 0; i < Items; ++i) items[i] = other;
    Load(from, items, valid);
  }
};
template <class T, int Xx, int Items, BlockStoreAlgorithm How = BLOCK_STORE_DIRECT, int Yy = 1, int Zz = 1, int = 0>
class BlockStore {
 public:
  typedef NullType TempStorage;
  BlockStore() {}
  explicit BlockStore(TempStorage &) {}
  template <class It> void Store(It to, T (&items)[Items], int valid = 1 << 30) {
    const int rank = RowMajorTid(Xx, Yy, Zz);
    if (How == BLOCK_STORE_STRIPED) StoreDirectStriped<Xx * Yy * Zz>(rank, to, items, valid);
    else StoreDirectBlocked(rank, to, items, valid);
  }
};

}  // namespace cub

#endif
