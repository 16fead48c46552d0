// Memory: device, host and managed memory are the program's own, kept in one list to judge pointers by.
#include <map>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

namespace gpuopt_emu {

struct Allocation {
  size_t bytes;
  cudaMemoryType type;
  unsigned flags;
};

static std::mutex mutex;
static std::map<const char *, Allocation> allocations;
static std::map<const char *, Allocation> registered;  // the program's memory, by cudaHostRegister
static size_t used;  // bytes of device and managed memory

// As large as this machine's memory.
static size_t capacity() {
  static const size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
  return bytes;
}

static cudaError_t allocate(void **pointer, size_t bytes, cudaMemoryType type, unsigned flags) {
  GPUOPT_EMU_ENTER();
  if (!pointer) return record(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (!bytes) return cudaSuccess;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes > capacity() - used || posix_memalign(pointer, 256, bytes)) return record(cudaErrorMemoryAllocation);
  if (type != cudaMemoryTypeHost) used += bytes;
  allocations[static_cast<char *>(*pointer)] = Allocation{bytes, type, flags};
  return cudaSuccess;
}

static cudaError_t release(void *pointer, bool host) {
  GPUOPT_EMU_ENTER();
  if (!pointer) return cudaSuccess;
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = allocations.find(static_cast<char *>(pointer));
  if (found == allocations.end() || (found->second.type == cudaMemoryTypeHost) != host)
    return record(cudaErrorInvalidValue);
  if (!host) used -= found->second.bytes;
  allocations.erase(found);
  free(pointer);
  return cudaSuccess;
}

// The allocation that holds the address, null if there is none.
static const Allocation *find(const std::map<const char *, Allocation> &all, const void *pointer, const char **base) {
  const char *address = static_cast<const char *>(pointer);
  auto after = all.upper_bound(address);
  if (after == all.begin()) return nullptr;
  --after;
  if (address >= after->first + after->second.bytes) return nullptr;
  *base = after->first;
  return &after->second;
}

// Whether `bytes` from the pointer on are inside its allocation, where it has one that we know.
static bool fits(const void *pointer, size_t bytes) {
  const char *base;
  const Allocation *found = find(allocations, pointer, &base);
  return !found || bytes <= found->bytes - (size_t)(static_cast<const char *>(pointer) - base);
}

static bool is_device(const void *pointer) {
  const char *base;
  const Allocation *found = find(allocations, pointer, &base);
  return found && found->type == cudaMemoryTypeDevice;
}

// The bytes from the first to behind the last of `height` rows.
static size_t extent(size_t pitch, size_t width, size_t height) { return pitch * (height - 1) + width; }

static cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        cudaMemcpyKind kind) {
  GPUOPT_EMU_ENTER();
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return record(cudaErrorInvalidMemcpyDirection);
  if (!width || !height) return cudaSuccess;
  if (!to || !from) return record(cudaErrorInvalidValue);
  if (height > 1 && (to_pitch < width || from_pitch < width)) return record(cudaErrorInvalidPitchValue);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!fits(to, extent(to_pitch, width, height)) || !fits(from, extent(from_pitch, width, height)))
      return record(cudaErrorInvalidValue);
    if ((kind == cudaMemcpyHostToDevice && is_device(from)) || (kind == cudaMemcpyDeviceToHost && is_device(to)))
      return record(cudaErrorInvalidValue);
  }
  if (height == 1 || (to_pitch == width && from_pitch == width)) {
    memmove(to, from, width * height);
    return cudaSuccess;
  }
  for (size_t row = 0; row < height; ++row)
    memmove(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width);
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) { return allocate(pointer, bytes, cudaMemoryTypeDevice, 0); }
cudaError_t cudaFree(void *pointer) { return release(pointer, false); }
cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return allocate(pointer, bytes, cudaMemoryTypeHost, 0); }
cudaError_t cudaFreeHost(void *pointer) { return release(pointer, true); }
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  return allocate(pointer, bytes, cudaMemoryTypeHost, flags);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
  return allocate(pointer, bytes, cudaMemoryTypeManaged, flags);
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (!pitch) return record(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return allocate(pointer, *pitch * height, cudaMemoryTypeDevice, 0);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice, 0);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) { return release(pointer, false); }
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice, 0);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!pointer || !bytes) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(mutex);
  const char *base;
  if (find(registered, pointer, &base)) return record(cudaErrorHostMemoryAlreadyRegistered);
  registered[static_cast<char *>(pointer)] = Allocation{bytes, cudaMemoryTypeHost, flags};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *pointer) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(mutex);
  return registered.erase(static_cast<char *>(pointer)) ? cudaSuccess : record(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int) {
  GPUOPT_EMU_ENTER();
  if (!device || !host) return record(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(mutex);
  const char *base;
  const Allocation *found = find(allocations, host, &base);
  if (!flags || !found || found->type != cudaMemoryTypeHost) return record(cudaErrorInvalidValue);
  *flags = found->flags;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
  GPUOPT_EMU_ENTER();
  *pool = reinterpret_cast<cudaMemPool_t>(&allocations);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return state(); }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(mutex);
  if (attribute < cudaMemPoolAttrReleaseThreshold) *static_cast<int *>(value) = 1;
  else *static_cast<unsigned long long *>(value) = attribute == cudaMemPoolAttrReleaseThreshold ? 0 : used;
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return state(); }

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  GPUOPT_EMU_ENTER();
  std::lock_guard<std::mutex> lock(mutex);
  if (total) *total = capacity();
  if (available) *available = capacity() - used;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  GPUOPT_EMU_ENTER();
  if (!attributes) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(mutex);
  const char *base;
  const Allocation *found = find(allocations, pointer, &base);
  if (!found) found = find(registered, pointer, &base);
  void *address = const_cast<void *>(pointer);
  *attributes = cudaPointerAttributes{cudaMemoryTypeUnregistered, -2, nullptr, address};
  if (found)
    *attributes = cudaPointerAttributes{found->type, 0, address, found->type == cudaMemoryTypeDevice ? nullptr : address};
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return copy(to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return copy(to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return copy(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return copy(to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  GPUOPT_EMU_ENTER();
  if (!width || !height) return cudaSuccess;
  if (!pointer) return record(cudaErrorInvalidValue);
  if (height > 1 && pitch < width) return record(cudaErrorInvalidPitchValue);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!fits(pointer, extent(pitch, width, height))) return record(cudaErrorInvalidValue);
  }
  for (size_t row = 0; row < height; ++row) memset(static_cast<char *>(pointer) + row * pitch, value, width);
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return cudaMemset2D(pointer, pitch, value, width, height);
}
cudaError_t cudaMemset(void *pointer, int value, size_t bytes) { return cudaMemset2D(pointer, bytes, value, bytes, 1); }
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t) {
  return cudaMemset2D(pointer, bytes, value, bytes, 1);
}
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return state(); }
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return state(); }
}
