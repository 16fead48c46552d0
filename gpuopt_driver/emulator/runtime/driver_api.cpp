// The driver API, as calls of the runtime API: there is one device, and one context that is always there.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "allocations.h"
#include "cuda.h"
#include "state.h"

// The name of an error; false and null where there is none of that value, as the driver answers.
static bool named(CUresult error, const char **text) {
  *text = nullptr;
  switch (error) {
#define GPUOPT_DRIVER_ERROR(name, value) \
  case name: *text = #name; break;
#include "gpuopt_emu/driver_errors.def"
#undef GPUOPT_DRIVER_ERROR
  }
  return *text != nullptr;
}

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { return (CUresult)cudaDriverGetVersion(version); }
CUresult cuDeviceGetCount(int *count) { return (CUresult)cudaGetDeviceCount(count); }
CUresult cuDeviceGet(CUdevice *device, int number) {
  if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) snprintf(name, (size_t)size, "%s", properties.name);
  return (CUresult)error;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { return (CUresult)cudaMemGetInfo(nullptr, bytes); }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {  // those that the runtime API has no name for
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH:
    case CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED: {
      int other;  // as wrong arguments are answered for any attribute
      const cudaError_t error = cudaDeviceGetAttribute(value ? &other : nullptr, cudaDevAttrWarpSize, device);
      if (error != cudaSuccess) return (CUresult)error;
      *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
               attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
      return CUDA_SUCCESS;
    }
    default: break;
  }
  return (CUresult)cudaDeviceGetAttribute(value, (cudaDeviceAttr)attribute, device);
}
CUresult cuMemGetInfo(size_t *available, size_t *total) { return (CUresult)cudaMemGetInfo(available, total); }
CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!named(error, text)) return CUDA_ERROR_INVALID_VALUE;
  if (error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT) {
    *text = "context already current";  // the runtime API has no such error, nor the next
  } else if (error == CUDA_ERROR_KEY_ROTATION) {
    *text = "an error happened during the key rotation sequence";
  } else {
    *text = cudaGetErrorString((cudaError_t)error);
  }
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  return named(error, text) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}

namespace {
char the_context;
thread_local CUcontext chosen = nullptr;
CUcontext primary() { return reinterpret_cast<CUcontext>(&the_context); }
void *address(CUdeviceptr at) { return reinterpret_cast<void *>((uintptr_t)at); }
CUresult given(CUdeviceptr *to, void *at, cudaError_t error) {
  if (error == cudaSuccess) *to = (CUdeviceptr) reinterpret_cast<uintptr_t>(at);
  return (CUresult)error;
}
}  // namespace

