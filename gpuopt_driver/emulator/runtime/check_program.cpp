// What the program's objects say of themselves: instrumented twins of functions, variables, the places of calls.
#include <algorithm>
#include <cxxabi.h>
#include <stdlib.h>
#include <unwind.h>
#include <vector>

#include "check_block.h"
#include "settings.h"

namespace {
struct Call {
  const char *returns_to;
  const gpuopt_emu::Spot *place;
};
struct Variable {
  const char *address;
  size_t bytes;
  const char *name;
  size_t space;  // 0: __device__, 1: __constant__, 2: __managed__
};
struct Twin {
  const void *function, *twin;
};
}  // namespace

extern "C" {
// Tables that the linker joins; see gpuopt_driver/emulator/instrument.py.
#define GPUOPT_EMU_TABLE(type, name)                                                      \
  extern const type __start_##name[] __attribute__((weak, visibility("hidden")));         \
  extern const type __stop_##name[] __attribute__((weak, visibility("hidden")));
GPUOPT_EMU_TABLE(Call, gpuopt_emu_calls)
GPUOPT_EMU_TABLE(Variable, gpuopt_emu_variables)
GPUOPT_EMU_TABLE(Twin, gpuopt_emu_twins)
#undef GPUOPT_EMU_TABLE
const void *gpuopt_emu_twin_of(const void *function);
}

namespace gpuopt_emu {

const void *twin_of(const void *function) {
  static const std::vector<Twin> twins = [] {
    std::vector<Twin> all(__start_gpuopt_emu_twins, __stop_gpuopt_emu_twins);
    std::sort(all.begin(), all.end(), [](const Twin &a, const Twin &b) { return a.function < b.function; });
    return all;
  }();
  const auto found = std::lower_bound(twins.begin(), twins.end(), function,
                                      [](const Twin &twin, const void *wanted) { return twin.function < wanted; });
  return found != twins.end() && found->function == function ? found->twin : nullptr;
}

void each_variable(const std::function<void(const char *address, size_t bytes, const std::string &name, size_t space)> &visit) {
  for (const Variable *item = __start_gpuopt_emu_variables; item < __stop_gpuopt_emu_variables; ++item) {
    char *const name = abi::__cxa_demangle(item->name, nullptr, nullptr, nullptr);
    visit(item->address, item->bytes, name ? name : item->name, item->space);
    free(name);
  }
}

bool variable_at(uintptr_t address, Where *where) {
  for (const Variable *item = __start_gpuopt_emu_variables; item < __stop_gpuopt_emu_variables; ++item) {
    if (address - (uintptr_t)item->address >= item->bytes) continue;
    static const char *const kinds[] = {"global memory", "constant memory", "managed memory"};
    where->kind = kinds[item->space];
    char *const name = abi::__cxa_demangle(item->name, nullptr, nullptr, nullptr);
    where->array = name ? name : item->name;
    free(name);
    where->bytes = item->bytes;
    where->offset = (long long)(address - (uintptr_t)item->address);
    where->is_known = true;
    return true;
  }
  return false;
}

ThreadLoop checked_loop(const Kernel &kernel, ThreadLoop loop) {
  const void *twin = twin_of(reinterpret_cast<const void *>(loop));
  for (const Twin *item = __start_gpuopt_emu_twins; !twin && item < __stop_gpuopt_emu_twins; ++item)
    if (item->twin == reinterpret_cast<const void *>(loop)) twin = item->twin;  // launched by a kernel
  if (!twin)
    fatal("GPUOPT_EMU_MODE=%s: %s was built without code for it; build it with g++, without -flto, and not with "
          "GPUOPT_EMU_MODE=fast", checking ? "check" : "model", kernel.name);
  return reinterpret_cast<ThreadLoop>(const_cast<void *>(twin));
}

ThreadLoop unchecked_loop(ThreadLoop loop) {
  if (twin_of(reinterpret_cast<const void *>(loop))) return loop;
  for (const Twin *item = __start_gpuopt_emu_twins; item < __stop_gpuopt_emu_twins; ++item)
    if (item->twin == reinterpret_cast<const void *>(loop))
      return reinterpret_cast<ThreadLoop>(const_cast<void *>(item->function));
  return nullptr;
}

// The place of the call in the program that led here.
const Spot *calling_place() {
  const Spot *found = nullptr;
  const auto look = [](_Unwind_Context *context, void *data) -> _Unwind_Reason_Code {
    static const std::vector<Call> calls = [] {
      std::vector<Call> all(__start_gpuopt_emu_calls, __stop_gpuopt_emu_calls);
      std::sort(all.begin(), all.end(), [](const Call &a, const Call &b) { return a.returns_to < b.returns_to; });
      return all;
    }();
    const char *at = reinterpret_cast<const char *>(_Unwind_GetIP(context));
    const auto call = std::lower_bound(calls.begin(), calls.end(), at,
                                       [](const Call &item, const char *wanted) { return item.returns_to < wanted; });
    if (call == calls.end() || call->returns_to != at) return _URC_NO_REASON;
    *static_cast<const Spot **>(data) = call->place;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &found);
  return found;
}

}  // namespace gpuopt_emu

const void *gpuopt_emu_twin_of(const void *function) {
  const void *twin = gpuopt_emu::twin_of(function);
  return twin ? twin : function;
}
