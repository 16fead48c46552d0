// Virtual memory management: physical memory is a file without a name, which is mapped where addresses were reserved.
// What was not mapped, or not made accessible, ends a kernel that touches it, as on a GPU.
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>

#include "allocations.h"
#include "background.h"
#include "driver.h"

namespace gpuopt_emu {

static const size_t GRANULARITY = 2 << 20;  // bytes, of GPUs since Volta

namespace {
struct Physical {
  int file;
  size_t bytes;
  CUmemAllocationProp properties;
  bool written;  // something may be in it

  Physical(int file_, size_t bytes_, const CUmemAllocationProp &p, bool known)
      : file(file_), bytes(bytes_), properties(p), written(known) {}
  Physical(const Physical &) = delete;
  ~Physical() {
    close(file);
    give_physical(bytes);
  }
};
typedef std::shared_ptr<Physical> PhysicalPointer;

struct Handle {
  PhysicalPointer memory;
  unsigned references;
};
struct Mapping {
  size_t bytes;
  PhysicalPointer memory;
  CUmemAccess_flags access;
};

// All of the program's; numbers of handles are not used again.
struct VirtualMemory {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, Handle> handles;
  CUmemGenericAllocationHandle last_handle = 0;
  std::map<char *, size_t> reserved;  // bytes by start
  std::map<char *, Mapping> mapped;

  CUmemGenericAllocationHandle add(const PhysicalPointer &memory) {
    handles[++last_handle] = Handle{memory, 1};
    return last_handle;
  }
  // Whether one reservation holds all of it.
  bool is_reserved(char *at, size_t bytes) const {
    auto found = reserved.upper_bound(at);
    return found != reserved.begin() && (--found, at + bytes <= found->first + found->second);
  }
  bool has_mapping(char *at, size_t bytes) const {
    auto found = mapped.upper_bound(at + bytes - 1);
    return found != mapped.begin() && (--found, at < found->first + found->second.bytes);
  }
  // Whether it is made of whole mappings.
  bool is_mapped(char *at, size_t bytes) const {
    char *const end = at + bytes;
    for (auto found = mapped.find(at); at < end; ++found) {
      if (found == mapped.end() || found->first != at) return false;
      at += found->second.bytes;
    }
    return at == end;
  }
};
}  // namespace

static VirtualMemory &virtual_memory() {
  static VirtualMemory *all = new VirtualMemory;  // never destroyed: programs may unmap in destructors of static objects
  return *all;
}

static char *pointer_of(CUdeviceptr at) { return reinterpret_cast<char *>((uintptr_t)at); }
static bool is_whole(size_t bytes) { return bytes && bytes % GRANULARITY == 0; }

static bool on_host(const CUmemLocation &location) {
  return location.type >= CU_MEM_LOCATION_TYPE_HOST && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}
static CUresult check_location(const CUmemLocation &location) {
  if (on_host(location)) return CUDA_SUCCESS;
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  return location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
static CUresult check_properties(const CUmemAllocationProp *properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  return check_location(properties->location);
}

static int protection_of(CUmemAccess_flags flags) {
  return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
         : flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                     : PROT_NONE;
}

static CUresult make_physical(int file, size_t bytes, const CUmemAllocationProp &properties, bool written,
                              CUmemGenericAllocationHandle *handle) {
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!take_physical(bytes)) {
    close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const PhysicalPointer memory = std::make_shared<Physical>(file, bytes, properties, written);
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  *handle = v.add(memory);
  return CUDA_SUCCESS;
}

static bool reserve_again(char *at, size_t bytes) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(at, bytes, PROT_NONE, how, -1, 0) != MAP_FAILED;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags which) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!bytes || (unsigned)which > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_properties(properties);
  if (error == CUDA_SUCCESS) *bytes = GRANULARITY;
  return error;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  GPUOPT_EMU_IN_CONTEXT();
  const CUresult error = check_properties(properties);
  if (error != CUDA_SUCCESS) return error;
  if (!handle || flags || !is_whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
  const int file = memfd_create("gpuopt-emulator", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, (off_t)bytes)) {
    close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return make_physical(file, bytes, *properties, false, handle);
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  const auto found = v.handles.find(handle);
  if (found == v.handles.end()) return CUDA_ERROR_INVALID_VALUE;
  if (--found->second.references == 0) v.handles.erase(found);
  return CUDA_SUCCESS;
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *at) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  auto mapping = v.mapped.upper_bound(static_cast<char *>(at));
  if (!handle || mapping == v.mapped.begin()) return CUDA_ERROR_INVALID_VALUE;
  --mapping;
  if (static_cast<char *>(at) >= mapping->first + mapping->second.bytes) return CUDA_ERROR_INVALID_VALUE;
  for (auto &known : v.handles) {
    if (known.second.memory != mapping->second.memory) continue;
    ++known.second.references;
    *handle = known.first;
    return CUDA_SUCCESS;
  }
  *handle = v.add(mapping->second.memory);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  const auto found = v.handles.find(handle);
  if (!properties || found == v.handles.end()) return CUDA_ERROR_INVALID_VALUE;
  *properties = found->second.memory->properties;
  return CUDA_SUCCESS;
}
CUresult cuMemExportToShareableHandle(void *file, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  const auto found = v.handles.find(handle);
  if (!file || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || found == v.handles.end()) return CUDA_ERROR_INVALID_VALUE;
  if (!(found->second.memory->properties.requestedHandleTypes & type)) return CUDA_ERROR_INVALID_VALUE;
  const int copy = dup(found->second.memory->file);
  if (copy < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *static_cast<int *>(file) = copy;
  return CUDA_SUCCESS;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *file, CUmemAllocationHandleType type) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  const int given = (int)(intptr_t)file;
  struct stat status;
  if (given < 0 || fstat(given, &status) || !is_whole((size_t)status.st_size)) return CUDA_ERROR_INVALID_VALUE;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location = CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return make_physical(dup(given), (size_t)status.st_size, properties, true, handle);
}

CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t alignment, CUdeviceptr wish, unsigned long long flags) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!at || flags || !is_whole(bytes) || (alignment & (alignment - 1))) return CUDA_ERROR_INVALID_VALUE;
  const size_t unit = alignment > GRANULARITY ? alignment : GRANULARITY, room = bytes + unit;
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *const memory = mmap(wish % unit ? nullptr : pointer_of(wish), room, PROT_NONE, how, -1, 0);
  if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  char *const first = static_cast<char *>(memory);
  char *const start = reinterpret_cast<char *>(((uintptr_t)first + unit - 1) / unit * unit);
  if (start != first) munmap(first, (size_t)(start - first));
  if (start + bytes != first + room) munmap(start + bytes, (size_t)(first + room - start) - bytes);
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  v.reserved[start] = bytes;
  *at = (CUdeviceptr)(uintptr_t)start;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  const auto found = v.reserved.find(pointer_of(at));
  if (found == v.reserved.end() || found->second != bytes || v.has_mapping(found->first, bytes)) return CUDA_ERROR_INVALID_VALUE;
  munmap(found->first, bytes);
  v.reserved.erase(found);
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
  GPUOPT_EMU_IN_CONTEXT();
  char *const start = pointer_of(at);
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  const auto found = v.handles.find(handle);
  // Part of the memory is not mapped on GPUs of today either: the offset has to be 0, the size all of it.
  if (flags || offset || at % GRANULARITY || !is_whole(bytes) || found == v.handles.end()) return CUDA_ERROR_INVALID_VALUE;
  const PhysicalPointer &memory = found->second.memory;
  if (bytes < memory->bytes) return CUDA_ERROR_NOT_SUPPORTED;
  if (bytes > memory->bytes || !v.is_reserved(start, bytes) || v.has_mapping(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (mmap(start, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file, 0) == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  v.mapped[start] = Mapping{bytes, memory, CU_MEM_ACCESS_FLAGS_PROT_NONE};
  add_mapped(start, bytes, on_host(memory->properties.location) ? cudaMemoryTypeHost : cudaMemoryTypeDevice, memory->written);
  memory->written = true;
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr at, size_t bytes) {
  GPUOPT_EMU_IN_CONTEXT();
  join_all();
  char *const start = pointer_of(at);
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  if (!bytes || !v.is_mapped(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
  for (auto found = v.mapped.find(start); found != v.mapped.end() && found->first < start + bytes;) {
    remove_mapped(found->first);
    found = v.mapped.erase(found);
  }
  return reserve_again(start, bytes) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *access, size_t count) {
  GPUOPT_EMU_IN_CONTEXT();
  char *const start = pointer_of(at);
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  if (!access || !count || !bytes || !v.is_mapped(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    const CUresult error = check_location(access[i].location);
    if (error != CUDA_SUCCESS) return error;
    if (on_host(access[i].location)) continue;
    if (mprotect(start, bytes, protection_of(access[i].flags))) return CUDA_ERROR_INVALID_VALUE;
    for (auto found = v.mapped.find(start); found != v.mapped.end() && found->first < start + bytes; ++found)
      found->second.access = access[i].flags;
  }
  return CUDA_SUCCESS;
}
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr at) {
  GPUOPT_EMU_IN_CONTEXT();
  VirtualMemory &v = virtual_memory();
  std::lock_guard<std::mutex> lock(v.mutex);
  auto found = v.mapped.upper_bound(pointer_of(at));
  if (!flags || !location || found == v.mapped.begin()) return CUDA_ERROR_INVALID_VALUE;
  --found;
  if (pointer_of(at) >= found->first + found->second.bytes) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_location(*location);
  if (error == CUDA_SUCCESS) *flags = found->second.access;
  return error;
}
}
