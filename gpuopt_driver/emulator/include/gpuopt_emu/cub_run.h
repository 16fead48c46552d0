// What CUB's device-wide algorithms are made of: each is one thread of a kernel, so that streams, graphs and errors are as
// of any kernel. Called without temporary storage they only say how much they need, which is next to nothing.
#ifndef GPUOPT_EMU_CUB_RUN_H
#define GPUOPT_EMU_CUB_RUN_H

#include <limits>

#include "../cuda_runtime_api.h"
#include "cub_iterators.h"
#include "launch.h"

namespace cub {

template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
  T *Current() { return d_buffers[selector]; }
  T *Alternate() { return d_buffers[selector ^ 1]; }
};

namespace detail {

template <class It> using ValueOf = typename std::iterator_traits<It>::value_type;
// What is stored through an iterator: its own type, or, where it has none, that of what is read.
template <class Out, class Other> using StoredIn = typename std::conditional<std::is_void<ValueOf<Out>>::value, Other, ValueOf<Out>>::type;

struct Smaller { template <class Aa, class Bb> bool operator()(const Aa &a, const Bb &b) const { return a < b; } };

template <class Body> struct Tag;
template <class Body> void once(const Body &body) {
  if (gpuopt_emu::described<Tag<Body>, void(), false>("a device-wide algorithm of CUB's", dim3(1, 1, 1))) return;
  gpuopt_emu::launch<Tag<Body>, gpuopt_emu::GENERAL>([body](const gpuopt_emu::At &) {
    Body mine(body);
    mine();
  });
}
template <class Body> cudaError_t run(void *storage, size_t &bytes, cudaStream_t stream, const Body &body) {
  if (!storage) {
    bytes = 1;
    return cudaSuccess;
  }
  gpuopt_emu::push_configuration(dim3(1, 1, 1), dim3(1, 1, 1), 0, stream);
  once(body);
  return cudaPeekAtLastError();
}
// Of two buffers the result is in the other one.
template <class T> cudaError_t flip(void *storage, DoubleBuffer<T> &buffers, cudaError_t status) {
  if (storage) buffers.selector ^= 1;
  return status;
}
#define GPUOPT_CUB_RUN return detail::run(storage, bytes, stream, [=]() mutable

template <class In, class Out, class Op, class T> void reduce(In in, Out out, long long from, long long to, Op op, T initial) {
  T sum = initial;
  for (long long i = from; i < to; ++i) sum = op(sum, in[i]);
  *out = sum;
}
// The default of ArgMin and ArgMax: the first of the smallest or largest.
template <class In, class Out, class Op> void reduce_index(In in, Out out, long long from, long long to, Op op, ValueOf<In> none) {
  KeyValuePair<int, ValueOf<In>> best(1, none);
  for (long long i = from; i < to; ++i) {
    const KeyValuePair<int, ValueOf<In>> one((int)(i - from), in[i]);
    best = i == from ? one : op(best, one);
  }
  *out = best;
}
template <bool Inclusive, class In, class Out, class Op, class T>
void scan(In in, Out out, long long count, Op op, T sum, bool has) {
  for (long long i = 0; i < count; ++i) {
    const T next = has ? (T)op(sum, in[i]) : (T)in[i];  // read first: both may be the same memory
    out[i] = Inclusive ? next : sum;
    sum = next;
    has = true;
  }
}

// The same where the keys of neighbours differ: from the beginning again, exclusive ones with `initial`.
template <bool Inclusive, class Keys, class In, class Out, class Op, class T, class Same>
void scan_by_key(Keys keys, In in, Out out, long long count, Op op, T initial, Same same) {
  T sum = initial;
  for (long long i = 0; i < count; ++i) {
    const bool begins = i == 0 || !same(keys[i - 1], keys[i]);
    if (begins) sum = initial;
    const T next = Inclusive && begins ? (T)in[i] : (T)op(sum, in[i]);
    out[i] = Inclusive ? next : sum;
    sum = next;
  }
}

}  // namespace detail

}  // namespace cub

#endif
