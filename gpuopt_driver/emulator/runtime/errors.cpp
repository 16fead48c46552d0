// Error codes and their names; the error of the calling thread and the one that ended the device.
#include <atomic>

#include "settings.h"
#include "state.h"

namespace gpuopt_emu {

static thread_local cudaError_t last = cudaSuccess;
static thread_local unsigned host_functions;   // that the thread is in
static std::atomic<int> broken{cudaSuccess};   // the first error of a kernel
static std::atomic<bool> noticed{false};       // and whether a call has returned it

cudaError_t &last_error() { return last; }

cudaError_t record(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

void set_broken(cudaError_t error) {
  int none = cudaSuccess;
  broken.compare_exchange_strong(none, error);
}

void repair() {
  broken = cudaSuccess;
  noticed = false;
  last = cudaSuccess;
}

bool has_failed() { return broken.load(std::memory_order_relaxed) != cudaSuccess; }

HostFunction::HostFunction() : last_(last) {
  ++host_functions;
  last = cudaSuccess;
}
HostFunction::~HostFunction() {
  --host_functions;
  last = last_;
}

cudaError_t quiet_state() {
  settings();
  if (!runtime_used) runtime_is_used();
  if (__builtin_expect(host_functions, 0)) return record(cudaErrorNotPermitted);
  if (!noticed.load(std::memory_order_relaxed)) return cudaSuccess;
  return record((cudaError_t)broken.load(std::memory_order_relaxed));
}

cudaError_t state() {
  if (broken.load(std::memory_order_relaxed) != cudaSuccess) noticed = true;
  return quiet_state();
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGetLastError(void) {
  settings();
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

const char *cudaGetErrorName(cudaError_t error) {
  switch ((int)error) {
#define GPUOPT_ERROR(name, value, text) \
  case value:                           \
    return value ? "cudaError" #name : "cudaSuccess";
#include "gpuopt_emu/errors.def"
#undef GPUOPT_ERROR
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch ((int)error) {
#define GPUOPT_ERROR(name, value, text) \
  case value:                           \
    return text;
#include "gpuopt_emu/errors.def"
#undef GPUOPT_ERROR
  }
  return "unrecognized error code";
}
}
