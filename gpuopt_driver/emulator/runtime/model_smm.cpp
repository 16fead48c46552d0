#include "model_smm.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "driver_types.h"
#include "model.h"
#include "model_launch.h"
#include "model_settings.h"
#include "occupancy.h"
#include "state.h"

namespace gpuopt_emu {

namespace {
struct KnownParts {
  std::mutex mutex;
  std::map<const Kernel *, SharedParts> parts;
};
}  // namespace

static KnownParts &known_parts() {
  static KnownParts *all = new KnownParts;
  return *all;
}

SharedParts shared_parts_of(const Kernel &kernel) {
  std::lock_guard<std::mutex> lock(known_parts().mutex);
  const auto found = known_parts().parts.find(&kernel);
  const bool dynamic = found != known_parts().parts.end() && model_settings().more_blocks;
  return dynamic ? found->second : SharedParts{false, 0, 0};
}

unsigned blocks_with_smm(const Grid &grid, const SharedParts &parts, const Residency &statically) {
  const size_t own = parts.own, room = statically.shared_bytes > parts.taken ? statically.shared_bytes - parts.taken : 0;
  const size_t others = (size_t)std::max(1, resident_blocks_with(*grid.kernel, (int)grid.threads, 0));
  size_t blocks = std::min((size_t)statically.blocks + model_settings().more_blocks, others);
  if (own) blocks = std::min(blocks, room / own);
  return (unsigned)std::max(blocks, (size_t)1);
}

void SharedTable::set_up(size_t capacity, size_t owned) {
  entries_.clear();
  capacity_ = capacity;
  owned_ = owned;
}

bool SharedTable::take(const ModelBlock *block, size_t bytes, unsigned *start) {
  size_t from = owned_;
  auto at = entries_.begin();
  for (; at != entries_.end() && at->start - from < bytes; ++at) from = at->start + at->bytes;
  if (at == entries_.end() && capacity_ - from < bytes) return false;
  entries_.insert(at, Entry{block, from, bytes});
  *start = (unsigned)from;
  return true;
}

void SharedTable::give_back(const ModelBlock *block) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [=](const Entry &entry) { return entry.block == block; }),
                 entries_.end());
}

// Of a lane that comes to the barrier; what is asked for counts where all have come.
void ask_for_shared(int op, unsigned base, unsigned bytes) {
  ModelBlock *block = current->block->model;
  if (!op) return;
  block->asks = op;
  block->asked_bytes = bytes;
  if (!block->managed) return;
  if (op != 1 && op != -1) fail(cudaErrorInvalidValue, "__syncthreads(%d, ...): expected 1, -1 or 0", op);
  if (op == 1 && block->holds_shared) fail(cudaErrorInvalidValue, "__syncthreads(1, ...): the block holds shared memory already");
  if (op == -1 && (!block->holds_shared || base != block->base))
    fail(cudaErrorInvalidValue, "__syncthreads(-1, ...): the block holds no shared memory at %u", base);
  if (op == 1 && bytes > block->takes)
    fail(cudaErrorInvalidValue, "__syncthreads(1, ..., %u): the kernel takes %zu bytes at most", bytes, block->takes);
}

unsigned shared_base_of(const Block *block) { return block->model->base; }

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" void gpuopt_emu_shared_parts(const void *kernel, unsigned own, unsigned taken) {
  const Kernel *which = kernel_at(kernel);
  if (!which) return;
  std::lock_guard<std::mutex> lock(known_parts().mutex);
  known_parts().parts[which] = SharedParts{taken != 0, own, taken};
  if (!taken) known_parts().parts.erase(which);
}
