// Memory pools and allocations in the order of a stream: at once, and counted per pool.
#include "pools.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "allocations.h"
#include "graph.h"
#include "streams.h"

size_t CUmemPoolHandle_st::place(size_t bytes) {
  size_t at = 0;
  for (const auto &item : places) {
    if (item.first >= at + bytes) break;
    at = (item.first + item.second + UNIT - 1) / UNIT * UNIT;
  }
  places[at] = bytes;
  for (size_t block = at / BLOCK; block <= (at + bytes - 1) / BLOCK; ++block) blocks.insert(block);
  used += bytes;
  used_high = std::max(used_high, used);
  reserved_high = std::max(reserved_high, reserved());
  return at;
}

void CUmemPoolHandle_st::leave(size_t offset) {
  const auto found = places.find(offset);
  used -= found->second;
  places.erase(found);
}

void CUmemPoolHandle_st::shrink(unsigned long long bytes) {
  std::set<size_t> taken;
  for (const auto &item : places)
    for (size_t block = item.first / BLOCK; block <= (item.first + item.second - 1) / BLOCK; ++block) taken.insert(block);
  for (auto block = blocks.end(); block != blocks.begin() && reserved() > bytes;) {
    --block;
    if (!taken.count(*block)) block = blocks.erase(block);
  }
}

namespace gpuopt_emu {

// Pools are for a kind of memory at a place. The numbers of places mean nothing: there is one device and one node.
typedef std::pair<int, int> Purpose;
static Purpose purpose_of(cudaMemAllocationType kind, const cudaMemLocation &location) { return Purpose(kind, location.type); }

struct PoolOwner {
  CUmemPoolHandle_st *pool;
  size_t offset;
};

static std::mutex pools_mutex;
static std::map<Purpose, CUmemPoolHandle_st> default_pools;
static std::map<Purpose, CUmemPoolHandle_st *> current_pools;
static std::set<CUmemPoolHandle_st *> pools;
static std::map<void *, PoolOwner> owners;
static std::atomic<bool> any_pools{false};

static bool is_place(cudaMemAllocationType kind, const cudaMemLocation &location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
    case cudaMemLocationTypeHostNuma: return !location.id && (kind == cudaMemAllocationTypePinned || kind == cudaMemAllocationTypeManaged);
    case cudaMemLocationTypeHost: return kind == cudaMemAllocationTypePinned || kind == cudaMemAllocationTypeManaged;
    case cudaMemLocationTypeNone: return kind == cudaMemAllocationTypeManaged;
    default: return false;
  }
}

static bool is_on_host(const CUmemPoolHandle_st &pool) {
  const bool host = pool.location.type == cudaMemLocationTypeHost || pool.location.type == cudaMemLocationTypeHostNuma;
  return host && pool.kind == cudaMemAllocationTypePinned;
}

// These need the lock.
static CUmemPoolHandle_st *default_pool(cudaMemAllocationType kind, const cudaMemLocation &location) {
  const auto made = default_pools.emplace(purpose_of(kind, location), CUmemPoolHandle_st());
  CUmemPoolHandle_st *const pool = &made.first->second;
  if (made.second) {
    pool->kind = kind;
    pool->location = location;
    pool->for_device = pool->kind == cudaMemAllocationTypePinned && !is_on_host(*pool);
    pools.insert(pool);
  }
  return pool;
}
static CUmemPoolHandle_st *current_pool(cudaMemAllocationType kind, const cudaMemLocation &location) {
  const auto found = current_pools.find(purpose_of(kind, location));
  return found == current_pools.end() ? default_pool(kind, location) : found->second;
}
static const cudaMemLocation DEVICE = {cudaMemLocationTypeDevice, 0};
static bool is_pool(cudaMemPool_t pool) {
  if (pools.empty()) default_pool(cudaMemAllocationTypePinned, DEVICE);
  return pools.count(pool) != 0;
}

static cudaError_t take(void **pointer, size_t bytes, CUmemPoolHandle_st *pool) {
  const size_t block = CUmemPoolHandle_st::BLOCK;
  if (pool->most && pool->used + bytes > (pool->most + block - 1) / block * block) return cudaErrorMemoryAllocation;
  const bool on_host = is_on_host(*pool);
  const cudaMemoryType type = pool->kind == cudaMemAllocationTypeManaged ? cudaMemoryTypeManaged
                              : on_host                                  ? cudaMemoryTypeHost
                                                                         : cudaMemoryTypeDevice;
  Allocation made;
  const cudaError_t error = allocate(bytes, type, 0, &made);
  if (error != cudaSuccess) return error;
  *pointer = made.base;
  owners[made.base] = PoolOwner{pool, pool->place(bytes)};
  any_pools = true;
  return cudaSuccess;
}

// A pool that is destroyed lives as long as what came from it.
static void remove_unused(CUmemPoolHandle_st *pool) {
  if (pool->destroyed && pool->places.empty()) delete pool;
}

// Forgets the memory's pool; its bytes are no longer used.
void left_pool(void *pointer, size_t) {
  std::lock_guard<std::mutex> lock(pools_mutex);
  const auto found = owners.find(pointer);
  if (found == owners.end()) return;
  found->second.pool->leave(found->second.offset);
  remove_unused(found->second.pool);
  owners.erase(found);
}

void pools_waited() {
  if (!any_pools.load(std::memory_order_relaxed)) return;
  std::lock_guard<std::mutex> lock(pools_mutex);
  for (CUmemPoolHandle_st *pool : pools) pool->shrink(pool->threshold);
}

