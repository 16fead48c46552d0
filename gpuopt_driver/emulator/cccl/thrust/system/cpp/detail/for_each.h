// thrust::for_each, and what thrust makes of it (generate, transform, tabulate, fill, gather ...), over a device's memory:
// a kernel in the blocks that CCCL's CUDA backend launches, so that functors run as device code, with blockIdx and threadIdx.
#pragma once
#include_next <thrust/system/cpp/detail/for_each.h>

#include <gpuopt_kernels.h>

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
namespace gpuopt_emu {
namespace thrust_kernels {

template <class It, class Size, class Function> void each(It first, Size count, Function function) {
  if (count <= 0) return;
  const unsigned blocks = (unsigned)((count + (THREADS * ITEMS - 1)) / (THREADS * ITEMS));
  ::thrust::detail::wrapped_function<Function, void> wrapped{function};
  run("thrust::for_each", blocks, THREADS, [first, count, wrapped](const At &at) mutable {
    for (unsigned item = 0; item < ITEMS; ++item) {
      const Size index = (Size)at.block.x * (THREADS * ITEMS) + item * THREADS + at.thread.x;
      if (index < count) wrapped(*(first + index));
    }
  });
}

}  // namespace thrust_kernels
}  // namespace gpuopt_emu

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived, class It, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It> = 0>
It for_each(execution_policy<Derived> &exec, It first, It last, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::for_each(exec, first, last, f);
  gpuopt_emu::thrust_kernels::each(first, last - first, f);
  return last;
}
template <class Derived, class It, class Size, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It> = 0>
It for_each_n(execution_policy<Derived> &exec, It first, Size n, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::for_each_n(exec, first, n, f);
  gpuopt_emu::thrust_kernels::each(first, n, f);
  return n > 0 ? first + n : first;
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
#endif
