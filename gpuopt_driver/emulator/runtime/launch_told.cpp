// What kernels tell of their arguments when they are called, for the nodes of graphs that capture them.
#include <unwind.h>

#include <vector>

#include "graph.h"
#include "streams.h"
#include "os_thread.h"

namespace gpuopt_emu {

namespace {
// Of the launch that this OS thread is about to make, or of one before it whose stream did not capture.
struct ToldLast {
  void *caller;
  std::vector<const void *> arguments;
};
}  // namespace
static thread_local OfThread<ToldLast> last_told;

__attribute__((noinline)) void tell(std::initializer_list<const void *> arguments) {
  if (!captures.load(std::memory_order_relaxed)) return;
  last_told->caller = __builtin_return_address(0);
  last_told->arguments.assign(arguments.begin(), arguments.end());
}

void keep_told(CUgraphNode_st *node) {
  if (!last_told->caller) return;
  void *const function = _Unwind_FindEnclosingFunction(last_told->caller);
  last_told->caller = nullptr;
  if (kernel_at(function) != node->launch.kernel) return;
  node->function = function;
  keep_arguments(*node, last_told->arguments.data());
}

}  // namespace gpuopt_emu
