// The driver API's memory, as calls of the runtime API.
#include "allocations.h"
#include "driver.h"
#include "graph.h"

using namespace gpuopt_emu;

namespace {
CUresult given(CUdeviceptr *to, void *at, cudaError_t error) {
  if (error == cudaSuccess) *to = (CUdeviceptr) reinterpret_cast<uintptr_t>(at);
  return (CUresult)error;
}

CUresult filled(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, CUstream stream) {
  if (to % element || (height > 1 && pitch % element)) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)give_fill(cudaMemsetParams{address(to), pitch, value, element, width, height}, stream);
}
}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  void *memory = nullptr;
  if (!at || !bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  return given(at, memory, error);
}
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  void *memory = nullptr;
  if (!at || !bytes) return CUDA_ERROR_INVALID_VALUE;
  const cudaError_t error = cudaMallocManaged(&memory, bytes, flags);
  return given(at, memory, error);
}
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr at) {
  GPUOPT_EMU_IN_CONTEXT();
  Allocation found;
  if (!allocation_at(address(at), &found)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = (CUdeviceptr)found.base;
  if (bytes) *bytes = found.bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr at) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaFree(address(at));
}
CUresult cuMemAllocHost(void **at, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMallocHost(at, bytes);
}
CUresult cuMemFreeHost(void *at) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaFreeHost(at);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpy(address(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpy(to, address(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpy(address(to), address(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpyAsync(address(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpyAsync(to, address(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemcpyAsync(address(to), address(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemGetInfo(size_t *available, size_t *total) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaMemGetInfo(available, total);
}
CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaHostAlloc(at, bytes, flags);
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *at, void *host, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  void *device = nullptr;
  const cudaError_t error = cudaHostGetDevicePointer(&device, host, flags);
  return given(at, device, error);
}
CUresult cuMemHostGetFlags(unsigned int *flags, void *host) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaHostGetFlags(flags, host);
}
CUresult cuMemHostRegister(void *host, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaHostRegister(host, bytes, flags);
}
CUresult cuMemHostUnregister(void *host) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaHostUnregister(host);
}

// cuMemsetD8, cuMemsetD2D8 and so on.
#define GPUOPT_EMU_FILLS(bits, type)                                                                                        \
  CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {                              \
    GPUOPT_EMU_IN_CONTEXT();                                                                                                \
    return filled(to, 0, value, bits / 8, count, 1, stream);                                                                \
  }                                                                                                                         \
  CUresult cuMemsetD##bits(CUdeviceptr to, type value, size_t count) { return cuMemsetD##bits##Async(to, value, count, nullptr); } \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream) { \
    GPUOPT_EMU_IN_CONTEXT();                                                                                                \
    return filled(to, pitch, value, bits / 8, width, height, stream);                                                       \
  }                                                                                                                         \
  CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {                       \
    return cuMemsetD2D##bits##Async(to, pitch, value, width, height, nullptr);                                              \
  }
GPUOPT_EMU_FILLS(8, unsigned char)
GPUOPT_EMU_FILLS(16, unsigned short)
GPUOPT_EMU_FILLS(32, unsigned int)
#undef GPUOPT_EMU_FILLS

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr at) {
  GPUOPT_EMU_IN_CONTEXT();
  Allocation found;
  if (!data || !allocation_at(address(at), &found)) return CUDA_ERROR_INVALID_VALUE;
  cudaPointerAttributes known;
  const cudaError_t error = cudaPointerGetAttributes(&known, address(at));
  if (error != cudaSuccess) return (CUresult)error;
  const bool on_host = known.type == cudaMemoryTypeHost, managed = known.type == cudaMemoryTypeManaged;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext *>(data) = current_context(); return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype *>(data) = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr *>(data) = at; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!known.hostPointer) return CUDA_ERROR_INVALID_VALUE;
      *static_cast<void **>(data) = known.hostPointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<bool *>(data) = managed; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int *>(data) = 0; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<CUdeviceptr *>(data) = (CUdeviceptr)found.base; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t *>(data) = found.bytes; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED: *static_cast<bool *>(data) = true; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}
}
