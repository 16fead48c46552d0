#include "model_registers.h"

#include <map>
#include <mutex>

#include "gpuopt_emu/launch.h"

namespace {
struct Registers {
  std::mutex mutex;
  std::map<const gpuopt_emu::Kernel *, int> mapping, group;  // null: of all kernels
};
}  // namespace

namespace gpuopt_emu {

static Registers &registers_set() {
  static Registers *all = new Registers;
  return *all;
}

static int register_of(const std::map<const Kernel *, int> &values, const Kernel &kernel) {
  auto found = values.find(&kernel);
  if (found == values.end()) found = values.find(nullptr);
  return found == values.end() ? -1 : found->second;
}

Dispatch mapping_of(const Kernel &kernel) {
  std::lock_guard<std::mutex> lock(registers_set().mutex);
  switch (register_of(registers_set().mapping, kernel)) {
    case 0: return Dispatch::round_robin;
    case 1: return Dispatch::rows;
    case 2: return Dispatch::columns;
    default: return Dispatch::unset;
  }
}

unsigned priority_group_of(const Kernel &kernel) {
  std::lock_guard<std::mutex> lock(registers_set().mutex);
  const int warps = register_of(registers_set().group, kernel);
  return warps > 0 ? (unsigned)warps : 0;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

void gpuopt_emu_cta_mapping(const void *kernel, int direction) {
  const Kernel *which = kernel ? kernel_at(kernel) : nullptr;
  std::lock_guard<std::mutex> lock(registers_set().mutex);
  registers_set().mapping[which] = direction;
}

void gpuopt_emu_priority_group(const void *kernel, int warps) {
  const Kernel *which = kernel ? kernel_at(kernel) : nullptr;
  std::lock_guard<std::mutex> lock(registers_set().mutex);
  registers_set().group[which] = warps;
}
}
