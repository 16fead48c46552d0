// Launches in other forms: with attributes, and in the three steps of CUDA before version 10.
#include <map>
#include <vector>

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
  if (!config) return record(cudaErrorInvalidValue);
  bool cooperative = false;
  dim3 cluster;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if ((unsigned)attribute.id > LAST_LAUNCH_ATTRIBUTE) return record(cudaErrorInvalidValue);
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto &size = attribute.val.clusterDim;
    cluster = dim3(size.x, size.y, size.z);
  }
  const Configuration c{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, cooperative, cluster};
  launched_with = config;
  const cudaError_t error = launch_kernel(function, c, arguments);
  launched_with = nullptr;
  return error;
}
}
