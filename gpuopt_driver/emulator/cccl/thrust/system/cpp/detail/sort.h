// thrust::sort and the like over a device's memory: with an order of the program's own, one thread of a kernel sorts as thrust does
// where a kernel calls it, so that the comparisons are device code; numbers in their own order are sorted by the host as before.
#pragma once
#include_next <thrust/system/cpp/detail/sort.h>

#include <gpuopt_kernels.h>

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived, class It, class Less, gpuopt_emu::thrust_kernels::IfKernel<Derived, It> = 0>
void stable_sort(execution_policy<Derived> &exec, It first, It last, Less less) {
  if constexpr (gpuopt_emu::thrust_kernels::SortsByDigits<gpuopt_emu::thrust_kernels::ValueOf<It>, Less>::value) {
    gpuopt_emu::thrust_kernels::in_order<Derived>(
        exec, [&](auto &policy) { system::detail::sequential::stable_sort(policy, first, last, less); });
  } else {
    auto sort = [exec, first, last, less](int) mutable {
      system::detail::sequential::stable_merge_sort(exec, first, last, less);
    };
    if (gpuopt_emu::on_device()) sort(0);
    else gpuopt_emu::thrust_kernels::run_each("thrust::sort", 1, sort);
  }
}
template <class Derived, class It, class Values, class Less, gpuopt_emu::thrust_kernels::IfKernel<Derived, It, Values> = 0>
void stable_sort_by_key(execution_policy<Derived> &exec, It first, It last, Values values, Less less) {
  if constexpr (gpuopt_emu::thrust_kernels::SortsByDigits<gpuopt_emu::thrust_kernels::ValueOf<It>, Less>::value) {
    gpuopt_emu::thrust_kernels::in_order<Derived>(
        exec, [&](auto &policy) { system::detail::sequential::stable_sort_by_key(policy, first, last, values, less); });
  } else {
    auto sort = [exec, first, last, values, less](int) mutable {
      system::detail::sequential::stable_merge_sort_by_key(exec, first, last, values, less);
    };
    if (gpuopt_emu::on_device()) sort(0);
    else gpuopt_emu::thrust_kernels::run_each("thrust::sort_by_key", 1, sort);
  }
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
#endif