extern "C" {

CUresult cuCtxCreate(CUcontext *context, unsigned int, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = chosen = primary();
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext context) {
  if (context != primary()) return CUDA_ERROR_INVALID_CONTEXT;
  chosen = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  chosen = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = chosen;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }
CUresult cuCtxPopCurrent(CUcontext *context) {
  if (context) *context = chosen;
  chosen = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  if (context && context != primary()) return CUDA_ERROR_INVALID_CONTEXT;
  *id = 1 + gpuopt_emu::device_resets();
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return (CUresult)cudaDeviceSynchronize(); }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = primary();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return error ? error : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes) {
  void *memory = nullptr;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  return given(at, memory, error);
}
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags) {
  void *memory = nullptr;
  const cudaError_t error = cudaMallocManaged(&memory, bytes, flags);
  return given(at, memory, error);
}
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr at) {
  Allocation found;
  if (!allocation_at(address(at), &found)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = (CUdeviceptr)found.base;
  if (bytes) *bytes = found.bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr at) { return (CUresult)cudaFree(address(at)); }
CUresult cuMemAllocHost(void **at, size_t bytes) { return (CUresult)cudaMallocHost(at, bytes); }
CUresult cuMemFreeHost(void *at) { return (CUresult)cudaFreeHost(at); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return (CUresult)cudaMemcpy(address(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return (CUresult)cudaMemcpy(to, address(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return (CUresult)cudaMemcpy(address(to), address(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return (CUresult)cudaMemcpyAsync(address(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return (CUresult)cudaMemcpyAsync(to, address(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return (CUresult)cudaMemcpyAsync(address(to), address(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return (CUresult)cudaMemset(address(to), value, count);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  if (to % 4) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = cuMemsetD8(to, 0, 4 * count);  // asks whether the memory is there
  for (size_t i = 0; !error && i < count; ++i) static_cast<unsigned int *>(address(to))[i] = value;
  return error;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return (CUresult)cudaStreamCreateWithFlags(stream, flags); }
CUresult cuStreamDestroy(CUstream stream) { return (CUresult)cudaStreamDestroy(stream); }
CUresult cuStreamSynchronize(CUstream stream) { return (CUresult)cudaStreamSynchronize(stream); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return (CUresult)cudaStreamWaitEvent(stream, event, flags);
}
CUresult cuEventCreate(CUevent *event, unsigned int flags) { return (CUresult)cudaEventCreateWithFlags(event, flags); }
CUresult cuEventDestroy(CUevent event) { return (CUresult)cudaEventDestroy(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return (CUresult)cudaEventRecord(event, stream); }
CUresult cuEventSynchronize(CUevent event) { return (CUresult)cudaEventSynchronize(event); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return (CUresult)cudaEventElapsedTime(milliseconds, start, end);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **parameters, void **extra) {
  if (extra) return CUDA_ERROR_NOT_SUPPORTED;
  return (CUresult)cudaLaunchKernel(reinterpret_cast<const void *>(function), dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), parameters,
                                    shared, stream);
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  cudaFuncAttributes a;
  if (!gpuopt_emu::attributes_of(reinterpret_cast<const void *>(function), a)) return CUDA_ERROR_INVALID_HANDLE;
  const int all[] = {a.maxThreadsPerBlock, (int)a.sharedSizeBytes, (int)a.constSizeBytes, (int)a.localSizeBytes, a.numRegs,
                     a.ptxVersion, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout};
  if ((unsigned)attribute >= sizeof(all) / sizeof(all[0])) return CUDA_ERROR_INVALID_VALUE;
  *value = all[attribute];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return (CUresult)cudaFuncSetAttribute(reinterpret_cast<const void *>(function), (cudaFuncAttribute)attribute, value);
}
}

// The driver's functions by name: a program that holds the runtime does not show them to dlsym.
namespace gpuopt_emu {
void *driver_function(const char *name) {
#define DRIVER_FUNCTION(NAME) {#NAME, reinterpret_cast<void *>(NAME)}
  static const struct { const char *name; void *function; } all[] = {
    DRIVER_FUNCTION(cuArray3DCreate), DRIVER_FUNCTION(cuArray3DGetDescriptor), DRIVER_FUNCTION(cuArrayCreate),
    DRIVER_FUNCTION(cuArrayDestroy), DRIVER_FUNCTION(cuArrayGetDescriptor), DRIVER_FUNCTION(cuCtxCreate),
    DRIVER_FUNCTION(cuCtxDestroy), DRIVER_FUNCTION(cuCtxGetCurrent), DRIVER_FUNCTION(cuCtxGetDevice),
    DRIVER_FUNCTION(cuCtxGetId), DRIVER_FUNCTION(cuCtxPopCurrent), DRIVER_FUNCTION(cuCtxPushCurrent),
    DRIVER_FUNCTION(cuCtxSetCurrent), DRIVER_FUNCTION(cuCtxSynchronize), DRIVER_FUNCTION(cuDeviceComputeCapability),
    DRIVER_FUNCTION(cuDeviceGet), DRIVER_FUNCTION(cuDeviceGetAttribute), DRIVER_FUNCTION(cuDeviceGetCount),
    DRIVER_FUNCTION(cuDeviceGetName), DRIVER_FUNCTION(cuDevicePrimaryCtxRelease),
    DRIVER_FUNCTION(cuDevicePrimaryCtxRetain), DRIVER_FUNCTION(cuDeviceTotalMem),
    DRIVER_FUNCTION(cuDriverGetVersion), DRIVER_FUNCTION(cuEventCreate), DRIVER_FUNCTION(cuEventDestroy),
    DRIVER_FUNCTION(cuEventElapsedTime), DRIVER_FUNCTION(cuEventRecord), DRIVER_FUNCTION(cuEventSynchronize),
    DRIVER_FUNCTION(cuFuncGetAttribute), DRIVER_FUNCTION(cuFuncSetAttribute), DRIVER_FUNCTION(cuGetErrorName),
    DRIVER_FUNCTION(cuGetErrorString), DRIVER_FUNCTION(cuInit), DRIVER_FUNCTION(cuLaunchKernel),
    DRIVER_FUNCTION(cuMemAddressFree), DRIVER_FUNCTION(cuMemAddressReserve), DRIVER_FUNCTION(cuMemAlloc),
    DRIVER_FUNCTION(cuMemAllocHost), DRIVER_FUNCTION(cuMemAllocManaged), DRIVER_FUNCTION(cuMemAllocPitch),
    DRIVER_FUNCTION(cuMemCreate), DRIVER_FUNCTION(cuMemExportToShareableHandle), DRIVER_FUNCTION(cuMemFree),
    DRIVER_FUNCTION(cuMemFreeHost), DRIVER_FUNCTION(cuMemGetAccess), DRIVER_FUNCTION(cuMemGetAddressRange),
    DRIVER_FUNCTION(cuMemGetAllocationGranularity),
    DRIVER_FUNCTION(cuMemGetAllocationPropertiesFromHandle), DRIVER_FUNCTION(cuMemGetInfo),
    DRIVER_FUNCTION(cuMemImportFromShareableHandle), DRIVER_FUNCTION(cuMemMap), DRIVER_FUNCTION(cuMemRelease),
    DRIVER_FUNCTION(cuMemRetainAllocationHandle), DRIVER_FUNCTION(cuMemSetAccess), DRIVER_FUNCTION(cuMemUnmap),
    DRIVER_FUNCTION(cuMemcpy), DRIVER_FUNCTION(cuMemcpy2D), DRIVER_FUNCTION(cuMemcpy2DAsync),
    DRIVER_FUNCTION(cuMemcpy2DUnaligned), DRIVER_FUNCTION(cuMemcpy3D), DRIVER_FUNCTION(cuMemcpy3DAsync),
    DRIVER_FUNCTION(cuMemcpyAsync), DRIVER_FUNCTION(cuMemcpyAtoD), DRIVER_FUNCTION(cuMemcpyAtoH),
    DRIVER_FUNCTION(cuMemcpyDtoA), DRIVER_FUNCTION(cuMemcpyDtoD), DRIVER_FUNCTION(cuMemcpyDtoDAsync),
    DRIVER_FUNCTION(cuMemcpyDtoH), DRIVER_FUNCTION(cuMemcpyDtoHAsync), DRIVER_FUNCTION(cuMemcpyHtoA),
    DRIVER_FUNCTION(cuMemcpyHtoD), DRIVER_FUNCTION(cuMemcpyHtoDAsync), DRIVER_FUNCTION(cuMemsetD32),
    DRIVER_FUNCTION(cuMemsetD8), DRIVER_FUNCTION(cuStreamCreate), DRIVER_FUNCTION(cuStreamDestroy),
    DRIVER_FUNCTION(cuStreamSynchronize), DRIVER_FUNCTION(cuStreamWaitEvent)};
#undef DRIVER_FUNCTION
  for (const auto &one : all)
    if (!strcmp(one.name, name)) return one.function;
  return nullptr;
}
}  // namespace gpuopt_emu
