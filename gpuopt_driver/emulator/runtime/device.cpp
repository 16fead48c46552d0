// The device: one GPU, with the figures of the one that was chosen.
#include <atomic>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "background.h"
#include "settings.h"
#include "state.h"

// The GPU that the program was built for: every object compiled from a CUDA source has it.
extern "C" __attribute__((weak)) const char gpuopt_emu_default_gpu[];

namespace gpuopt_emu {

static const Gpu &choose() {
  const char *name = getenv("GPUOPT_EMU_GPU");
  const bool asked = name && *name;
  if (!asked) name = gpuopt_emu_default_gpu ? gpuopt_emu_default_gpu : "titan-v";
  std::string all;
  for (unsigned i = 0; i < gpu_count; ++i) {
    if (!strcmp(gpus[i].name, name)) return gpus[i];
    all += all.empty() ? "" : ", ";
    all += gpus[i].name;
  }
  fatal("%s%s: there is no such GPU; known: %s", asked ? "GPUOPT_EMU_GPU=" : "", name, all.c_str());
}

const Gpu &gpu() {
  static const Gpu &chosen = choose();
  return chosen;
}

static unsigned flags;
static std::atomic<unsigned long long> resets;
static size_t limits[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
static cudaFuncCache cache_config;
static cudaSharedMemConfig bank_config;

unsigned long long device_resets() { return resets.load(std::memory_order_relaxed); }

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  GPUOPT_EMU_ENTER();
  if (!count) return record(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  GPUOPT_EMU_ENTER();
  return device == 0 ? cudaSuccess : record(cudaErrorInvalidDevice);
}
cudaError_t cudaGetDevice(int *device) {
  GPUOPT_EMU_ENTER();
  if (!device) return record(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned int value) {
  GPUOPT_EMU_ENTER();
  flags = value;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned int *value) {
  GPUOPT_EMU_ENTER();
  *value = flags;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) {
  join_all();
  return state();
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(void) {
  join_all();
  repair();
  resets.fetch_add(1, std::memory_order_relaxed);
  return cudaSuccess;
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  GPUOPT_EMU_ENTER();
  if ((unsigned)limit >= 7) return record(cudaErrorInvalidValue);
  limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  GPUOPT_EMU_ENTER();
  if ((unsigned)limit >= 7) return record(cudaErrorInvalidValue);
  *value = limits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  GPUOPT_EMU_ENTER();
  cache_config = config;
  return cudaSuccess;
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  GPUOPT_EMU_ENTER();
  *config = cache_config;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  GPUOPT_EMU_ENTER();
  bank_config = config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  GPUOPT_EMU_ENTER();
  *config = bank_config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  GPUOPT_EMU_ENTER();
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  GPUOPT_EMU_ENTER();
  if (device != 0) return record(cudaErrorInvalidDevice);
  snprintf(text, (size_t)size, "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  GPUOPT_EMU_ENTER();
  if (!device || !text) return record(cudaErrorInvalidValue);
  if (strcmp(text, "0000:00:00.0") != 0) return record(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}
// There is one device, and a device is not its own peer.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  GPUOPT_EMU_ENTER();
  if (device || peer) return record(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  return record(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return record(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) { return record(cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int *, int) { return state(); }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return state(); }
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int, unsigned long long,
                                             cudaDriverEntryPointQueryResult *result) {
  GPUOPT_EMU_ENTER();
  if (!symbol || !function) return record(cudaErrorInvalidValue);
  *function = driver_function(symbol);
  if (!*function) *function = dlsym(RTLD_DEFAULT, symbol);
  if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *function || result ? cudaSuccess : record(cudaErrorSymbolNotFound);
}
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, result);
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart(void) { return state(); }
cudaError_t cudaProfilerStop(void) { return state(); }
}
