// The device: one GPU, with the figures of the one that was chosen.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

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

static size_t memory_bytes() {
  size_t total = 0;
  cudaMemGetInfo(nullptr, &total);
  return total;
}

static unsigned flags;
static size_t limits[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
static cudaFuncCache cache_config;
static cudaSharedMemConfig bank_config;

static int attribute_of(cudaDeviceAttr attribute, bool *known) {
  const Gpu &g = gpu();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return g.threads_per_block;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return g.threads_per_block;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return (int)g.shared_per_block;
    case cudaDevAttrTotalConstantMemory: return 65536;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxPitch: return 0x7fffffff;
    case cudaDevAttrMaxRegistersPerBlock: return g.registers_per_block;
    case cudaDevAttrClockRate: return g.clock_mhz * 1000;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment: return 512;
    case cudaDevAttrTexturePitchAlignment: return 32;
    case cudaDevAttrMultiProcessorCount: return g.sms;
    case cudaDevAttrMemoryClockRate: return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth: return 4096;
    case cudaDevAttrL2CacheSize: return (int)g.l2_bytes;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return g.threads_per_sm;
    case cudaDevAttrAsyncEngineCount: return 2;
    case cudaDevAttrComputeCapabilityMajor: return g.major;
    case cudaDevAttrComputeCapabilityMinor: return g.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return (int)g.shared_per_sm;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return g.registers_per_sm;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 2;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (int)g.shared_per_block_optin;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return g.blocks_per_sm;
    case cudaDevAttrReservedSharedMemoryPerBlock: return (int)g.shared_reserved;
    case cudaDevAttrConcurrentManagedAccess: return g.major >= 6;
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCooperativeLaunch: return g.major >= 6;
    case cudaDevAttrMaxPersistingL2CacheSize: return g.major >= 8 ? (int)(g.l2_bytes / 4 * 3) : 0;
    case cudaDevAttrMaxAccessPolicyWindowSize: return g.major >= 8 ? 128 << 20 : 0;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported: return 1;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrClusterLaunch: return has_clusters();
    default: *known = false; return 0;
  }
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

static int attribute(cudaDeviceAttr which) {
  bool known = true;
  return attribute_of(which, &known);
}

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
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device) {
  GPUOPT_EMU_ENTER();
  if (device != 0) return record(cudaErrorInvalidDevice);
  bool known = true;
  const int answer = attribute_of(which, &known);
  if (!value || !known) return record(cudaErrorInvalidValue);
  *value = answer;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  GPUOPT_EMU_ENTER();
  if (device != 0) return record(cudaErrorInvalidDevice);
  if (!p) return record(cudaErrorInvalidValue);
  const Gpu &g = gpu();
  *p = cudaDeviceProp();
  snprintf(p->name, sizeof p->name, "%s (gpuopt emulator)", g.title);
  p->totalGlobalMem = memory_bytes();
  p->sharedMemPerBlock = g.shared_per_block;
  p->regsPerBlock = g.registers_per_block;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = g.threads_per_block;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = g.clock_mhz * 1000;
  p->totalConstMem = 65536;
  p->major = g.major;
  p->minor = g.minor;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->multiProcessorCount = g.sms;
  p->maxTexture1D = p->maxTexture2D[0] = 131072;
  p->maxTexture2D[1] = 65536;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  p->asyncEngineCount = 2;
  p->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize = (int)g.l2_bytes;
  p->maxThreadsPerMultiProcessor = g.threads_per_sm;
  p->sharedMemPerMultiprocessor = g.shared_per_sm;
  p->regsPerMultiprocessor = g.registers_per_sm;
  p->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p->concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
  p->computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);
  p->cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
  p->persistingL2CacheMaxSize = attribute(cudaDevAttrMaxPersistingL2CacheSize);
  p->accessPolicyMaxWindowSize = attribute(cudaDevAttrMaxAccessPolicyWindowSize);
  p->sharedMemPerBlockOptin = g.shared_per_block_optin;
  p->maxBlocksPerMultiProcessor = g.blocks_per_sm;
  p->reservedSharedMemPerBlock = g.shared_reserved;
  p->canMapHostMemory = p->concurrentKernels = p->deviceOverlap = p->unifiedAddressing = 1;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->managedMemory = p->hostRegisterSupported = p->memoryPoolsSupported = 1;
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
cudaError_t cudaDeviceSynchronize(void) { return state(); }
cudaError_t cudaThreadSynchronize(void) { return state(); }
cudaError_t cudaDeviceReset(void) {
  repair();
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
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long, int *result) {
  GPUOPT_EMU_ENTER();
  if (!symbol || !function) return record(cudaErrorInvalidValue);
  *function = dlsym(RTLD_DEFAULT, symbol);
  if (result) *result = *function ? 0 : 1;
  return *function || result ? cudaSuccess : record(cudaErrorSymbolNotFound);
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart(void) { return state(); }
cudaError_t cudaProfilerStop(void) { return state(); }
}
