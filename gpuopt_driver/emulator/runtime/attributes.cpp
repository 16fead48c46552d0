// What a device is: its attributes and its properties, from the figures of the GPU that was chosen.
#include <stdio.h>

#include "state.h"

namespace gpuopt_emu {

static int bus_bits(const Gpu &g) { return g.dram_bus_bits ? g.dram_bus_bits : 4096; }  // GPU files may lack it

// The clock with which programs get the data sheet's bandwidth: two transfers of the bus in a cycle.
static int memory_khz(const Gpu &g) { return (int)(g.dram_bytes_per_second / (bus_bits(g) / 8 * 2) / 1e3); }

// How much of L2 may be set aside: 3/4 on an A100 (CUDA C++ Programming Guide, "L2 Cache Set-Aside"), 5/8 on an H200.
static int persisting_bytes(const Gpu &g) {
  return g.major < 8 ? 0 : (int)(g.major == 8 ? g.l2_reported / 4 * 3 : g.l2_reported / 8 * 5);
}

// Throughput of single over double precision (CUDA C++ Programming Guide, table of arithmetic throughput).
static int double_ratio(const Gpu &g) {
  const bool data_centre = (g.minor == 0 && g.major != 3) || g.major * 10 + g.minor == 103;
  if (g.major == 3) return g.minor == 0 ? 24 : 3;
  if (data_centre && g.major <= 10 && g.major != 5) return 2;
  return g.major <= 7 ? 32 : 64;
}

static bool answer(cudaDeviceAttr attribute, int *to) {
  const Gpu &g = gpu();
  switch (attribute) {
#define GPUOPT_ATTRIBUTE(name, value, answer) \
  case cudaDevAttr##name:                     \
    *to = answer;                             \
    return true;
#include "gpuopt_emu/attributes.def"
#undef GPUOPT_ATTRIBUTE
    default: return false;
  }
}

static int of(cudaDeviceAttr attribute) {
  int value = 0;
  answer(attribute, &value);
  return value;
}

static void describe(cudaDeviceProp *p) {
  *p = cudaDeviceProp();  // what is not named below is 0 or false
  snprintf(p->name, sizeof p->name, "%s (gpuopt emulator)", gpu().title);
  cudaMemGetInfo(nullptr, &p->totalGlobalMem);
  p->sharedMemPerBlock = of(cudaDevAttrMaxSharedMemoryPerBlock);
  p->regsPerBlock = of(cudaDevAttrMaxRegistersPerBlock);
  p->warpSize = of(cudaDevAttrWarpSize);
  p->memPitch = of(cudaDevAttrMaxPitch);
  p->maxThreadsPerBlock = of(cudaDevAttrMaxThreadsPerBlock);
  p->maxThreadsDim[0] = of(cudaDevAttrMaxBlockDimX);
  p->maxThreadsDim[1] = of(cudaDevAttrMaxBlockDimY);
  p->maxThreadsDim[2] = of(cudaDevAttrMaxBlockDimZ);
  p->maxGridSize[0] = of(cudaDevAttrMaxGridDimX);
  p->maxGridSize[1] = of(cudaDevAttrMaxGridDimY);
  p->maxGridSize[2] = of(cudaDevAttrMaxGridDimZ);
  p->clockRate = of(cudaDevAttrClockRate);
  p->totalConstMem = of(cudaDevAttrTotalConstantMemory);
  p->major = of(cudaDevAttrComputeCapabilityMajor);
  p->minor = of(cudaDevAttrComputeCapabilityMinor);
  p->textureAlignment = of(cudaDevAttrTextureAlignment);
  p->texturePitchAlignment = of(cudaDevAttrTexturePitchAlignment);
  p->deviceOverlap = of(cudaDevAttrGpuOverlap);
  p->multiProcessorCount = of(cudaDevAttrMultiProcessorCount);
  p->canMapHostMemory = of(cudaDevAttrCanMapHostMemory);
  p->surfaceAlignment = of(cudaDevAttrSurfaceAlignment);
  p->concurrentKernels = of(cudaDevAttrConcurrentKernels);
  p->ECCEnabled = of(cudaDevAttrEccEnabled);
  p->asyncEngineCount = of(cudaDevAttrAsyncEngineCount);
  p->unifiedAddressing = of(cudaDevAttrUnifiedAddressing);
  p->memoryClockRate = of(cudaDevAttrMemoryClockRate);
  p->memoryBusWidth = of(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize = of(cudaDevAttrL2CacheSize);
  p->persistingL2CacheMaxSize = of(cudaDevAttrMaxPersistingL2CacheSize);
  p->maxThreadsPerMultiProcessor = of(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->streamPrioritiesSupported = of(cudaDevAttrStreamPrioritiesSupported);
  p->globalL1CacheSupported = of(cudaDevAttrGlobalL1CacheSupported);
  p->localL1CacheSupported = of(cudaDevAttrLocalL1CacheSupported);
  p->sharedMemPerMultiprocessor = of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p->regsPerMultiprocessor = of(cudaDevAttrMaxRegistersPerMultiprocessor);
  p->managedMemory = of(cudaDevAttrManagedMemory);
  p->singleToDoublePrecisionPerfRatio = of(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p->concurrentManagedAccess = of(cudaDevAttrConcurrentManagedAccess);
  p->computePreemptionSupported = of(cudaDevAttrComputePreemptionSupported);
  p->canUseHostPointerForRegisteredMem = of(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p->cooperativeLaunch = of(cudaDevAttrCooperativeLaunch);
  p->sharedMemPerBlockOptin = of(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p->maxBlocksPerMultiProcessor = of(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->accessPolicyMaxWindowSize = of(cudaDevAttrMaxAccessPolicyWindowSize);
  p->reservedSharedMemPerBlock = of(cudaDevAttrReservedSharedMemoryPerBlock);
  p->hostRegisterSupported = of(cudaDevAttrHostRegisterSupported);
  p->hostRegisterReadOnlySupported = of(cudaDevAttrHostRegisterReadOnlySupported);
  p->memoryPoolsSupported = of(cudaDevAttrMemoryPoolsSupported);
  p->clusterLaunch = of(cudaDevAttrClusterLaunch);
  p->deviceNumaId = of(cudaDevAttrNumaId);
  p->maxTexture1D = of(cudaDevAttrMaxTexture1DWidth);
  p->maxTexture1DMipmap = of(cudaDevAttrMaxTexture1DMipmappedWidth);
  p->maxTexture1DLinear = of(cudaDevAttrMaxTexture1DLinearWidth);
  p->maxTexture2D[0] = of(cudaDevAttrMaxTexture2DWidth);
  p->maxTexture2D[1] = of(cudaDevAttrMaxTexture2DHeight);
  p->maxTexture2DMipmap[0] = of(cudaDevAttrMaxTexture2DMipmappedWidth);
  p->maxTexture2DMipmap[1] = of(cudaDevAttrMaxTexture2DMipmappedHeight);
  p->maxTexture2DLinear[0] = of(cudaDevAttrMaxTexture2DLinearWidth);
  p->maxTexture2DLinear[1] = of(cudaDevAttrMaxTexture2DLinearHeight);
  p->maxTexture2DLinear[2] = of(cudaDevAttrMaxTexture2DLinearPitch);
  p->maxTexture2DGather[0] = of(cudaDevAttrMaxTexture2DGatherWidth);
  p->maxTexture2DGather[1] = of(cudaDevAttrMaxTexture2DGatherHeight);
  p->maxTexture3D[0] = of(cudaDevAttrMaxTexture3DWidth);
  p->maxTexture3D[1] = of(cudaDevAttrMaxTexture3DHeight);
  p->maxTexture3D[2] = of(cudaDevAttrMaxTexture3DDepth);
  p->maxTexture3DAlt[0] = of(cudaDevAttrMaxTexture3DWidthAlt);
  p->maxTexture3DAlt[1] = of(cudaDevAttrMaxTexture3DHeightAlt);
  p->maxTexture3DAlt[2] = of(cudaDevAttrMaxTexture3DDepthAlt);
  p->maxTextureCubemap = of(cudaDevAttrMaxTextureCubemapWidth);
  p->maxTexture1DLayered[0] = of(cudaDevAttrMaxTexture1DLayeredWidth);
  p->maxTexture1DLayered[1] = of(cudaDevAttrMaxTexture1DLayeredLayers);
  p->maxTexture2DLayered[0] = of(cudaDevAttrMaxTexture2DLayeredWidth);
  p->maxTexture2DLayered[1] = of(cudaDevAttrMaxTexture2DLayeredHeight);
  p->maxTexture2DLayered[2] = of(cudaDevAttrMaxTexture2DLayeredLayers);
  p->maxTextureCubemapLayered[0] = of(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p->maxTextureCubemapLayered[1] = of(cudaDevAttrMaxTextureCubemapLayeredLayers);
  p->maxSurface1D = of(cudaDevAttrMaxSurface1DWidth);
  p->maxSurface2D[0] = of(cudaDevAttrMaxSurface2DWidth);
  p->maxSurface2D[1] = of(cudaDevAttrMaxSurface2DHeight);
  p->maxSurface3D[0] = of(cudaDevAttrMaxSurface3DWidth);
  p->maxSurface3D[1] = of(cudaDevAttrMaxSurface3DHeight);
  p->maxSurface3D[2] = of(cudaDevAttrMaxSurface3DDepth);
  p->maxSurface1DLayered[0] = of(cudaDevAttrMaxSurface1DLayeredWidth);
  p->maxSurface1DLayered[1] = of(cudaDevAttrMaxSurface1DLayeredLayers);
  p->maxSurface2DLayered[0] = of(cudaDevAttrMaxSurface2DLayeredWidth);
  p->maxSurface2DLayered[1] = of(cudaDevAttrMaxSurface2DLayeredHeight);
  p->maxSurface2DLayered[2] = of(cudaDevAttrMaxSurface2DLayeredLayers);
  p->maxSurfaceCubemap = of(cudaDevAttrMaxSurfaceCubemapWidth);
  p->maxSurfaceCubemapLayered[0] = of(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p->maxSurfaceCubemapLayered[1] = of(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
  p->unifiedFunctionPointers = 1;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device) {
  GPUOPT_EMU_ENTER();
  if (device != 0) return record(cudaErrorInvalidDevice);
  int found = 0;
  if (!value || !answer(which, &found)) return record(cudaErrorInvalidValue);
  *value = found;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  GPUOPT_EMU_ENTER();
  if (device != 0) return record(cudaErrorInvalidDevice);
  if (!p) return record(cudaErrorInvalidValue);
  describe(p);
  return cudaSuccess;
}

}
