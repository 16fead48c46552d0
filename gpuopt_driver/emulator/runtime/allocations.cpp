#include "allocations.h"

#include <algorithm>
#include <atomic>
#include <link.h>
#include <map>
#include <mutex>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "gpuopt_emu/block.h"
#include "gpuopt_emu/runtime_templates.h"
#include "model.h"

extern "C" int gpuopt_emu_thrust __attribute__((weak));  // the program uses thrust

namespace gpuopt_emu {

static const size_t ALIGNMENT = 512, MANAGED_PAGE = 4096;
static const unsigned MAPPED_MEMORY = 1u << 30, VARIABLE = 1u << 29;  // flags

static std::mutex allocations_mutex;
static std::map<const char *, Allocation> allocations;  // by base
static size_t allocated_bytes, managed_bytes;  // of the device, and how many of these are managed
static unsigned long long allocation_numbers;

size_t capacity() {
  static const size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
  return bytes;
}

size_t memory_of_gpu() { return gpu().dram_bytes ? gpu().dram_bytes : capacity(); }

// Needs the lock. What is managed gives way on the GPU, but not on this machine.
static size_t still_to_be_had() {
  const size_t here = capacity() - std::min(capacity(), allocated_bytes), fixed = allocated_bytes - managed_bytes;
  return std::min(here, memory_of_gpu() - std::min(memory_of_gpu(), fixed));
}
size_t available() {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  return still_to_be_had();
}

size_t red_zone_bytes() { return checking ? 4096 : 0; }

// Counts an allocation (times 1), or no longer (times -1).
static void count(const Allocation &allocation, size_t times) {
  if (allocation.type == cudaMemoryTypeHost || !allocation.live || allocation.registered) return;
  allocated_bytes += times * allocation.bytes;
  if (allocation.type == cudaMemoryTypeManaged) managed_bytes += times * allocation.bytes;
}

cudaError_t allocate(size_t bytes, cudaMemoryType type, unsigned flags, Allocation *made) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const size_t zone = (red_zone_bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = nullptr;
  if (bytes > capacity() || (type == cudaMemoryTypeDevice && bytes > still_to_be_had())) return cudaErrorMemoryAllocation;
  if (type == cudaMemoryTypeManaged && bytes > capacity() - std::min(capacity(), allocated_bytes)) return cudaErrorMemoryAllocation;
  // Advice is kept by pages: two allocations should share none.
  const size_t alignment = type == cudaMemoryTypeManaged && bytes >= MANAGED_PAGE ? MANAGED_PAGE : ALIGNMENT;
  if (posix_memalign(&memory, alignment, bytes + 2 * zone)) return cudaErrorMemoryAllocation;
  *made = Allocation{static_cast<char *>(memory) + zone, bytes, type, flags, ++allocation_numbers, false, true};
  allocations[made->base] = *made;
  count(*made, 1);
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
  count(allocation, (size_t)-1);
  if (allocation.type == cudaMemoryTypeManaged) forget_advice(allocation.base, allocation.bytes);
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
  count(found->second, (size_t)-1);
  found->second.live = live;
  count(found->second, 1);
}

static std::atomic<const ManagedVariable *> managed_variables{nullptr};  // declared since the last look at them
ManagedVariable::ManagedVariable(const void *at, size_t size) : address(at), bytes(size), next(managed_variables) {
  managed_variables = this;
}

// Needs the lock.
static const Allocation *find(const void *pointer) {
  for (const ManagedVariable *item = managed_variables.exchange(nullptr); item; item = item->next) {
    char *const base = static_cast<char *>(const_cast<void *>(item->address));
    allocations[base] = Allocation{base, item->bytes, cudaMemoryTypeManaged, VARIABLE, 0, true, true};
  }
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
  if (bytes > UINTPTR_MAX - (uintptr_t)address) return false;
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

// Whether the address, in `data`, is in what was loaded with the program or a library: sets it to null.
static int in_loaded(dl_phdr_info *object, size_t, void *data) {
  uintptr_t &address = *static_cast<uintptr_t *>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto &segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || address - (object->dlpi_addr + segment.p_vaddr) >= segment.p_memsz) continue;
    address = 0;
    return 1;
  }
  return 0;
}

bool is_devices(const void *pointer) {
  Allocation found;
  if (allocation_at(pointer, &found) || on_device() || &gpuopt_emu_thrust) return true;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return address && dl_iterate_phdr(in_loaded, &address);
}

void each_allocation(void (*visit)(const Allocation &allocation, void *data), void *data) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  for (const auto &item : allocations) visit(item.second, data);
}

// Needs the lock. Whether something of what we know begins or lies in these bytes.
static bool meets_known(const char *base, size_t bytes) {
  const auto next = allocations.lower_bound(base);
  return find(base) || (next != allocations.end() && next->first < base + bytes);
}

cudaError_t add_registered(void *pointer, size_t bytes, unsigned flags) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  char *const base = static_cast<char *>(pointer);
  const Allocation *const there = find(base);
  if (bytes > UINTPTR_MAX - (uintptr_t)base) return cudaErrorInvalidValue;
  if (there && !there->registered) return cudaErrorInvalidValue;
  if (meets_known(base, bytes)) return cudaErrorHostMemoryAlreadyRegistered;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGE_SIZE), first = (uintptr_t)base / page * page;
  if (msync(reinterpret_cast<void *>(first), (uintptr_t)base + bytes - first, MS_ASYNC)) return cudaErrorInvalidValue;  // no memory
  allocations[base] = Allocation{base, bytes, cudaMemoryTypeHost, flags, ++allocation_numbers, true, true};
  if (checking) check_allocated(allocations[base]);
  if (modelling) model_allocated(allocations[base]);
  return cudaSuccess;
}

bool add_variable(const void *address, size_t bytes) {
  uintptr_t inside = reinterpret_cast<uintptr_t>(address);
  std::lock_guard<std::mutex> lock(allocations_mutex);
  char *const base = static_cast<char *>(const_cast<void *>(address));
  if (meets_known(base, bytes)) return true;
  if (!dl_iterate_phdr(in_loaded, &inside)) return false;
  allocations[base] = Allocation{base, bytes, cudaMemoryTypeDevice, VARIABLE, 0, true, true};
  return true;
}

cudaError_t check_symbol(const void *address, size_t size, size_t bytes, size_t offset, cudaMemcpyKind kind, bool to_symbol) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!add_variable(address, size)) return record(cudaErrorInvalidSymbol);
  if (offset > size || bytes > size - offset) return record(bytes ? cudaErrorInvalidValue : cudaSuccess);
  const bool matches = kind == (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  return matches || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ? cudaSuccess : record(cudaErrorInvalidMemcpyDirection);
}

// Needs the lock.
static void forget(std::map<const char *, Allocation>::iterator found) {
  if (checking) check_released(found->second);
  if (modelling) model_released(found->second);
  allocations.erase(found);
}

cudaError_t remove_registered(void *pointer) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  const Allocation *const there = find(pointer);
  if (!there) return cudaErrorHostMemoryNotRegistered;
  if (there->base != pointer || !there->registered || there->type != cudaMemoryTypeHost || there->flags == MAPPED_MEMORY)
    return cudaErrorInvalidValue;
  forget(allocations.find(there->base));
  return cudaSuccess;
}

bool take_physical(size_t bytes) {
  std::lock_guard<std::mutex> lock(allocations_mutex);
  if (bytes > still_to_be_had()) return false;
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
