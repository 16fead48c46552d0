// Launches in other forms: with attributes, and in the three steps of CUDA before version 10.
#include <map>
#include <vector>

#include "streams.h"
#include "launch_record.h"
#include "state.h"
#include "os_thread.h"

namespace gpuopt_emu {

// What cudaConfigureCall and cudaSetupArgument prepare for cudaLaunch.
struct Prepared {
  Configuration configuration;
  std::map<size_t, std::vector<char>> arguments;  // by offset
};
static thread_local OfThread<std::vector<Prepared>> prepared;

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

static constexpr unsigned LAST_LAUNCH_ATTRIBUTE = 16;  // of CUDA 13.0

// Which values an H200 refuses; the others are said to have no effect on what is launched, or have theirs later.
static cudaError_t check_attribute(const cudaLaunchAttribute &attribute) {
  const cudaLaunchAttributeValue &value = attribute.val;
  bool is_right = (unsigned)attribute.id <= LAST_LAUNCH_ATTRIBUTE;
  switch (attribute.id) {
    case cudaLaunchAttributeProgrammaticEvent:
      return lives(value.programmaticEvent.event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case cudaLaunchAttributeLaunchCompletionEvent:
      return lives(value.launchCompletionEvent.event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case cudaLaunchAttributeAccessPolicyWindow: {
      const float ratio = value.accessPolicyWindow.hitRatio;
      int most = 0;
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, 0);
      is_right = ratio >= 0 && ratio <= 1 && (!most || value.accessPolicyWindow.num_bytes <= (size_t)most);
      break;
    }
    case cudaLaunchAttributeSynchronizationPolicy: is_right = value.syncPolicy >= 1 && value.syncPolicy <= 4; break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      is_right = (unsigned)value.clusterSchedulingPolicyPreference <= 2;
      break;
    case cudaLaunchAttributeMemSyncDomain: is_right = (unsigned)value.memSyncDomain <= 1; break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout: {
      const int percent = (int)value.sharedMemCarveout;
      is_right = percent >= 0 && percent <= 100;
      break;
    }
    default: break;
  }
  return is_right ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" {

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  prepared->emplace_back();
  Configuration &c = prepared->back().configuration;
  c.grid = grid;
  c.block = block;
  c.shared = shared;
  c.stream = stream;
  return cudaSuccess;
}
cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t offset) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (prepared->empty()) return record(cudaErrorMissingConfiguration);
  const char *const value = static_cast<const char *>(argument);
  prepared->back().arguments[offset].assign(value, value + bytes);
  return cudaSuccess;
}
cudaError_t cudaLaunch(const void *function) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (prepared->empty()) return record(cudaErrorMissingConfiguration);
  Prepared call = std::move(prepared->back());
  prepared->pop_back();
  std::vector<void *> pointers;
  for (auto &argument : call.arguments) pointers.push_back(argument.second.data());
  const Kernel *const kernel = kernel_at(function);
  if (!kernel || kernel->parameters != pointers.size()) return record(cudaErrorInvalidDeviceFunction);
  const Configuration &c = call.configuration;
  return cudaLaunchKernel(function, c.grid, c.block, pointers.data(), c.shared, static_cast<cudaStream_t>(c.stream));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!config || (config->numAttrs && !config->attrs)) return record(cudaErrorInvalidValue);
  bool cooperative = false, in_clusters = false;
  int carveout = -1;
  dim3 cluster;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    const cudaError_t error = check_attribute(attribute);
    if (error != cudaSuccess) return record(error);
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributePreferredSharedMemoryCarveout) carveout = (int)attribute.val.sharedMemCarveout;
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto &size = attribute.val.clusterDim;
    cluster = dim3(size.x, size.y, size.z);
    in_clusters = true;
  }
  const Configuration c{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream,
                        cooperative,     cluster,          in_clusters,              carveout};
  launched_with = config;
  const cudaError_t error = launch_kernel(function, c, arguments);
  launched_with = nullptr;
  return error;
}
}
