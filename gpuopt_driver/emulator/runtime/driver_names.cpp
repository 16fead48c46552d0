// The driver API's functions by name: a program that holds the runtime does not show them to dlsym.
#include <string.h>

#include "cuda.h"
#include "state.h"

namespace gpuopt_emu {
void *driver_function(const char *name) {
#define DRIVER_FUNCTION(NAME) {#NAME, reinterpret_cast<void *>(NAME)}
  static const struct { const char *name; void *function; } all[] = {
    DRIVER_FUNCTION(cuArray3DCreate), DRIVER_FUNCTION(cuArray3DGetDescriptor), DRIVER_FUNCTION(cuArrayCreate),
    DRIVER_FUNCTION(cuArrayDestroy), DRIVER_FUNCTION(cuArrayGetDescriptor), DRIVER_FUNCTION(cuCtxCreate),
    DRIVER_FUNCTION(cuCtxDestroy), DRIVER_FUNCTION(cuCtxGetApiVersion), DRIVER_FUNCTION(cuCtxGetCacheConfig),
    DRIVER_FUNCTION(cuCtxGetCurrent), DRIVER_FUNCTION(cuCtxGetDevice), DRIVER_FUNCTION(cuCtxGetFlags),
    DRIVER_FUNCTION(cuCtxGetId), DRIVER_FUNCTION(cuCtxGetLimit), DRIVER_FUNCTION(cuCtxGetStreamPriorityRange),
    DRIVER_FUNCTION(cuCtxPopCurrent), DRIVER_FUNCTION(cuCtxPushCurrent), DRIVER_FUNCTION(cuCtxSetCacheConfig),
    DRIVER_FUNCTION(cuCtxSetCurrent), DRIVER_FUNCTION(cuCtxSetLimit), DRIVER_FUNCTION(cuCtxSynchronize),
    DRIVER_FUNCTION(cuDeviceCanAccessPeer), DRIVER_FUNCTION(cuDeviceComputeCapability), DRIVER_FUNCTION(cuDeviceGet),
    DRIVER_FUNCTION(cuDeviceGetAttribute), DRIVER_FUNCTION(cuDeviceGetCount),
    DRIVER_FUNCTION(cuDeviceGetDefaultMemPool), DRIVER_FUNCTION(cuDeviceGetName), DRIVER_FUNCTION(cuDeviceGetPCIBusId),
    DRIVER_FUNCTION(cuDevicePrimaryCtxGetState), DRIVER_FUNCTION(cuDevicePrimaryCtxRelease),
    DRIVER_FUNCTION(cuDevicePrimaryCtxReset), DRIVER_FUNCTION(cuDevicePrimaryCtxRetain),
    DRIVER_FUNCTION(cuDevicePrimaryCtxSetFlags), DRIVER_FUNCTION(cuDeviceTotalMem), DRIVER_FUNCTION(cuDriverGetVersion),
    DRIVER_FUNCTION(cuEventCreate), DRIVER_FUNCTION(cuEventDestroy), DRIVER_FUNCTION(cuEventElapsedTime),
    DRIVER_FUNCTION(cuEventQuery), DRIVER_FUNCTION(cuEventRecord), DRIVER_FUNCTION(cuEventSynchronize),
    DRIVER_FUNCTION(cuFuncGetAttribute), DRIVER_FUNCTION(cuFuncGetName), DRIVER_FUNCTION(cuFuncLoad),
    DRIVER_FUNCTION(cuFuncSetAttribute), DRIVER_FUNCTION(cuFuncSetCacheConfig), DRIVER_FUNCTION(cuGetErrorName),
    DRIVER_FUNCTION(cuGetErrorString), DRIVER_FUNCTION(cuGetProcAddress), DRIVER_FUNCTION(cuInit),
    DRIVER_FUNCTION(cuLaunchCooperativeKernel), DRIVER_FUNCTION(cuLaunchHostFunc), DRIVER_FUNCTION(cuLaunchKernel),
    DRIVER_FUNCTION(cuLaunchKernelEx), DRIVER_FUNCTION(cuMemAddressFree), DRIVER_FUNCTION(cuMemAddressReserve),
    DRIVER_FUNCTION(cuMemAlloc), DRIVER_FUNCTION(cuMemAllocAsync), DRIVER_FUNCTION(cuMemAllocFromPoolAsync),
    DRIVER_FUNCTION(cuMemAllocHost), DRIVER_FUNCTION(cuMemAllocManaged), DRIVER_FUNCTION(cuMemAllocPitch),
    DRIVER_FUNCTION(cuMemCreate), DRIVER_FUNCTION(cuMemExportToShareableHandle), DRIVER_FUNCTION(cuMemFree),
    DRIVER_FUNCTION(cuMemFreeAsync), DRIVER_FUNCTION(cuMemFreeHost), DRIVER_FUNCTION(cuMemGetAccess),
    DRIVER_FUNCTION(cuMemGetAddressRange), DRIVER_FUNCTION(cuMemGetAllocationGranularity),
    DRIVER_FUNCTION(cuMemGetAllocationPropertiesFromHandle), DRIVER_FUNCTION(cuMemGetDefaultMemPool),
    DRIVER_FUNCTION(cuMemGetInfo), DRIVER_FUNCTION(cuMemHostAlloc), DRIVER_FUNCTION(cuMemHostGetDevicePointer),
    DRIVER_FUNCTION(cuMemHostGetFlags), DRIVER_FUNCTION(cuMemHostRegister), DRIVER_FUNCTION(cuMemHostUnregister),
    DRIVER_FUNCTION(cuMemImportFromShareableHandle), DRIVER_FUNCTION(cuMemMap), DRIVER_FUNCTION(cuMemPoolCreate),
    DRIVER_FUNCTION(cuMemPoolDestroy), DRIVER_FUNCTION(cuMemPoolGetAccess), DRIVER_FUNCTION(cuMemPoolGetAttribute),
    DRIVER_FUNCTION(cuMemPoolSetAccess), DRIVER_FUNCTION(cuMemPoolSetAttribute), DRIVER_FUNCTION(cuMemPoolTrimTo),
    DRIVER_FUNCTION(cuMemRelease), DRIVER_FUNCTION(cuMemRetainAllocationHandle), DRIVER_FUNCTION(cuMemSetAccess),
    DRIVER_FUNCTION(cuMemUnmap), DRIVER_FUNCTION(cuMemcpy), DRIVER_FUNCTION(cuMemcpy2D),
    DRIVER_FUNCTION(cuMemcpy2DAsync), DRIVER_FUNCTION(cuMemcpy2DUnaligned), DRIVER_FUNCTION(cuMemcpy3D),
    DRIVER_FUNCTION(cuMemcpy3DAsync), DRIVER_FUNCTION(cuMemcpyAsync), DRIVER_FUNCTION(cuMemcpyAtoD),
    DRIVER_FUNCTION(cuMemcpyAtoH), DRIVER_FUNCTION(cuMemcpyBatchAsync), DRIVER_FUNCTION(cuMemcpyDtoA),
    DRIVER_FUNCTION(cuMemcpyDtoD), DRIVER_FUNCTION(cuMemcpyDtoDAsync), DRIVER_FUNCTION(cuMemcpyDtoH),
    DRIVER_FUNCTION(cuMemcpyDtoHAsync), DRIVER_FUNCTION(cuMemcpyHtoA), DRIVER_FUNCTION(cuMemcpyHtoD),
    DRIVER_FUNCTION(cuMemcpyHtoDAsync), DRIVER_FUNCTION(cuMemsetD16), DRIVER_FUNCTION(cuMemsetD16Async),
    DRIVER_FUNCTION(cuMemsetD2D16), DRIVER_FUNCTION(cuMemsetD2D16Async), DRIVER_FUNCTION(cuMemsetD2D32),
    DRIVER_FUNCTION(cuMemsetD2D32Async), DRIVER_FUNCTION(cuMemsetD2D8), DRIVER_FUNCTION(cuMemsetD2D8Async),
    DRIVER_FUNCTION(cuMemsetD32), DRIVER_FUNCTION(cuMemsetD32Async), DRIVER_FUNCTION(cuMemsetD8),
    DRIVER_FUNCTION(cuMemsetD8Async), DRIVER_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    DRIVER_FUNCTION(cuOccupancyMaxPotentialBlockSize), DRIVER_FUNCTION(cuPointerGetAttribute),
    DRIVER_FUNCTION(cuPointerGetAttributes), DRIVER_FUNCTION(cuStreamAddCallback), DRIVER_FUNCTION(cuStreamCreate),
    DRIVER_FUNCTION(cuStreamCreateWithPriority), DRIVER_FUNCTION(cuStreamDestroy), DRIVER_FUNCTION(cuStreamGetCtx),
    DRIVER_FUNCTION(cuStreamGetCtx_v2), DRIVER_FUNCTION(cuStreamGetDevice), DRIVER_FUNCTION(cuStreamGetFlags),
    DRIVER_FUNCTION(cuStreamGetId), DRIVER_FUNCTION(cuStreamGetPriority), DRIVER_FUNCTION(cuStreamIsCapturing),
    DRIVER_FUNCTION(cuStreamQuery), DRIVER_FUNCTION(cuStreamSynchronize), DRIVER_FUNCTION(cuStreamWaitEvent),
    DRIVER_FUNCTION(cuThreadExchangeStreamCaptureMode)};
#undef DRIVER_FUNCTION
  for (const auto &one : all)
    if (!strcmp(one.name, name)) return one.function;
  return nullptr;
}
}  // namespace gpuopt_emu