static bool has_owner(void *pointer) {
  std::lock_guard<std::mutex> lock(pools_mutex);
  return owners.count(pointer) != 0;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

static cudaError_t malloc_async(void **pointer, size_t bytes, cudaMemPool_t pool, bool current, cudaStream_t stream) {
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
  if (current) pool = current_pool(cudaMemAllocationTypePinned, DEVICE);
  else if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  return record(take(pointer, bytes, pool));
}
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return malloc_async(pointer, bytes, pool, false, stream);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return malloc_async(pointer, bytes, nullptr, true, stream);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!pointer) return cudaSuccess;
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  Allocation found;
  const bool known = allocation_at(pointer, &found);
  if (captures_launch(stream)) return capture_free(stream, pointer);
  if (known && found.type == cudaMemoryTypeManaged && !has_owner(pointer)) return record(cudaErrorNotSupported);
  const Wanted wanted = known && found.type == cudaMemoryTypeHost && has_owner(pointer) ? Wanted::host : Wanted::device_or_managed;
  const auto work = [pointer, wanted] { return take_back(pointer, wanted); };
  return submit(stream, cudaGraphNodeTypeMemFree, work, [](CUgraphNode_st &) {});
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  GPUOPT_EMU_ENTER();
  if (!pool || !properties || !is_place(properties->allocType, properties->location)) return record(cudaErrorInvalidValue);
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  for (const unsigned char byte : properties->reserved)
    if (byte) return record(cudaErrorInvalidValue);
  const int handles = properties->handleTypes;
  if (handles & ~(cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeFabric)) return record(cudaErrorInvalidValue);
  if (handles != cudaMemHandleTypeNone) return record(cudaErrorNotSupported);
  CUmemPoolHandle_st *const made = new CUmemPoolHandle_st();
  made->kind = properties->allocType;
  made->location = properties->location;
  made->most = properties->maxSize;
  made->standard = false;
  made->for_device = made->kind == cudaMemAllocationTypePinned && !is_on_host(*made);
  std::lock_guard<std::mutex> lock(pools_mutex);
  pools.insert(*pool = made);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool) || pool->standard) return record(cudaErrorInvalidValue);
  pools.erase(pool);
  const auto current = current_pools.find(purpose_of(pool->kind, pool->location));
  if (current != current_pools.end() && current->second == pool) current_pools.erase(current);
  pool->destroyed = true;
  remove_unused(pool);
  return cudaSuccess;
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, cudaMemLocation *location, cudaMemAllocationType kind) {
  GPUOPT_EMU_ENTER();
  if (!pool || !location || !is_place(kind, *location)) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(pools_mutex);
  *pool = default_pool(kind, *location);
  return cudaSuccess;
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, cudaMemLocation *location, cudaMemAllocationType kind) {
  GPUOPT_EMU_ENTER();
  if (!pool || !location || !is_place(kind, *location)) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(pools_mutex);
  *pool = current_pool(kind, *location);
  return cudaSuccess;
}
cudaError_t cudaMemSetMemPool(cudaMemLocation *location, cudaMemAllocationType kind, cudaMemPool_t pool) {
  GPUOPT_EMU_ENTER();
  if (!location || !is_place(kind, *location)) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool) || purpose_of(pool->kind, pool->location) != purpose_of(kind, *location)) return record(cudaErrorInvalidValue);
  current_pools[purpose_of(kind, *location)] = pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  cudaMemLocation location = DEVICE;
  return device ? record(cudaErrorInvalidDevice) : cudaMemGetDefaultMemPool(pool, &location, cudaMemAllocationTypePinned);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  return cudaMemGetMemPool(pool, &location, cudaMemAllocationTypePinned);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  return cudaMemSetMemPool(&location, cudaMemAllocationTypePinned, pool);
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
    case cudaMemPoolAttrReservedMemCurrent: *large = pool->reserved(); break;
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
    case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute] = *static_cast<int *>(value) != 0; break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *large; break;
    case cudaMemPoolAttrReservedMemHigh:
      if (*large) return record(cudaErrorInvalidValue);  // high marks can only be reset
      pool->reserved_high = pool->reserved();
      break;
    case cudaMemPoolAttrUsedMemHigh:
      if (*large) return record(cudaErrorInvalidValue);
      pool->used_high = pool->used;
      break;
    default: return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  pool->shrink((bytes + CUmemPoolHandle_st::BLOCK - 1) / CUmemPoolHandle_st::BLOCK * CUmemPoolHandle_st::BLOCK);
  return cudaSuccess;
}
// The device's access to its own memory is what it is.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!is_pool(pool) || (count && !access)) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    const int flags = access[i].flags;
    if (flags != cudaMemAccessFlagsProtNone && flags != cudaMemAccessFlagsProtRead && flags != cudaMemAccessFlagsProtReadWrite)
      return record(cudaErrorInvalidValue);
    if (flags == cudaMemAccessFlagsProtRead || access[i].location.type != cudaMemLocationTypeDevice) return record(cudaErrorNotSupported);
    if (access[i].location.id || (flags == cudaMemAccessFlagsProtNone && !is_on_host(*pool))) return record(cudaErrorInvalidDevice);
  }
  for (size_t i = 0; i < count; ++i) pool->for_device = access[i].flags != cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(pools_mutex);
  if (!flags || !is_pool(pool) || !location || !is_place(cudaMemAllocationTypePinned, *location)) return record(cudaErrorInvalidValue);
  const bool ours = location->type == cudaMemLocationTypeDevice ? pool->for_device : pool->kind == cudaMemAllocationTypeManaged || is_on_host(*pool);
  *flags = ours ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
}
