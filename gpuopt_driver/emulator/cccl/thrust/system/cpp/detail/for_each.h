// thrust::for_each, and what thrust makes of it (generate, transform, tabulate, fill, gather ...), over a device's memory:
// a kernel in the blocks that CCCL's CUDA backend launches, so that functors run as device code, with blockIdx and threadIdx.
#pragma once
#include_next <thrust/system/cpp/detail/for_each.h>

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
#include <thrust/detail/function.h>
#include <thrust/iterator/iterator_traits.h>

#include <type_traits>
#include <utility>

THRUST_NAMESPACE_BEGIN
template <typename T> class device_ptr;
THRUST_NAMESPACE_END

namespace gpuopt_emu {
namespace thrust_each {

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
template <class It> struct AsKernel
    : std::conjunction<OnDevice<It>, std::is_convertible<Traversal<It>, ::thrust::random_access_traversal_tag>> {};

enum { THREADS = 256, ITEMS = 2 };  // of CUB's DeviceFor
template <class Body> struct Tag;
template <class Body> void run(const Body &body) {
  if (described<Tag<Body>, void(), false>("thrust::for_each", dim3(1, 1, 1))) return;
  launch<Tag<Body>, GENERAL>(body);
}
template <class It, class Size, class Function> void each(It first, Size count, Function function) {
  if (count <= 0) return;
  const Size blocks = (count + (THREADS * ITEMS - 1)) / (THREADS * ITEMS);
  push_configuration(dim3((unsigned)blocks, 1, 1), dim3(THREADS, 1, 1), 0, nullptr);
  ::thrust::detail::wrapped_function<Function, void> wrapped{function};
  run([first, count, wrapped](const At &at) mutable {
    for (unsigned item = 0; item < ITEMS; ++item) {
      const Size index = (Size)at.block.x * (THREADS * ITEMS) + item * THREADS + at.thread.x;
      if (index < count) wrapped(*(first + index));
    }
  });
}

}  // namespace thrust_each
}  // namespace gpuopt_emu

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived, class It, class Function, std::enable_if_t<gpuopt_emu::thrust_each::AsKernel<It>::value, int> = 0>
It for_each(execution_policy<Derived> &exec, It first, It last, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::for_each(exec, first, last, f);
  gpuopt_emu::thrust_each::each(first, last - first, f);
  return last;
}
template <class Derived, class It, class Size, class Function, std::enable_if_t<gpuopt_emu::thrust_each::AsKernel<It>::value, int> = 0>
It for_each_n(execution_policy<Derived> &exec, It first, Size n, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::for_each_n(exec, first, n, f);
  gpuopt_emu::thrust_each::each(first, n, f);
  return n > 0 ? first + n : first;
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
#endif
