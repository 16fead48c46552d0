// thrust::inclusive_scan, exclusive_scan and what thrust makes of them, over a device's memory: a kernel folds chunks, one thread
// adds those up, and a kernel writes each chunk's results.
#pragma once
#include_next <thrust/system/cpp/detail/scan.h>

#include <gpuopt_kernels.h>

#if defined(__CUDACC__) && defined(GPUOPT_EMU_LAUNCH_H)
namespace gpuopt_emu {
namespace thrust_kernels {

// `init`: what comes before the first element, null for nothing; an exclusive scan has it.
template <class T, class It, class Out, class Size, class Function>
Out scanned(It first, Size count, Out result, const T *init, bool exclusive, Function function) {
  if (count <= 0) return result;
  const char *name = exclusive ? "thrust::exclusive_scan" : "thrust::inclusive_scan";
  const Size chunks = (count + CHUNK - 1) / CHUNK;
  const Values<T> sums((size_t)chunks);
  T *sum = sums.begin();
  fold_chunks<T>(name, first, count, sum, function);
  run_each(name, 1, [=](int) mutable {
    if (init) sum[0] = function(*init, sum[0]);
    for (Size i = 1; i < chunks; ++i) sum[i] = function(sum[i - 1], sum[i]);
  });
  run_each(name, chunks, [=](Size chunk) mutable {
    const Size to = count - chunk * CHUNK < CHUNK ? count : (chunk + 1) * CHUNK;
    Size i = chunk * CHUNK;
    const T *before = chunk ? sum + chunk - 1 : init;
    T element = *(first + i);  // the result may lie where it does
    T value = before ? function(*before, element) : element;
    if (exclusive) *(result + i) = *before;
    else *(result + i) = value;
    for (++i; i < to; ++i) {
      element = *(first + i);
      if (exclusive) *(result + i) = value;
      value = function(value, element);
      if (!exclusive) *(result + i) = value;
    }
  });
  return result + count;
}

}  // namespace thrust_kernels
}  // namespace gpuopt_emu

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived, class It, class Out, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It, Out> = 0>
Out inclusive_scan(execution_policy<Derived> &exec, It first, It last, Out result, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::inclusive_scan(exec, first, last, result, f);
  using T = gpuopt_emu::thrust_kernels::ValueOf<It>;
  const thrust::detail::wrapped_function<Function, T> wrapped{f};
  return gpuopt_emu::thrust_kernels::scanned<T>(first, last - first, result, static_cast<const T *>(nullptr), false, wrapped);
}
template <class Derived, class It, class Out, class Init, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It, Out> = 0>
Out inclusive_scan(execution_policy<Derived> &exec, It first, It last, Out result, Init init, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::inclusive_scan(exec, first, last, result, init, f);
  using T = gpuopt_emu::thrust_kernels::ResultOf<Function, gpuopt_emu::thrust_kernels::ValueOf<It>, Init>;
  const T from = init;
  const thrust::detail::wrapped_function<Function, T> wrapped{f};
  return gpuopt_emu::thrust_kernels::scanned<T>(first, last - first, result, &from, false, wrapped);
}
template <class Derived, class It, class Out, class Init, class Function, gpuopt_emu::thrust_kernels::IfKernel<Derived, It, Out> = 0>
Out exclusive_scan(execution_policy<Derived> &exec, It first, It last, Out result, Init init, Function f) {
  if (gpuopt_emu::on_device()) return system::detail::sequential::exclusive_scan(exec, first, last, result, init, f);
  const thrust::detail::wrapped_function<Function, Init> wrapped{f};
  return gpuopt_emu::thrust_kernels::scanned<Init>(first, last - first, result, &init, true, wrapped);
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
#endif
