#include "launch_record.h"
#include "occupancy.h"

#include <algorithm>

#include "model.h"
#include "model_ptxas.h"
#include "model_settings.h"
#include "state.h"

namespace gpuopt_emu {

static size_t round_up(size_t value, size_t unit) { return unit ? (value + unit - 1) / unit * unit : value; }

size_t static_shared(const Kernel &kernel) {
  const size_t own = kernel.layout->bytes - kernel.layout->gaps;
  return kernel.common_shared ? round_up(own, 16) + common_layout.bytes - common_layout.gaps : own;
}

int registers(const Kernel &kernel) {
  if (modelling) {
    if (model_settings().registers) return (int)model_settings().registers;
    if (const unsigned told = registers_told(kernel)) return (int)told;
  }
  int most = 32;
  const Gpu &g = gpu();
  // Launch bounds hold the device compiler to what lets that many blocks reside.
  if (kernel.max_threads) {
    const int threads = kernel.max_threads * std::max(kernel.min_blocks, 1);
    most = std::min(most, std::max(g.registers_per_sm / std::max(threads, 1) / 8 * 8, 16));
  }
  return std::min(most, g.registers_per_thread);
}

size_t dynamic_shared_limit(const Kernel &kernel) {
  if (kernel.dynamic_limit) return (size_t)kernel.dynamic_limit;
  const size_t all = gpu().shared_per_block;
  const size_t taken = static_shared(kernel);
  return taken < all ? all - taken : 0;
}

int resident_blocks_with(const Kernel &kernel, int threads, size_t shared) {
  const Gpu &g = gpu();
  if (threads > g.threads_per_block) return 0;
  const size_t warps = (size_t)(threads + 31) / 32;
  size_t blocks = std::min((size_t)g.blocks_per_sm, (size_t)g.warps_per_sm / warps);
  const size_t per_warp = (size_t)registers(kernel) * 32, unit = (size_t)g.register_unit;
  const size_t rounded_warps = round_up(warps, (size_t)g.warp_granularity);
  if (g.registers_per_warp) {
    const size_t fit = (size_t)g.registers_per_sm / round_up(per_warp, unit) / (size_t)g.warp_granularity;
    blocks = fit * (size_t)g.warp_granularity < rounded_warps  // a launch is checked as if parts of an SM were equally full
                 ? 0
                 : std::min(blocks, fit * (size_t)g.warp_granularity / warps);
  } else
    blocks = std::min(blocks, (size_t)g.registers_per_sm / round_up(per_warp * rounded_warps, unit));
  if (shared > std::max(g.shared_per_block, g.shared_per_block_optin)) return 0;
  if (shared + g.shared_reserved)
    blocks = std::min(blocks, g.shared_per_sm / round_up(shared + g.shared_reserved, g.shared_unit));
  return (int)blocks;
}

int resident_blocks(const Kernel &kernel, int threads, size_t dynamic_shared) {
  return resident_blocks_with(kernel, threads, static_shared(kernel) + dynamic_shared);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

// An estimate: blocks of a cluster lie on SMs of one part of the GPU (GPC), and GPUs of one kind differ in how many SMs
// their parts have; parts of 16 are taken. Of small blocks an SM gets 8, as an H200 answers.
static int active_clusters(const Kernel &kernel, const cudaLaunchConfig_t &config, unsigned blocks) {
  const dim3 block = config.blockDim;
  const int on_one = resident_blocks(kernel, (int)(block.x * block.y * block.z), config.dynamicSmemBytes);
  const int size = (int)blocks, part = 16, parts = gpu().sms / part, rest = gpu().sms % part;
  return std::min(on_one, 8) * (parts * (part / size) + rest / size);
}

static dim3 cluster_asked(const cudaLaunchConfig_t &config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config.attrs[i];
    const auto &size = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension) return dim3(size.x, size.y, size.z);
  }
  return dim3();
}

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t shared) {
  GPUOPT_EMU_ENTER();
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!blocks || block_size <= 0) return record(cudaErrorInvalidValue);
  *blocks = shared > dynamic_shared_limit(*kernel) ? 0 : resident_blocks(*kernel, block_size, shared);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t shared, unsigned int flags) {
  if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride) return record(cudaErrorInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int block_size) {
  GPUOPT_EMU_ENTER();
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!bytes || blocks <= 0 || block_size <= 0) return record(cudaErrorInvalidValue);
  if (blocks > resident_blocks(*kernel, block_size, 0)) return record(cudaErrorInvalidValue);
  const Gpu &g = gpu();
  const size_t each = g.shared_per_sm / (size_t)blocks / g.shared_unit * g.shared_unit, own = static_shared(*kernel);
  *bytes = each > own ? std::min(each - own, dynamic_shared_limit(*kernel)) : 0;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config) {
  GPUOPT_EMU_ENTER();
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!clusters || !config) return record(cudaErrorInvalidValue);
  const dim3 size = kernel->cluster.x * kernel->cluster.y * kernel->cluster.z > 1 ? kernel->cluster : cluster_asked(*config);
  const unsigned blocks = size.x * size.y * size.z;
  if (!blocks) {  // of clusters of nothing none fits
    *clusters = 0;
    return cudaSuccess;
  }
  if (config->gridDim.x % size.x || config->gridDim.y % size.y || config->gridDim.z % size.z ||
      blocks > largest_cluster(*kernel) || (blocks > 1 && !has_clusters())) return record(cudaErrorInvalidClusterSize);
  *clusters = active_clusters(*kernel, *config, blocks);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config) {
  GPUOPT_EMU_ENTER();
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!size || !config) return record(cudaErrorInvalidValue);
  *size = has_clusters() ? (int)largest_cluster(*kernel) : 1;
  while (*size > 1 && !active_clusters(*kernel, *config, (unsigned)*size)) *size /= 2;
  return cudaSuccess;
}
}
