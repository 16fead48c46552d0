// Algorithms of thrust over a device's memory as kernels: what all of them need. The memory is the device's where iterators have
// `device_ptr` in them, or where the program says thrust::device.
#pragma once

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
#include <thrust/detail/function.h>
#include <thrust/detail/seq.h>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

THRUST_NAMESPACE_BEGIN
template <typename T> class device_ptr;
namespace system::cpp::detail {
struct par_t;
}
THRUST_NAMESPACE_END

namespace gpuopt_emu {
namespace thrust_kernels {

// Whether an iterator, or one that it is made of, goes over a device's memory: `device_ptr` is in it.
template <class It, class = void> struct OnDevice : std::false_type {};
template <class... Its> struct AnyOnDevice : std::disjunction<OnDevice<Its>...> {};
template <class T> struct Parts : std::false_type {};
template <template <class...> class Tuple, class... Its> struct Parts<Tuple<Its...>> : AnyOnDevice<Its...> {};
template <class It> using BaseOf = std::decay_t<decltype(std::declval<const It &>().base())>;
template <class It> using TupleOf = std::decay_t<decltype(std::declval<const It &>().get_iterator_tuple())>;
template <class T> struct OnDevice<::thrust::device_ptr<T>, void> : std::true_type {};
template <class It> struct OnDevice<It, std::void_t<TupleOf<It>>> : Parts<TupleOf<It>> {};
template <class It> struct OnDevice<It, std::void_t<BaseOf<It>>>
    : std::conjunction<std::negation<std::is_same<It, BaseOf<It>>>, OnDevice<BaseOf<It>>> {};

template <class It> using Traversal = typename ::thrust::iterator_traversal<It>::type;
template <class Policy> using IsDevice = std::is_same<Policy, ::thrust::system::cpp::detail::par_t>;  // thrust::host is another
template <class Policy, class It, class... Its> struct AsKernel
    : std::conjunction<std::disjunction<IsDevice<Policy>, OnDevice<It>, OnDevice<Its>...>,
                       std::is_convertible<Traversal<It>, ::thrust::random_access_traversal_tag>,
                       std::is_convertible<Traversal<Its>, ::thrust::random_access_traversal_tag>...> {};
template <class Policy, class... Its> using IfKernel = std::enable_if_t<AsKernel<Policy, Its...>::value, int>;

// What versions of CCCL name differently, or not at all.
template <class It> using ValueOf = typename ::thrust::iterator_value<It>::type;
template <class Function, class Value, class Init> using ResultOf = std::decay_t<std::invoke_result_t<Function, Value, Init>>;
// Numbers in their own order, up or down, which thrust sorts by their digits.
template <class Key, class Less> struct SortsByDigits : std::false_type {};
template <class Key> struct SortsByDigits<Key, ::thrust::less<Key>> : std::is_arithmetic<Key> {};
template <class Key> struct SortsByDigits<Key, ::thrust::greater<Key>> : std::is_arithmetic<Key> {};

// body(policy), with one whose own steps are no kernels: some count on the order of elements (radix sort's scatter).
template <class Derived, class Policy, class Body> void in_order(Policy &exec, Body body) {
  if constexpr (IsDevice<Derived>::value) {
    ::thrust::detail::seq_t seq;
    body(seq);
  } else {
    body(exec);
  }
}

enum { THREADS = 256, ITEMS = 2, CHUNK = 16 };  // the first two of CUB's DeviceFor
template <class Body> struct Tag;
template <class Body> void run(const char *name, unsigned blocks, unsigned threads, const Body &body) {
  push_configuration(dim3(blocks, 1, 1), dim3(threads, 1, 1), 0, nullptr);
  if (described<Tag<Body>, void(), false>(name, dim3(1, 1, 1))) return;
  launch<Tag<Body>, GENERAL>(body);
}
// body(i) for i < count, each in a thread of its own.
template <class Size, class Body> void run_each(const char *name, Size count, Body body) {
  run(name, (unsigned)((count + THREADS - 1) / THREADS), THREADS, [count, body](const At &at) mutable {
    const Size index = (Size)at.block.x * THREADS + at.thread.x;
    if (index < count) body(index);
  });
}

// Values that kernels make before anything else is done with them.
template <class T> class Values {
 public:
  explicit Values(size_t count) : count_(count), at_(std::allocator<T>().allocate(count)) {}
  Values(const Values &) = delete;
  ~Values() {
    std::destroy_n(at_, count_);
    std::allocator<T>().deallocate(at_, count_);
  }
  T *begin() const { return at_; }

 private:
  size_t count_;
  T *at_;
};

// What each chunk of [first, first + count) comes to, in order: into[i] is constructed.
template <class T, class It, class Size, class Function>
void fold_chunks(const char *name, It first, Size count, T *into, Function function) {
  run_each(name, (count + CHUNK - 1) / CHUNK, [=](Size chunk) mutable {
    const Size from = chunk * CHUNK, to = count - from < CHUNK ? count : from + CHUNK;
    T value = *(first + from);
    for (Size i = from + 1; i < to; ++i) value = function(value, *(first + i));
    ::new (static_cast<void *>(into + chunk)) T(value);
  });
}

}  // namespace thrust_kernels
}  // namespace gpuopt_emu
#endif
