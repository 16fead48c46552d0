// What the API knows of kernels: attributes, names, parameters.
#include <string>
#include <string.h>

#include "launch_record.h"
#include "occupancy.h"
#include "state.h"
#include "os_thread.h"

namespace gpuopt_emu {

void describe(Kernel *kernel, const Facts &facts, int loads, const char *name, const dim3 &cluster, int max_threads, int min_blocks) {
  kernel->call = facts.call;
  kernel->parameter_bytes = facts.parameter_bytes;
  kernel->parameter_units = facts.parameter_units;
  kernel->parameters = facts.parameters;
  kernel->layout = facts.layout;
  kernel->common_shared = facts.common_shared;
  kernel->max_threads = max_threads;
  kernel->min_blocks = min_blocks;
  kernel->cluster = cluster;
  kernel->symbol = facts.symbol ? facts.symbol->name() : nullptr;
  kernel->loads = loads;
  kernel->name = name;  // last: it says that the rest is there
}

bool attributes_of(const void *function, cudaFuncAttributes &attributes) {
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return false;
  const Gpu &g = gpu();
  attributes = cudaFuncAttributes();
  attributes.sharedSizeBytes = static_shared(*kernel);
  attributes.maxThreadsPerBlock = kernel->max_threads ? kernel->max_threads : g.threads_per_block;
  attributes.numRegs = registers(*kernel);
  attributes.ptxVersion = attributes.binaryVersion = 10 * g.major + g.minor;
  attributes.maxDynamicSharedSizeBytes = (int)dynamic_shared_limit(*kernel);
  attributes.preferredShmemCarveout = kernel->carveout - 1;
  const dim3 own = kernel->cluster;
  const bool declared = own.x * own.y * own.z > 1;
  attributes.clusterDimMustBeSet = declared;
  attributes.requiredClusterWidth = declared ? (int)own.x : kernel->required_cluster[0];
  attributes.requiredClusterHeight = declared ? (int)own.y : kernel->required_cluster[1];
  attributes.requiredClusterDepth = declared ? (int)own.z : kernel->required_cluster[2];
  attributes.clusterSchedulingPolicyPreference = kernel->cluster_policy;
  attributes.nonPortableClusterSizeAllowed = kernel->large_clusters;
  return true;
}

unsigned largest_cluster(const Kernel &kernel) { return kernel.large_clusters ? CLUSTER : 8; }

// The compiler's name of the kernel, out of that of a pointer to a type in it: PZ<name>E17gpuopt_emu_kernel and perhaps a number.
static std::string symbol_of(const Kernel &kernel) {
  const std::string local = kernel.symbol ? kernel.symbol : "";
  const size_t end = local.rfind("E17gpuopt_emu_kernel");
  if (local.compare(0, 2, "PZ") != 0 || end == std::string::npos) return kernel.name;
  std::string name = local.substr(2, end - 2);
  if (name[0] == 'L') name.erase(0, 1);  // nvcc's kernels are never of one file alone
  const size_t digits = name.find_first_not_of("0123456789");  // extern "C": a length and no parameters after the name
  if (digits && digits != std::string::npos && digits + std::stoul(name) == name.size()) return name.substr(digits);
  return "_Z" + name;
}

size_t parameter_offset(const Kernel &kernel, unsigned number) {
  size_t at = 0;
  for (unsigned i = 0;; ++i) {
    at = (at + kernel.parameter_units[i] - 1) / kernel.parameter_units[i] * kernel.parameter_units[i];
    if (i == number) return at;
    at += kernel.parameter_bytes[i];
  }
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  GPUOPT_EMU_ENTER();
  if (!attributes) return record(cudaErrorInvalidValue);
  return attributes_of(function, *attributes) ? cudaSuccess : record(no_kernel(function));
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  GPUOPT_EMU_ENTER();
  Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || (size_t)value + static_shared(*kernel) > gpu().shared_per_block_optin)
        return record(cudaErrorInvalidValue);
      kernel->dynamic_limit = value ? value : 1;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return record(cudaErrorInvalidValue);
      kernel->carveout = value + 1;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (value < 0) return record(cudaErrorInvalidValue);
      if (kernel->cluster.x * kernel->cluster.y * kernel->cluster.z > 1) return record(cudaErrorInvalidValue);
      kernel->required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed: kernel->large_clusters = value != 0; return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      if (value < 0 || value > 2) return record(cudaErrorInvalidValue);
      kernel->cluster_policy = value;
      return cudaSuccess;
    default: return record(cudaErrorInvalidValue);
  }
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache config) {
  GPUOPT_EMU_ENTER();
  Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if ((unsigned)config > cudaFuncCachePreferEqual) return record(cudaErrorInvalidValue);
  kernel->cache_config = config;
  return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, cudaSharedMemConfig) {
  GPUOPT_EMU_ENTER();
  return kernel_at(function) ? cudaSuccess : record(no_kernel(function));
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  GPUOPT_EMU_ENTER();
  if (!name) return record(cudaErrorInvalidValue);
  Kernel *const kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  static thread_local OfThread<std::string> last;  // as long as the next call
  *last = symbol_of(*kernel);
  *name = last->c_str();
  return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t number, size_t *offset, size_t *bytes) {
  GPUOPT_EMU_ENTER();
  const Kernel *const kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!offset || number >= kernel->parameters) return record(cudaErrorInvalidValue);
  *offset = parameter_offset(*kernel, (unsigned)number);
  if (bytes) *bytes = kernel->parameter_bytes[number];
  return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  GPUOPT_EMU_ENTER();
  if (!kernel_at(symbol)) return record(cudaErrorInvalidDeviceFunction);
  if (function) *function = reinterpret_cast<cudaFunction_t>(const_cast<void *>(symbol));
  return cudaSuccess;
}
}
