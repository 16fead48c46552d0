// The policy of thrust::host: that of the backend for CPUs, under a type of its own (see ../../execution_policy.h).
#pragma once
#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system::gpuopt_host {
using cpp::execution_policy;
using cpp::tag;
namespace detail {
struct par_t : cpp::detail::execution_policy<par_t>, thrust::detail::allocator_aware_execution_policy<cpp::detail::execution_policy> {};
}  // namespace detail
}  // namespace system::gpuopt_host
THRUST_NAMESPACE_END
