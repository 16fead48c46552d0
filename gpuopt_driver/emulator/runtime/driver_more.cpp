// The driver API's functions by name, pools, launches with attributes, and what streams tell of themselves.
#include <string.h>
#include <vector>

#include "cuda_runtime.h"
#include "driver.h"
#include "occupancy.h"

using namespace gpuopt_emu;

namespace gpuopt_emu {
void *driver_function(const char *name);  // driver_names.cpp
}

namespace {

// Both APIs lay these out alike.
static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps), "pools");
static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc), "access");
static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation), "locations");
static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes), "copies");
static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "launches");

template <class To, class From> To *laid_out_as(From *from) { return reinterpret_cast<To *>(from); }

struct DriverCallback {
  CUstreamCallback function;
  void *data;
};

void call_driver_callback(cudaStream_t stream, cudaError_t status, void *data) {
  const DriverCallback callback = *static_cast<DriverCallback *>(data);
  delete static_cast<DriverCallback *>(data);
  callback.function(stream, (CUresult)status, callback.data);
}

CUresult allocated(CUdeviceptr *to, void *at, cudaError_t error) {
  if (error == cudaSuccess) *to = (CUdeviceptr) reinterpret_cast<uintptr_t>(at);
  return (CUresult)error;
}

}  // namespace

extern "C" {

// Names are without the version of their parameters, which `version` tells (cuStreamGetCtx has other ones since 12.5).
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t,
                          CUdriverProcAddressQueryResult *result) {
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  const bool both = !strcmp(name, "cuStreamGetCtx") && version >= 12050;
  *function = driver_function(both ? "cuStreamGetCtx_v2" : name);
  if (result) *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function || result ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!callback) return CUDA_ERROR_INVALID_VALUE;
  DriverCallback *const kept = new DriverCallback{callback, data};
  const cudaError_t error = cudaStreamAddCallback(stream, call_driver_callback, kept, flags);
  if (error != cudaSuccess) delete kept;
  return (CUresult)error;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  GPUOPT_EMU_IN_CONTEXT();
  unsigned flags;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return (CUresult)cudaStreamGetFlags(stream, &flags);
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
  if (green) *green = nullptr;  // there are none
  return cuStreamGetCtx(stream, context);
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamGetDevice(stream, device);
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *number) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamGetId(stream, number);
}

CUresult cuFuncLoad(CUfunction function) {
  GPUOPT_EMU_IN_CONTEXT();
  return kernel_at(reinterpret_cast<const void *>(function)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!c || (parameters && extra)) return CUDA_ERROR_INVALID_VALUE;
  if (!kernel_at(reinterpret_cast<const void *>(function))) return CUDA_ERROR_INVALID_HANDLE;
  if (extra && c->numAttrs) return CUDA_ERROR_NOT_SUPPORTED;
  if (extra)
    return cuLaunchKernel(function, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
                          c->sharedMemBytes, c->hStream, nullptr, extra);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(c->gridDimX, c->gridDimY, c->gridDimZ);
  config.blockDim = dim3(c->blockDimX, c->blockDimY, c->blockDimZ);
  config.dynamicSmemBytes = c->sharedMemBytes;
  config.stream = c->hStream;
  config.attrs = laid_out_as<cudaLaunchAttribute>(c->attrs);
  config.numAttrs = c->numAttrs;
  return (CUresult)cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(function), parameters);
}
// What cannot be told of a pointer is 0 here; one alone is asked for with an error.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr at) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (!data[i]) return CUDA_ERROR_INVALID_VALUE;
    const CUpointer_attribute a = attributes[i];
    const bool is_flag = a == CU_POINTER_ATTRIBUTE_IS_MANAGED || a == CU_POINTER_ATTRIBUTE_MAPPED;
    const bool is_int = a == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || a == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    memset(data[i], 0, is_flag ? sizeof(bool) : is_int ? sizeof(int) : sizeof(void *));
    if (a == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *static_cast<int *>(data[i]) = -2;  // of no device
    const CUresult status = cuPointerGetAttribute(data[i], attributes[i], at);
    if (status != CUDA_SUCCESS && status != CUDA_ERROR_INVALID_VALUE) return status;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return pool ? (CUresult)cudaDeviceGetDefaultMemPool(pool, device) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType kind) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  if (!pool || !location) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)cudaMemGetDefaultMemPool(pool, laid_out_as<cudaMemLocation>(location), (cudaMemAllocationType)kind);
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  if (!pool || !properties) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)cudaMemPoolCreate(pool, laid_out_as<const cudaMemPoolProps>(properties));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaMemPoolDestroy(pool);
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)attribute, value);
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)attribute, value);
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  cudaMemLocation *const where = laid_out_as<cudaMemLocation>(location);
  return (CUresult)cudaMemPoolGetAccess(laid_out_as<cudaMemAccessFlags>(flags), pool, where);
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaMemPoolSetAccess(pool, laid_out_as<const cudaMemAccessDesc>(access), count);
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaMemPoolTrimTo(pool, bytes);
}
CUresult cuMemAllocAsync(CUdeviceptr *at, size_t bytes, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  void *memory = nullptr;
  if (!at || !bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMallocAsync(&memory, bytes, stream);
  return allocated(at, memory, error);
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *at, size_t bytes, CUmemoryPool pool, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  void *memory = nullptr;
  if (!at || !bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool, stream);
  return allocated(at, memory, error);
}
CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return at ? (CUresult)cudaFreeAsync(address(at), stream) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *first, size_t kinds, size_t *failed,
                            CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  if (failed) *failed = (size_t)-1;
  std::vector<void *> targets;
  std::vector<const void *> sources;
  for (size_t i = 0; to && from && i < count; ++i) {
    targets.push_back(address(to[i]));
    sources.push_back(address(from[i]));
  }
  return (CUresult)cudaMemcpyBatchAsync(to ? targets.data() : nullptr, from ? sources.data() : nullptr, bytes, count,
                                        laid_out_as<cudaMemcpyAttributes>(attributes), first, kinds, stream);
}
}
