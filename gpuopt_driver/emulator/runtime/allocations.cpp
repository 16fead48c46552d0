#include "allocations.h"

#include <map>
#include <mutex>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "model.h"

namespace gpuopt_emu {

static const size_t ALIGNMENT = 256;
static const unsigned MAPPED_MEMORY = 1u << 30;  // flag

static std::mutex allocations_mutex;
static std::map<const char *, Allocation> allocations;  // by base
static size_t allocated_bytes;
static unsigned long long allocation_numbers;

size_t capacity() {
  static const size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
  return bytes;
}

size_t allocated() {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  return allocated_bytes;
}

size_t red_zone_bytes() { return checking ? 4096 : 0; }

static size_t on_device(const Allocation &allocation) {
  return allocation.type == cudaMemoryTypeHost || !allocation.live || allocation.registered ? 0 : allocation.bytes;
}

cudaError_t allocate(size_t bytes, cudaMemoryType type, unsigned flags, Allocation *made) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const size_t zone = (red_zone_bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = nullptr;
  if (bytes > capacity() || (type != cudaMemoryTypeHost && bytes > capacity() - allocated_bytes)) return cudaErrorMemoryAllocation;
  if (posix_memalign(&memory, ALIGNMENT, bytes + 2 * zone)) return cudaErrorMemoryAllocation;
  *made = Allocation{static_cast<char *>(memory) + zone, bytes, type, flags, ++allocation_numbers, false, true};
  allocations[made->base] = *made;
  allocated_bytes += on_device(*made);
  if (checking) check_allocated(*made);
  if (modelling) model_allocated(*made);
  return cudaSuccess;
}

cudaError_t release(void *pointer, Wanted wanted) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const auto found = allocations.find(static_cast<char *>(pointer));
  if (found == allocations.end() || found->second.registered) return cudaErrorInvalidValue;
  const Allocation &allocation = found->second;
  if ((allocation.type == cudaMemoryTypeHost) != (wanted == Wanted::host)) return cudaErrorInvalidValue;
  const size_t zone = (red_zone_bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  allocated_bytes -= on_device(allocation);
  if (modelling) model_released(allocation);
  if (checking) check_released(allocation);
  else free(allocation.base - zone);
  allocations.erase(found);
  return cudaSuccess;
}

void set_live(void *pointer, bool live) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const auto found = allocations.find(static_cast<char *>(pointer));
  if (found == allocations.end()) return;
  allocated_bytes -= on_device(found->second);
  found->second.live = live;
  allocated_bytes += on_device(found->second);
}

// Needs the lock.
static const Allocation *find(const void *pointer) {
  const char *address = static_cast<const char *>(pointer);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  --after;
  return address < after->first + after->second.bytes ? &after->second : nullptr;
}

bool allocation_at(const void *address, Allocation *found) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const Allocation *allocation = find(address);
  if (allocation) *found = *allocation;
  return allocation != nullptr;
}

bool fits(const void *address, size_t bytes) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const char *const end = static_cast<const char *>(address) + bytes;
  const Allocation *found = find(address);
  if (!found) return true;
  while (end > found->base + found->bytes) {  // into what is mapped next to it
    const Allocation *const next = found->flags == MAPPED_MEMORY ? find(found->base + found->bytes) : nullptr;
    if (!next || next->flags != MAPPED_MEMORY) return false;
    found = next;
  }
  return true;
}

void each_allocation(void (*visit)(const Allocation &allocation, void *data), void *data) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  for (const auto &item : allocations) visit(item.second, data);
}

cudaError_t add_registered(void *pointer, size_t bytes, unsigned flags) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  if (find(pointer)) return cudaErrorHostMemoryAlreadyRegistered;
  char *const base = static_cast<char *>(pointer);
  allocations[base] = Allocation{base, bytes, cudaMemoryTypeHost, flags, ++allocation_numbers, true, true};
  if (checking) check_allocated(allocations[base]);
  if (modelling) model_allocated(allocations[base]);
  return cudaSuccess;
}

// Needs the lock.
static void forget(std::map<const char *, Allocation>::iterator found) {
  if (checking) check_released(found->second);
  if (modelling) model_released(found->second);
  allocations.erase(found);
}

cudaError_t remove_registered(void *pointer) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const auto found = allocations.find(static_cast<char *>(pointer));
  if (found == allocations.end() || !found->second.registered || found->second.flags == MAPPED_MEMORY)
    return cudaErrorHostMemoryNotRegistered;
  forget(found);
  return cudaSuccess;
}

bool take_physical(size_t bytes) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  if (bytes > capacity() - allocated_bytes) return false;
  allocated_bytes += bytes;
  return true;
}

void give_physical(size_t bytes) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  allocated_bytes -= bytes;
}

void add_mapped(char *base, size_t bytes, cudaMemoryType type, bool written) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  Allocation mapped = {base, bytes, type, MAPPED_MEMORY, ++allocation_numbers, true, true};
  allocations[base] = mapped;
  if (written) mapped.type = cudaMemoryTypeHost;
  if (checking) check_allocated(mapped);
  if (modelling) model_allocated(mapped);
}

void remove_mapped(char *base) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const auto found = allocations.find(base);
  if (found != allocations.end()) forget(found);
}

}  // namespace gpuopt_emu
