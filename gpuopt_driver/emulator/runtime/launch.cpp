// Launches: configurations on their way from <<<>>> to the kernel, their checks, and what the API knows of kernels.
#include "gpuopt_emu/launch.h"

#include <link.h>
#include <map>
#include <mutex>
#include <stdint.h>
#include <thread>
#include <unordered_map>
#include <vector>

#include "check.h"
#include "check_shadow.h"
#include "launch_record.h"
#include "launch_times.h"
#include "model.h"
#include "occupancy.h"
#include "settings.h"
#include "state.h"
#include "streams.h"
#include "turns.h"
#include "worker.h"
#include "os_thread.h"

namespace gpuopt_emu {

__thread const Kernel **asking = nullptr;
SharedLayout common_layout;

// A stack, because a launch's arguments may launch something themselves.
static thread_local OfThread<std::vector<Configuration>> pushed;
static thread_local bool beside_model;   // what a kernel launches is run, but not modelled
thread_local const cudaLaunchConfig_t *launched_with;
static thread_local Launch *recording;  // where the next launch is kept

static std::mutex tails_mutex;
static std::map<const Grid *, std::vector<Launch>> tails;  // what kernels that run have launched to run after them

static std::vector<Launch> take_tail(const Grid &grid) {
  std::lock_guard<std::mutex> lock(tails_mutex);
  const auto found = tails.find(&grid);
  if (found == tails.end()) return {};
  std::vector<Launch> launches = std::move(found->second);
  tails.erase(found);
  return launches;
}

void push_configuration(dim3 grid, dim3 block, size_t shared, void *stream) {
  pushed->push_back(Configuration{grid, block, shared, stream, false, dim3()});
}

// Whether the address lies in a program's or library's code, so that it can be called.
static bool is_code(const void *address) {
  const auto look = [](dl_phdr_info *object, size_t, void *wanted) -> int {
    const uintptr_t at = (uintptr_t)wanted - (uintptr_t)object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto &segment = object->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && at - segment.p_vaddr < segment.p_memsz) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(look, const_cast<void *>(address)) == 1;
}

Kernel *kernel_at(const void *function) {
  static std::mutex mutex;
  static std::unordered_map<const void *, Kernel *> known;
  if (!is_code(function)) return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Kernel *&kernel = known[function];
  if (!kernel) {
    const Kernel *answer = nullptr;
    asking = &answer;
    reinterpret_cast<void (*)()>(const_cast<void *>(function))();
    asking = nullptr;
    kernel = const_cast<Kernel *>(answer);
  }
  return kernel;
}

static unsigned volume(dim3 size) { return size.x * size.y * size.z; }

// The kernel's own cluster, else the launch's.
static dim3 cluster_of(const Kernel &kernel, const Configuration &c) {
  const int *const size = kernel.required_cluster;
  if (size[0] || size[1] || size[2]) return dim3((unsigned)size[0], (unsigned)size[1], (unsigned)size[2]);
  return volume(kernel.cluster) > 1 ? kernel.cluster : c.cluster;
}

static cudaError_t check_cluster(const Kernel &kernel, const Configuration &c) {
  const dim3 cluster = cluster_of(kernel, c), asked = c.cluster;
  const bool is_other = cluster.x != asked.x || cluster.y != asked.y || cluster.z != asked.z;
  if (c.in_clusters && is_other) return cudaErrorInvalidClusterSize;  // than what the kernel is declared with
  if (volume(cluster) == 1) return cudaSuccess;
  if (!has_clusters()) {
    fprintf(stderr, "gpuopt emulator: %s: clusters of blocks need a GPU that has them, such as GPUOPT_EMU_GPU=h200\n",
            kernel.name);
    return cudaErrorNotSupported;
  }
  if (!volume(cluster) || volume(cluster) > largest_cluster(kernel)) return cudaErrorInvalidClusterSize;
  const bool whole = c.grid.x % cluster.x == 0 && c.grid.y % cluster.y == 0 && c.grid.z % cluster.z == 0;
  return whole ? cudaSuccess : cudaErrorInvalidClusterSize;
}

static cudaError_t check(const Kernel &kernel, const Configuration &c) {
  const Gpu &g = gpu();
  const unsigned long long threads = (unsigned long long)c.block.x * c.block.y * c.block.z;
  // Since CUDA 13 all of this is an invalid value; before, what no kernel can have was an invalid configuration.
  if (!c.grid.x || !c.grid.y || !c.grid.z || !threads) return cudaErrorInvalidValue;
  if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535) return cudaErrorInvalidValue;
  if (c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64 || threads > (unsigned)g.threads_per_block)
    return cudaErrorInvalidValue;
  if (kernel.max_threads && threads > (unsigned)kernel.max_threads) return cudaErrorInvalidValue;
  if (c.shared > dynamic_shared_limit(kernel))
    return c.cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue;
  return check_cluster(kernel, c);
}

// Whether each of the kernel's parameters has an argument.
static bool has_arguments(const Kernel &kernel, void *const *arguments) {
  for (unsigned i = 0; i < kernel.parameters; ++i)
    if (!arguments || !arguments[i]) return false;
  return true;
}

