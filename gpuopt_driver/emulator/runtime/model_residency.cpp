// How many blocks of a kernel a multiprocessor holds, and what is left to L1.
#include <algorithm>

#include "model_launch.h"
#include "model_settings.h"
#include "model_smm.h"
#include "occupancy.h"
#include "state.h"

namespace gpuopt_emu {

static size_t rounded(size_t value, size_t unit) { return unit ? (value + unit - 1) / unit * unit : value; }

// The shared memory that the driver configures, as measured on an H200 and, without reserved bytes per block, as the
// programming guides say: a wish of the kernel counts as far as one block fits; without one the blocks that fit count.
static size_t configuration_of(const Grid &grid, const ModelFigures &figures, size_t each, unsigned resident) {
  const Gpu &g = gpu();
  const bool measured = g.shared_reserved != 0, uses = each > g.shared_reserved;
  const size_t usual = measured ? std::min(figures.default_configuration, (size_t)resident * 4096) : figures.default_configuration;
  size_t wanted;
  const int kernels = grid.kernel->carveout ? grid.kernel->carveout - 1 : model_settings().carveout;
  const int percent = grid.carveout >= 0 ? grid.carveout : kernels;
  const bool prefers_l1 = grid.kernel->cache_config == cudaFuncCachePreferL1;
  if (percent >= 0) wanted = std::max(g.shared_per_sm * (size_t)percent / 100, uses || !measured ? each : usual);
  else if (prefers_l1) wanted = std::max(each, measured && !uses ? usual : 0);
  else if (grid.kernel->cache_config == cudaFuncCachePreferShared) wanted = g.shared_per_sm;
  else wanted = std::max(usual, each * resident * (measured && uses ? 2 : 1));
  for (unsigned i = 0; i < figures.configurations; ++i)
    if (figures.configuration[i] >= wanted) return figures.configuration[i];
  return figures.configuration[figures.configurations - 1];
}

Residency residency_of(const Grid &grid, const ModelFigures &figures) {
  const Gpu &g = gpu();
  Residency r = {};
  r.registers = (unsigned)registers(*grid.kernel);
  r.blocks = (unsigned)std::max(1, resident_blocks(*grid.kernel, (int)grid.threads, grid.dynamic_shared));
  const size_t warps = (grid.threads + 31) / 32;
  const size_t own = static_shared(*grid.kernel) + grid.dynamic_shared;
  const size_t each = own + g.shared_reserved ? rounded(own + g.shared_reserved, g.shared_unit) : 0;
  if (r.blocks == (unsigned)g.blocks_per_sm) r.limiter = "blocks";
  else if (r.blocks == (size_t)g.warps_per_sm / warps) r.limiter = "warps";
  else if (each && r.blocks == g.shared_per_sm / each) r.limiter = "shared";
  else r.limiter = "registers";
  r.shared_bytes = configuration_of(grid, figures, each, r.blocks);
  if (each > g.shared_reserved && r.shared_bytes / each < r.blocks) {
    r.blocks = (unsigned)std::max((size_t)1, r.shared_bytes / each);
    r.limiter = "shared";
  }
  const SharedParts parts = shared_parts_of(*grid.kernel);
  if (parts.dynamic) {
    const unsigned blocks = blocks_with_smm(grid, parts, r);
    if (blocks == r.blocks + model_settings().more_blocks) r.limiter = "threshold";
    r.blocks = blocks;
  }
  if ((grid.blocks + (unsigned)g.sms - 1) / (unsigned)g.sms < r.blocks) r.limiter = "grid";
  r.l1_bytes = figures.unified ? std::min(figures.l1_capacity, figures.unified_bytes - std::min(figures.unified_bytes, r.shared_bytes))
                               : figures.l1_capacity;
  return r;
}

}  // namespace gpuopt_emu
