// The driver API's devices and contexts: there is one device; contexts differ in nothing but what a thread has current.
#include <atomic>
#include <stdio.h>
#include <string.h>
#include <vector>

#include "driver.h"

struct CUctx_st {
  unsigned flags;
};

namespace gpuopt_emu {
namespace {

CUctx_st the_primary = {CU_CTX_MAP_HOST};
std::atomic<bool> started;
std::atomic<int> retained;
thread_local OfThread<std::vector<CUcontext>> contexts;  // the last one is current

// The name of an error; false and null where there is none of that value, as the driver answers.
bool named(CUresult error, const char **text) {
  *text = nullptr;
  switch (error) {
#define GPUOPT_DRIVER_ERROR(name, value) \
  case name: *text = #name; break;
#include "gpuopt_emu/driver_errors.def"
#include "os_thread.h"
#undef GPUOPT_DRIVER_ERROR
  }
  return *text != nullptr;
}

}  // namespace

thread_local bool runtime_used;
void runtime_is_used() {
  runtime_used = true;
  started.store(true, std::memory_order_relaxed);
}

Unnoticed::Unnoticed() : used_(runtime_used), last_(last_error()) { runtime_used = true; }
Unnoticed::~Unnoticed() {
  runtime_used = used_;
  last_error() = last_;
}

bool driver_started() { return started.load(std::memory_order_relaxed); }

// The runtime API makes the primary context current in a thread that has none.
CUcontext current_context() {
  if (contexts->empty() && runtime_used) contexts->push_back(&the_primary);
  return contexts->empty() ? nullptr : contexts->back();
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

CUresult cuInit(unsigned int flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  started.store(true, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDART_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  GPUOPT_EMU_STARTED();
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int number) {
  GPUOPT_EMU_STARTED();
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  GPUOPT_EMU_STARTED();
  if (!name || size <= 0) return CUDA_ERROR_INVALID_VALUE;
  const Unnoticed calls;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) snprintf(name, (size_t)size, "%s", properties.name);
  return (CUresult)error;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  GPUOPT_EMU_STARTED();
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  const Unnoticed calls;
  return (CUresult)cudaMemGetInfo(nullptr, bytes);
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
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
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return error ? error : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return can ? (CUresult)cudaDeviceCanAccessPeer(can, device, peer) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaDeviceGetPCIBusId(text, size, device);
}
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

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
  GPUOPT_EMU_STARTED();
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  contexts->push_back(*context = new CUctx_st{flags | CU_CTX_MAP_HOST});
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext context) {
  GPUOPT_EMU_STARTED();
  if (!context || context == &the_primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (!contexts->empty() && contexts->back() == context) contexts->pop_back();
  delete context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  GPUOPT_EMU_STARTED();
  if (!contexts->empty()) contexts->pop_back();
  if (context) contexts->push_back(context);
  runtime_used = false;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  GPUOPT_EMU_STARTED();
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  GPUOPT_EMU_STARTED();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  current_context();
  contexts->push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext *context) {
  GPUOPT_EMU_STARTED();
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = contexts->back();
  contexts->pop_back();
  runtime_used = false;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  GPUOPT_EMU_STARTED();
  if (!context) context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context == &the_primary ? 1 + device_resets() : (unsigned long long)(uintptr_t)context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetFlags(unsigned int *flags) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = current_context()->flags;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version) {
  GPUOPT_EMU_STARTED();
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  if (!context && !current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;  // since CUDA 3.2
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaDeviceSynchronize();
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaDeviceGetLimit(value, (cudaLimit)limit);
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaDeviceSetLimit((cudaLimit)limit, value);
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaDeviceGetStreamPriorityRange(least, greatest);
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  GPUOPT_EMU_IN_CONTEXT();
  cudaFuncCache set;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaDeviceGetCacheConfig(&set);
  *config = (CUfunc_cache)set;
  return (CUresult)error;
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaDeviceSetCacheConfig((cudaFuncCache)config);
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  GPUOPT_EMU_STARTED();
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  ++retained;
  *context = &the_primary;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  GPUOPT_EMU_STARTED();
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (retained > 0) --retained;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
  GPUOPT_EMU_STARTED();
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *flags = the_primary.flags & ~(unsigned)CU_CTX_MAP_HOST;
  *active = retained > 0 || runtime_used;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  GPUOPT_EMU_STARTED();
  return device != 0 ? CUDA_ERROR_INVALID_DEVICE : (CUresult)cudaDeviceReset();
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  GPUOPT_EMU_STARTED();
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (flags & ~31u) return CUDA_ERROR_INVALID_VALUE;
  the_primary.flags = flags | CU_CTX_MAP_HOST;
  return CUDA_SUCCESS;
}
}
