// What programs may set of the device: limits, caches, banks, flags. They are remembered as an H200's driver remembers them.
#include <algorithm>

#include "state.h"
#include "streams.h"

namespace gpuopt_emu {
namespace {

constexpr unsigned SCHEDULES = cudaDeviceScheduleMask, FLAGS = SCHEDULES | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
constexpr size_t STACK = 512 << 10, LEAST_HEAP = 4 << 20;  // bytes

unsigned flags = cudaDeviceMapHost;
cudaFuncCache cache_config;

// The part of L2 that persisting lines may take is counted in sixteenths.
size_t sixteenth() { return gpu().l2_reported / 16; }

struct Limits {
  size_t value[7] = {1024, (size_t)gpu().sms << 16, 8 << 20, 2, 2048, 64, has_clusters() ? 3 * sixteenth() : 0};
};
Limits &limits() {
  static Limits all;
  return all;
}

}  // namespace
}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaSetDeviceFlags(unsigned int value) {
  GPUOPT_EMU_ENTER();
  const unsigned schedule = value & SCHEDULES;
  if (value & ~FLAGS || schedule & (schedule - 1)) return record(cudaErrorInvalidValue);
  flags = value | cudaDeviceMapHost;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned int *value) {
  GPUOPT_EMU_ENTER();
  if (!value) return record(cudaErrorInvalidValue);
  *value = flags;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  GPUOPT_EMU_ENTER();
  if ((unsigned)limit >= 7) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  if (limit == cudaLimitDevRuntimeSyncDepth && gpu().major >= 9) return record(cudaErrorUnsupportedLimit);
  if (limit == cudaLimitStackSize && value > STACK) return record(cudaErrorInvalidValue);
  if (limit == cudaLimitMaxL2FetchGranularity && value > 128) return record(cudaErrorInvalidValue);
  if (limit == cudaLimitMallocHeapSize) value = std::max(value, LEAST_HEAP);
  if (limit == cudaLimitPersistingL2CacheSize) value = (value + sixteenth() - 1) / sixteenth() * sixteenth();
  limits().value[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  GPUOPT_EMU_ENTER();
  if (!value || (unsigned)limit >= 7) return record(cudaErrorInvalidValue);
  *value = limits().value[limit];
  return cudaSuccess;
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return state(); }

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  GPUOPT_EMU_ENTER();
  if ((unsigned)config > cudaFuncCachePreferEqual) return record(cudaErrorInvalidValue);
  cache_config = config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  GPUOPT_EMU_ENTER();
  if (!config) return record(cudaErrorInvalidValue);
  *config = cache_config;
  return cudaSuccess;
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }

// Banks of 8 bytes were Kepler's; other GPUs accept the wish and keep theirs of 4.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  GPUOPT_EMU_ENTER();
  return (unsigned)config > cudaSharedMemBankSizeEightByte ? record(cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  GPUOPT_EMU_ENTER();
  if (!config) return record(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  GPUOPT_EMU_ENTER();
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
}
