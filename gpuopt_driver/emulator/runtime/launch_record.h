// A launch that can be kept, and repeated by a graph.
#ifndef GPUOPT_EMU_LAUNCH_RECORD_H
#define GPUOPT_EMU_LAUNCH_RECORD_H

#include <string.h>

#include <memory>

#include "cuda_runtime_api.h"
#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

// A closure over a kernel's arguments, copied byte by byte, as a GPU's launch copies arguments.
class Closure {
 public:
  Closure() = default;
  Closure(const void *closure, size_t bytes) : bytes_(bytes), memory_(new char[bytes + ALIGNMENT]) {
    memcpy(memory(), closure, bytes);
  }
  Closure(const Closure &other) : Closure(other.memory(), other.bytes_) {}
  Closure &operator=(Closure other) {
    bytes_ = other.bytes_;
    memory_.swap(other.memory_);
    return *this;
  }
  void *memory() const {
    const size_t at = reinterpret_cast<size_t>(memory_.get());
    return reinterpret_cast<void *>((at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }

 private:
  enum { ALIGNMENT = 64 };
  size_t bytes_ = 0;
  std::unique_ptr<char[]> memory_;
};

struct Configuration {
  dim3 grid, block;
  size_t shared;
  void *stream;
  bool cooperative;  // its blocks may wait for each other
  dim3 cluster;      // as the launch asks for it
  bool in_clusters = false;  // whether it asks
  int carveout = -1;         // percent, -1: the kernel's
};

struct Launch {
  Kernel *kernel;
  ThreadLoop loop;
  Closure closure;
  Configuration configuration;
};

// Runs it on the calling OS thread and helpers; its error is pending afterwards.
cudaError_t run_launch(Kernel *kernel, ThreadLoop loop, const void *closure, const Configuration &configuration);
// Runs it when its turn in its stream comes; one that may wait for the program on another OS thread.
void give_launch(const Launch &launch);
bool may_wait(const Kernel &kernel);
extern thread_local const cudaLaunchConfig_t *launched_with;  // the attributes of the launch being made; null: none
// The error where something is no kernel: null, or another address.
inline cudaError_t no_kernel(const void *function) {
  return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}
// Launches as cudaLaunchKernel does.
cudaError_t launch_kernel(const void *function, const Configuration &configuration, void **arguments);
// Calls the kernel with arguments by address, but keeps the launch instead of running it.
cudaError_t record_launch(const void *function, const Configuration &configuration, void **arguments, Launch *launch);

}  // namespace gpuopt_emu

#endif
