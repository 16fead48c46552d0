// Device, host and managed memory: all of it is the program's own.
#include "allocations.h"
#include "arrays.h"
#include "check.h"
#include "graph.h"
#include "pools.h"
#include "streams.h"

namespace gpuopt_emu {

static cudaError_t give(void **pointer, size_t bytes, cudaMemoryType type, unsigned flags) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  if (!pointer) return record(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (!bytes) return cudaSuccess;
  Allocation made;
  const cudaError_t error = allocate(bytes, type, flags, &made);
  if (error == cudaSuccess) *pointer = made.base;
  return record(error);
}

cudaError_t take_back(void *pointer, Wanted wanted) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  if (!pointer) return cudaSuccess;
  Allocation found;
  if (allocation_at(pointer, &found) && found.flags == GRAPH_MEMORY && found.base == pointer) {
    if (!found.live) return record(cudaErrorInvalidValue);
    set_live(pointer, false);
    return cudaSuccess;
  }
  const cudaError_t error = release(pointer, wanted);
  if (error == cudaSuccess) left_pool(pointer, found.bytes);
  else if (checking) check_bad_free(pointer);
  return record(error);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) { return give(pointer, bytes, cudaMemoryTypeDevice, 0); }
cudaError_t cudaFree(void *pointer) {
  join_all();
  const cudaError_t error = take_back(pointer, Wanted::device_or_managed);
  pools_waited();
  return error;
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return give(pointer, bytes, cudaMemoryTypeHost, 0); }
cudaError_t cudaFreeHost(void *pointer) {
  join_all();
  return take_back(pointer, Wanted::host);
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  if (flags > 7) return record(cudaErrorInvalidValue);
  return give(pointer, bytes, cudaMemoryTypeHost, flags);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return record(cudaErrorInvalidValue);
  return give(pointer, bytes, cudaMemoryTypeManaged, flags);
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (!pitch) return record(cudaErrorInvalidValue);
  size_t rounded, bytes;
  if (__builtin_add_overflow(width, (size_t)511, &rounded)) return record(cudaErrorInvalidValue);
  rounded = rounded / 512 * 512;
  if (__builtin_mul_overflow(rounded, height, &bytes)) return record(cudaErrorInvalidValue);
  *pitch = height ? rounded : 0;
  return give(pointer, bytes, cudaMemoryTypeDevice, 0);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent) {
  if (!pitched) return record(cudaErrorInvalidValue);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!pointer || !bytes || flags > 15) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  return record(add_registered(pointer, bytes, flags & ~(unsigned)cudaHostRegisterReadOnly));
}
cudaError_t cudaHostUnregister(void *pointer) {
  join_all();
  GPUOPT_EMU_ENTER();
  if (!pointer) return record(cudaErrorInvalidValue);
  return record(remove_registered(pointer));
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  Allocation found;
  if (!device || flags || !allocation_at(host, &found) || found.type != cudaMemoryTypeHost)
    return record(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  GPUOPT_EMU_ENTER();
  Allocation found;
  if (!flags || !allocation_at(host, &found) || found.type == cudaMemoryTypeDevice) return record(cudaErrorInvalidValue);
  *flags = (found.type == cudaMemoryTypeHost ? found.flags : 0) | cudaHostAllocMapped;  // with unified addressing, all of it is mapped
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  GPUOPT_EMU_ENTER();
  if (total) *total = memory_of_gpu();
  if (free_bytes) *free_bytes = available();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  GPUOPT_EMU_ENTER();
  if (!attributes) return record(cudaErrorInvalidValue);
  Allocation found;
  void *address = const_cast<void *>(pointer);
  *attributes = cudaPointerAttributes{cudaMemoryTypeUnregistered, -2, nullptr, address};
  if (allocation_at(pointer, &found) && found.live)
    *attributes = cudaPointerAttributes{found.type, 0, address, found.type == cudaMemoryTypeDevice ? nullptr : address};
  return cudaSuccess;
}
}
