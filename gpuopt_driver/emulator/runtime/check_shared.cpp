// The shadow of blocks' shared memory, and its variables by name.
#include <map>
#include <stdlib.h>
#include <string.h>

#include "check_block.h"

namespace gpuopt_emu {

namespace {
struct SharedVariable {
  unsigned offset;
  size_t bytes;
  std::string name;
};
}  // namespace

static std::map<const void *, std::vector<SharedVariable>> &shared_variables() {
  static auto *all = new std::map<const void *, std::vector<SharedVariable>>;  // used before main
  return *all;
}

unsigned check_shared_variable(const void *layout, unsigned offset, size_t bytes, const char *name) {
  const char *mode = getenv("GPUOPT_EMU_MODE");
  if (!mode || strcmp(mode, "check") != 0) return 0;
  // The name is the end of the tag's: ...gpuopt_emu_s<number>_<number>_<name>
  std::string text = name;
  const size_t tag = text.rfind("gpuopt_emu_s");
  size_t at = tag == std::string::npos ? text.size() : text.find('_', tag + 12);
  at = at == std::string::npos ? at : text.find('_', at + 1);
  text = at == std::string::npos || at >= text.size() ? "" : text.substr(at + 1);
  text = text.substr(0, text.find_first_of(";],<> "));
  shared_variables()[layout].push_back(SharedVariable{offset, bytes, text});
  return 16;
}

void set_up_shared(Block *block, More *more) {
  BlockCheck *check = block->check;
  const Grid *grid = block->grid;
  check->shared = (uintptr_t)block->shared;
  check->shared_bytes = block->shared_bytes;
  const size_t bits = block->shared_bytes / 8 + 8;
  if (more->layout != grid->kernel->layout || more->dynamic_bytes != grid->dynamic_shared || more->window != block->shared_bytes) {
    more->layout = grid->kernel->layout;
    more->dynamic_bytes = grid->dynamic_shared;
    more->window = block->shared_bytes;
    more->allowed.assign(bits, 0);
    more->written.assign(bits, 0);
    if (more->cells.size() < block->shared_bytes / 4 + 4) more->cells.assign(block->shared_bytes / 4 + 4, Cell());
    if (more->fine.size() < block->shared_bytes + 16) more->fine.assign(block->shared_bytes + 16, Cell());
    const auto allow = [&](const void *layout, const char *base) {
      for (const SharedVariable &item : shared_variables()[layout])
        set_range(more->allowed.data(), (size_t)(base - block->shared) + item.offset, item.bytes, true);
    };
    allow(grid->kernel->layout, block->shared);
    allow(&common_layout, block->common_shared);
    set_range(more->allowed.data(), (size_t)(block->dynamic_shared - block->shared), grid->dynamic_shared, true);
  } else {
    memset(more->written.data(), 0, bits);
  }
  check->shared_written = more->written.data();
  check->shared_allowed = more->allowed.data();
  check->shared_cells = more->cells.data();
}

Where where_in_shared(const Block *block, uintptr_t address) {
  Where where = {};
  where.kind = "shared memory";
  const Grid *grid = block->grid;
  const uintptr_t dynamic = (uintptr_t)block->dynamic_shared;
  const SharedVariable *best = nullptr;
  uintptr_t best_start = 0;
  const auto look = [&](const void *layout, const char *base) {
    for (const SharedVariable &item : shared_variables()[layout]) {
      const uintptr_t start = (uintptr_t)base + item.offset;
      if (start <= address && start >= best_start) best = &item, best_start = start;
    }
  };
  look(grid->kernel->layout, block->shared);
  if (address >= (uintptr_t)block->common_shared) look(&common_layout, block->common_shared);
  where.is_known = true;
  if (grid->dynamic_shared && address >= dynamic && dynamic >= best_start) {
    where.array = "dynamic shared memory";
    where.bytes = grid->dynamic_shared;
    where.offset = (long long)(address - dynamic);
  } else if (best) {
    where.array = best->name;
    where.bytes = best->bytes;
    where.offset = (long long)(address - best_start);
  } else {
    where.offset = (long long)(address - (uintptr_t)block->shared);
  }
  return where;
}

}  // namespace gpuopt_emu
