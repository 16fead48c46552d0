// Sharing memory and events with other processes: there is none. What is wrong in itself is told as on a GPU.
#include "allocations.h"
#include "streams.h"

using namespace gpuopt_emu;

extern "C" {

// No pool can be shared (cudaMemPoolCreate), so none can be exported.
cudaError_t cudaMemPoolExportToShareableHandle(void *, cudaMemPool_t, cudaMemAllocationHandleType, unsigned int) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *, cudaMemAllocationHandleType type, unsigned int flags) {
  return record(pool && type && !flags ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *, void *) { return record(cudaErrorInvalidValue); }
cudaError_t cudaMemPoolImportPointer(void **, cudaMemPool_t, cudaMemPoolPtrExportData *) { return record(cudaErrorInvalidValue); }

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
  Allocation found;
  const bool device = allocation_at(pointer, &found) && found.type == cudaMemoryTypeDevice;
  return record(handle && device ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned int) { return record(cudaErrorInvalidValue); }
cudaError_t cudaIpcCloseMemHandle(void *) { return record(cudaErrorInvalidValue); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  if (!lives(event)) return record(cudaErrorInvalidValue);
  if (!(event->flags & cudaEventInterprocess)) return record(cudaErrorInvalidResourceHandle);
  return record(handle ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t) {
  return record(event ? cudaErrorMapBufferObjectFailed : cudaErrorInvalidValue);
}
}
