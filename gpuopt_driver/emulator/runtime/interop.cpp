// Registered graphics resources: mapping, unmapping, and what they are mapped to.
#include "interop.h"

#include <memory>
#include <mutex>
#include <set>

#include "streams.h"

cudaError_t cudaGraphicsResource::pointer(void **, size_t *) const { return cudaErrorNotMappedAsPointer; }
cudaError_t cudaGraphicsResource::array(cudaArray_t *, unsigned, unsigned) const { return cudaErrorNotMappedAsArray; }
cudaError_t cudaGraphicsResource::mipmapped(cudaMipmappedArray_t *) const { return cudaErrorNotMappedAsArray; }

namespace gpuopt_emu {

static std::mutex resources_lock;
static std::set<cudaGraphicsResource_t> *resources;  // those that are registered

static bool registered(cudaGraphicsResource_t resource) {
  const std::lock_guard<std::mutex> held(resources_lock);
  return resources && resources->count(resource);
}

cudaError_t add_resource(cudaGraphicsResource *made, cudaGraphicsResource_t *resource) {
  const std::lock_guard<std::mutex> held(resources_lock);
  if (!resources) resources = new std::set<cudaGraphicsResource_t>;
  resources->insert(made);
  *resource = made;
  return cudaSuccess;
}

// All of them or none: as far as that can be seen before anything is copied.
static cudaError_t turn(int count, cudaGraphicsResource_t *given, cudaStream_t stream, bool mapped) {
  if (count < 0 || (count && !given)) return cudaErrorInvalidValue;
  for (int i = 0; i < count; ++i) {
    if (!registered(given[i])) return cudaErrorInvalidResourceHandle;
    if (given[i]->mapped == mapped) return mapped ? cudaErrorAlreadyMapped : cudaErrorNotMapped;
    for (int before = 0; before < i; ++before)
      if (given[before] == given[i]) return mapped ? cudaErrorAlreadyMapped : cudaErrorNotMapped;
  }
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  const cudaError_t done = cudaStreamSynchronize(stream);
  if (done != cudaSuccess) return done;
  for (int i = 0; i < count; ++i) {
    const cudaError_t error = mapped ? given[i]->fetch() : given[i]->give_back();
    if (error != cudaSuccess) return error;
    given[i]->mapped = mapped;
  }
  return cudaSuccess;
}

// An error where the resource is not one that is mapped.
static cudaError_t look_at(cudaGraphicsResource_t resource) {
  if (!registered(resource)) return cudaErrorInvalidResourceHandle;
  return resource->mapped ? cudaSuccess : cudaErrorNotMapped;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  GPUOPT_EMU_ENTER();
  {
    const std::lock_guard<std::mutex> held(resources_lock);
    if (!resources || !resources->erase(resource)) return record(cudaErrorInvalidResourceHandle);
  }
  delete resource;
  return cudaSuccess;
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!registered(resource)) return record(cudaErrorInvalidResourceHandle);
  if (flags > cudaGraphicsMapFlagsWriteDiscard) return record(cudaErrorInvalidValue);
  if (resource->mapped) return record(cudaErrorAlreadyMapped);
  resource->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *given, cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  return record(turn(count, given, stream, true));
}
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *given, cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  return record(turn(count, given, stream, false));
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void **pointer, size_t *size, cudaGraphicsResource_t resource) {
  GPUOPT_EMU_ENTER();
  const cudaError_t error = look_at(resource);
  if (error != cudaSuccess) return record(error);
  void *at = nullptr;
  size_t bytes = 0;
  const cudaError_t found = resource->pointer(&at, &bytes);
  if (found != cudaSuccess) return record(found);
  if (pointer) *pointer = at;
  if (size) *size = bytes;
  return cudaSuccess;
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array, cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int level) {
  GPUOPT_EMU_ENTER();
  if (!array) return record(cudaErrorInvalidValue);
  const cudaError_t error = look_at(resource);
  return record(error == cudaSuccess ? resource->array(array, index, level) : error);
}
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmapped,
                                                        cudaGraphicsResource_t resource) {
  GPUOPT_EMU_ENTER();
  if (!mipmapped) return record(cudaErrorInvalidValue);
  const cudaError_t error = look_at(resource);
  return record(error == cudaSuccess ? resource->mipmapped(mipmapped) : error);
}
}