// Why a launch by the program cannot be, which ends a capture that it would be part of.
static cudaError_t why_refused(const Kernel &kernel, const Configuration &c) {
  const cudaStream_t stream = static_cast<cudaStream_t>(c.stream);
  if (stream && !stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  const cudaError_t legacy = refuse_legacy(stream);
  if (legacy != cudaSuccess) return legacy;
  const bool is_over = captures_launch(stream) && is_invalid(stream);
  cudaError_t error = is_over ? cudaErrorStreamCaptureInvalidated : check(kernel, c);
  if (error == cudaSuccess && c.cooperative) {
    const unsigned long long blocks = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
    const int fit = resident_blocks(kernel, (int)(c.block.x * c.block.y * c.block.z), c.shared) * gpu().sms;
    if (blocks > (unsigned long long)fit) error = cudaErrorCooperativeLaunchTooLarge;
  }
  if (error != cudaSuccess) invalidate(stream);
  return record(error);
}

void launch_grid(Kernel *kernel, ThreadLoop loop, const void *closure, size_t bytes) {
  if (pushed->empty()) {
    record(cudaErrorMissingConfiguration);
    return;
  }
  const Configuration c = pushed->back();
  pushed->pop_back();
  if (current && c.stream == cudaStreamTailLaunch) {
    const Quiet quiet;
    std::lock_guard<std::mutex> lock(tails_mutex);
    if (check(*kernel, c) == cudaSuccess)
      tails[current->block->grid].push_back(Launch{kernel, loop, Closure(closure, bytes), c});
    return;
  }
  if (current) {
    // The other threads first: on a GPU they have long gone on when the launch takes effect.
    if (!modelling) yield();
    // Launched by a device thread: at once, on an OS thread of its own, since this one is in the middle of a block.
    Task *const task = current->block->grid->task;
    if (check(*kernel, c) == cudaSuccess) std::thread([&] {
      beside_model = true;
      this_task = task;
      run_launch(kernel, loop, closure, c);
    }).join();
    return;
  }
  if (recording) {
    *recording = Launch{kernel, loop, Closure(closure, bytes), c};
    recording = nullptr;
    return;
  }
  if (quiet_state() != cudaSuccess || why_refused(*kernel, c) != cudaSuccess) return;
  if (captures_launch(c.stream)) capture_launch(Launch{kernel, loop, Closure(closure, bytes), c});
  else if (!may_wait(*kernel) && !any_unfinished()) run_launch(kernel, loop, closure, c);
  else give_launch(Launch{kernel, loop, Closure(closure, bytes), c});
}

bool may_wait(const Kernel &kernel) { return kernel.may_wait; }

void give_launch(const Launch &launch) {
  const auto work = [launch] {
    return run_launch(launch.kernel, launch.loop, launch.closure.memory(), launch.configuration);
  };
  give_work(static_cast<cudaStream_t>(launch.configuration.stream), work, Beside{may_wait(*launch.kernel), 0});
}

cudaError_t record_launch(const void *function, const Configuration &configuration, void **arguments, Launch *launch) {
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return no_kernel(function);
  const cudaError_t error = check(*kernel, configuration);
  if (error != cudaSuccess) return error;
  if (!has_arguments(*kernel, arguments)) return cudaErrorInvalidValue;
  recording = launch;
  push_configuration(configuration.grid, configuration.block, configuration.shared, configuration.stream);
  kernel->call(const_cast<void *>(function), arguments);
  return cudaSuccess;
}

cudaError_t run_launch(Kernel *kernel, ThreadLoop loop, const void *closure, const Configuration &c) {
  Grid grid;
  grid.kernel = kernel;
  grid.fast = checking ? unchecked_loop(loop) : nullptr;
  grid.closure = closure;
  grid.size = c.grid;
  grid.block = c.block;
  grid.stream = c.stream;
  grid.threads = c.block.x * c.block.y * c.block.z;
  grid.static_shared = kernel->layout->bytes;
  grid.dynamic_shared = c.shared;
  grid.blocks = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
  static std::atomic<unsigned long long> launches{0};
  grid.number = ++launches;
  grid.task = this_task;
  grid.cooperative = c.cooperative;
  grid.cluster = cluster_of(*kernel, c);
  grid.cluster_blocks = volume(grid.cluster);
  grid.carveout = c.carveout;
  grid.next = grid.finished = grid.arrived = 0;
  grid.phase = 0;
  grid.error = 0;
  grid.surveyed = 0;
  const bool model = modelling && !beside_model && is_to_be_modelled(grid) && take_turn(grid);
  grid.loop = checking || model ? checked_loop(*kernel, loop) : loop;
  grid.exact = checking || model;
  const LaunchTime time(*kernel);
  if (checking) check_grid(grid);
  if (model) {
    run_modelled(grid, loop);
    end_turn();
  } else {
    run_grid(grid);
  }
  const bool before = beside_model;
  beside_model = true;
  for (const Launch &next : take_tail(grid)) run_launch(next.kernel, next.loop, next.closure.memory(), next.configuration);
  beside_model = before;
  if (grid.error) set_broken((cudaError_t)grid.error.load());
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

namespace gpuopt_emu {

cudaError_t launch_kernel(const void *function, const Configuration &c, void **arguments) {
  const Kernel *kernel = kernel_at(function);
  if (!kernel) return record(no_kernel(function));
  if (!current) {  // what a kernel launches is looked at where it is launched
    const cudaError_t error = why_refused(*kernel, c);
    if (error != cudaSuccess) return error;
  }
  if (!has_arguments(*kernel, arguments)) return record(cudaErrorInvalidValue);
  pushed->push_back(c);
  kernel->call(const_cast<void *>(function), arguments);
  return cudaSuccess;
}

}  // namespace gpuopt_emu

extern "C" {

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  return launch_kernel(function, Configuration{grid, block, shared, stream, false, dim3()}, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  return launch_kernel(function, Configuration{grid, block, shared, stream, true, dim3()}, arguments);
}
}
