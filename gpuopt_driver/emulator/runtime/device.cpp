// The device: one GPU, with the figures of the one that was chosen.
#include <atomic>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "background.h"
#include "pools.h"
#include "settings.h"
#include "state.h"
#include "streams.h"

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

static std::atomic<unsigned long long> resets;

unsigned long long device_resets() { return resets.load(std::memory_order_relaxed); }

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  settings();
  if (!count) return record(cudaErrorInvalidValue);  // and no other error: no context is asked, which may be lost
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
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted) {
  return wanted ? cudaGetDevice(device) : record(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceSynchronize(void) {
  const cudaError_t refused = refuse_any_capture();
  if (refused != cudaSuccess) return refused;
  join_all();
  pools_waited();
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
static const char the_bus[] = "0000:00:00.0";
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  GPUOPT_EMU_ENTER();
  if (!text || size < (int)sizeof the_bus) return record(cudaErrorInvalidValue);
  if (device != 0) return record(cudaErrorInvalidDevice);
  strcpy(text, the_bus);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  GPUOPT_EMU_ENTER();
  unsigned domain, bus, number;  // 0000:00:00.0, 0000:00:00 or 00:00.0
  if (!device || !text || (sscanf(text, "%x:%x:%x", &domain, &bus, &number) != 3 && sscanf(text, "%x:%x.%x", &bus, &number, &domain) != 3))
    return record(cudaErrorInvalidValue);
  if (strcmp(text, the_bus) != 0 && strcmp(text, the_bus + 5) != 0) return record(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}
// There is one device, and a device is not its own peer.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  GPUOPT_EMU_ENTER();
  if (!can) return record(cudaErrorInvalidValue);
  if (device || peer) return record(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return record(flags ? cudaErrorInvalidValue : peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return record(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) { return record(cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int *devices, int count) {
  GPUOPT_EMU_ENTER();
  if (count && !devices) return record(cudaErrorInvalidValue);
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return record(cudaErrorInvalidDevice);
  return cudaSuccess;
}
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
  if (!version) return record(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart(void) { return state(); }
cudaError_t cudaProfilerStop(void) { return state(); }
}
