// thrust::reduce, and what thrust makes of it (transform_reduce, count, inner_product ...), over a device's memory: kernels that
// fold chunks, in order, until one is left.
#pragma once
#include_next <thrust/system/cpp/detail/reduce.h>

#include <gpuopt_kernels.h>

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
namespace gpuopt_emu {
namespace thrust_kernels {

template <class It, class Size, class T, class Function> T reduced(It first, Size count, T init, Function function) {
  if (count <= 0) return init;
  Size left = (count + CHUNK - 1) / CHUNK;
  auto values = std::make_unique<Values<T>>((size_t)left);
  fold_chunks<T>("thrust::reduce", first, count, values->begin(), function);
  while (left > 1) {
    auto fewer = std::make_unique<Values<T>>((size_t)((left + CHUNK - 1) / CHUNK));
    fold_chunks<T>("thrust::reduce", values->begin(), left, fewer->begin(), function);
    left = (left + CHUNK - 1) / CHUNK;
    values = std::move(fewer);
  }
  T *total = values->begin(), *into = &init;
  run_each("thrust::reduce", 1, [total, into, function](int) mutable { *into = function(*into, *total); });
  return init;
}

}  // namespace thrust_kernels
}  // namespace gpuopt_emu

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived, class It, class T, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It> = 0>
T reduce(execution_policy<Derived> &exec, It first, It last, T init, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::reduce(exec, first, last, init, f);
  return gpuopt_emu::thrust_kernels::reduced(first, last - first, init, thrust::detail::wrapped_function<Function, T>{f});
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
#endif
