// Memory pools and allocations in the order of a stream: at once, and counted per pool.
#include <map>
#include <mutex>
#include <set>

#include "allocations.h"
#include "graph.h"
#include "streams.h"

struct CUmemPoolHandle_st {
  unsigned long long used, used_high, reserved_high, threshold;
  int reuse[4];
};

namespace gpuopt_emu {

static std::mutex pools_mutex;
static CUmemPoolHandle_st default_pool = {0, 0, 0, 0, {0, 1, 1, 1}};
static CUmemPoolHandle_st *current_pool = &default_pool;
static std::set<CUmemPoolHandle_st *> pools{&default_pool};
static std::map<void *, CUmemPoolHandle_st *> owners;

static bool is_pool(cudaMemPool_t pool) { return pools.count(pool) != 0; }

static cudaError_t take(void **pointer, size_t bytes, CUmemPoolHandle_st *pool) {
  Allocation made;
  const cudaError_t error = allocate(bytes, cudaMemoryTypeDevice, 0, &made);
  if (error != cudaSuccess) return error;
  *pointer = made.base;
  owners[made.base] = pool;
  pool->used += bytes;
  pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
  pool->reserved_high = pool->used_high;
  return cudaSuccess;
}

// Forgets the memory's pool; its bytes are no longer used.
void left_pool(void *pointer, size_t bytes) {
  std::lock_guard<std::mutex> lock(pools_mutex);
  const auto found = owners.find(pointer);
  if (found == owners.end()) return;
  if (is_pool(found->second)) found->second->used -= bytes;
  owners.erase(found);
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!pointer) return record(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  if (!bytes) return cudaSuccess;
  if (captures_launch(stream)) return capture_allocation(stream, bytes, pointer);
  cudaError_t refused = refuse_legacy(stream);
  if (refused == cudaSuccess) refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  return record(take(pointer, bytes, pool));
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, current_pool, stream);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!pointer) return cudaSuccess;
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  if (captures_launch(stream)) return capture_free(stream, pointer);
  const auto work = [pointer] { return take_back(pointer, Wanted::device_or_managed); };
  return submit(stream, cudaGraphNodeTypeMemFree, work, [](CUgraphNode_st &) {});
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  GPUOPT_EMU_ENTER();
  if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id)
    return record(cudaErrorInvalidDevice);
  if (properties->handleTypes != cudaMemHandleTypeNone) return record(cudaErrorNotSupported);
  std::lock_guard<std::mutex> lock(pools_mutex);
  *pool = new CUmemPoolHandle_st(CUmemPoolHandle_st{0, 0, 0, 0, {0, 1, 1, 1}});
  pools.insert(*pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (pool == &default_pool || !pools.erase(pool)) return record(cudaErrorInvalidValue);
  if (current_pool == pool) current_pool = &default_pool;
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  if (!pool) return record(cudaErrorInvalidValue);
  *pool = &default_pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  const cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device);
  if (error == cudaSuccess) *pool = current_pool;
  return error;
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  current_pool = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool) || !value) return record(cudaErrorInvalidValue);
  unsigned long long *const large = static_cast<unsigned long long *>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *static_cast<int *>(value) = pool->reuse[attribute]; break;
    case cudaMemPoolAttrReleaseThreshold: *large = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *large = pool->used; break;
    case cudaMemPoolAttrReservedMemHigh: *large = pool->reserved_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *large = pool->used; break;
    case cudaMemPoolAttrUsedMemHigh: *large = pool->used_high; break;
    default: return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool) || !value) return record(cudaErrorInvalidValue);
  const unsigned long long *const large = static_cast<unsigned long long *>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute] = *static_cast<int *>(value); break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *large; break;
    case cudaMemPoolAttrReservedMemHigh:
      if (*large) return record(cudaErrorInvalidValue);  // high marks can only be reset
      pool->reserved_high = pool->used;
      break;
    case cudaMemPoolAttrUsedMemHigh:
      if (*large) return record(cudaErrorInvalidValue);
      pool->used_high = pool->used;
      break;
    default: return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  return is_pool(pool) ? cudaSuccess : record(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count) {
  GPUOPT_EMU_ENTER();
  if (!is_pool(pool) || (count && !access)) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i)
    if (access[i].location.type != cudaMemLocationTypeDevice || access[i].location.id) return record(cudaErrorInvalidDevice);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  GPUOPT_EMU_ENTER();
  if (!flags || !is_pool(pool) || !location) return record(cudaErrorInvalidValue);
  const bool ours = location->type == cudaMemLocationTypeDevice && !location->id;
  *flags = ours ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

// Sharing between processes: there is none.
cudaError_t cudaMemPoolExportToShareableHandle(void *, cudaMemPool_t, cudaMemAllocationHandleType, unsigned int) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *, void *, cudaMemAllocationHandleType, unsigned int) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *, void *) { return record(cudaErrorNotSupported); }
cudaError_t cudaMemPoolImportPointer(void **, cudaMemPool_t, cudaMemPoolPtrExportData *) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *) { return record(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned int) { return record(cudaErrorNotSupported); }
cudaError_t cudaIpcCloseMemHandle(void *) { return record(cudaErrorNotSupported); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t) { return record(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t) { return record(cudaErrorNotSupported); }
}
