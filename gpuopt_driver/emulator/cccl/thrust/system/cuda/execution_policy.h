// thrust::cuda::par and par_nosync: thrust::device by other names, which a stream can be given to. What is done with them is done
// when the call returns, so all that a stream changes is what comes before.
#pragma once
#include <thrust/system/cpp/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {
using cpp::execution_policy;
using cpp::tag;
namespace detail {
struct par_t : cpp::detail::par_t {
  par_t on(cudaStream_t stream) const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone) cudaStreamSynchronize(stream);
    return *this;
  }
};
}  // namespace detail
static const detail::par_t par, par_nosync;
}  // namespace cuda
}  // namespace system
namespace cuda = system::cuda;
THRUST_NAMESPACE_END
