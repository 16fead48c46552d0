#include "check_shadow.h"

#include <atomic>
#include <mutex>
#include <string.h>
#include <sys/mman.h>
#include <vector>

#include "settings.h"
#include "os_thread.h"

namespace gpuopt_emu {

Region *regions;
static Owner *era_owners;  // by era / ERA_BLOCK
static const unsigned ERA_BLOCK = 16;
static std::atomic<uint64_t> eras{ERA_BLOCK};
static std::mutex shadow_mutex;
static std::vector<const Spot *> *named_places;
static std::vector<Region *> *used_regions;

// Address space that costs nothing until it is used.
static void *reserve(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fatal("GPUOPT_EMU_MODE=check: no address space for %zu bytes of shadow memory", bytes);
  return memory;
}

static void reserve_shadow() {
  regions = static_cast<Region *>(reserve(sizeof(Region) * (ADDRESS_LIMIT >> REGION_SHIFT)));
  era_owners = static_cast<Owner *>(reserve(sizeof(Owner) * ((1ull << 32) / ERA_BLOCK)));
  named_places = new std::vector<const Spot *>(1, nullptr);
  used_regions = new std::vector<Region *>;
}

void make_shadow(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(shadow_mutex);
  if (!regions) reserve_shadow();
  const size_t covered = REGION_MASK + 1;
  for (uintptr_t at = address >> REGION_SHIFT; at <= (address + bytes - 1) >> REGION_SHIFT; ++at) {
    Region &region = regions[at];
    if (region.cells) continue;
    region.written = static_cast<unsigned char *>(reserve(covered / 8 + 8));
    region.allowed = static_cast<unsigned char *>(reserve(covered / 8 + 8));
    region.fine = static_cast<Cell *>(reserve(covered * sizeof(Cell)));
    region.quiet = static_cast<uint32_t *>(reserve(covered / LINE * sizeof(uint32_t)));
    used_regions->push_back(&region);
    region.cells = static_cast<Cell *>(reserve(covered / 4 * sizeof(Cell)));
  }
}

void set_range(unsigned char *bits, size_t first, size_t count, bool value) {
  const auto set = [=](size_t byte, unsigned mask) {
    if (value) __atomic_fetch_or(bits + byte, (unsigned char)mask, __ATOMIC_RELAXED);
    else __atomic_fetch_and(bits + byte, (unsigned char)~mask, __ATOMIC_RELAXED);
  };
  const size_t end = first + count;
  if (first / 8 == end / 8) {
    set(first / 8, (1u << end % 8) - (1u << first % 8));
    return;
  }
  if (first % 8) set(first / 8, 256 - (1u << first % 8));
  const size_t from = (first + 7) / 8, to = end / 8;
  memset(bits + from, value ? 255 : 0, to - from);
  if (end % 8) set(to, (1u << end % 8) - 1);
}

bool all_set(const unsigned char *bits, size_t first, size_t count) {
  while (count) {
    const size_t skip = first % 8, here = 64 - skip < count ? 64 - skip : count;
    uint64_t word;
    memcpy(&word, bits + first / 8, 8);  // there is room behind the last of them
    const uint64_t wanted = here == 64 ? ~0ull : ((1ull << here) - 1) << skip;
    if ((word & wanted) != wanted) return false;
    first += here;
    count -= here;
  }
  return true;
}

// Calls `visit` with each region that the bytes are in, and the part of them that is there.
template <class Visit> static void each_part(uintptr_t address, size_t bytes, Visit visit) {
  while (bytes) {
    const size_t offset = address & REGION_MASK, here = REGION_MASK + 1 - offset < bytes ? REGION_MASK + 1 - offset : bytes;
    visit(regions[address >> REGION_SHIFT], offset, here);
    address += here;
    bytes -= here;
  }
}

void set_bits(uintptr_t address, size_t bytes, int set, int clear) {
  each_part(address, bytes, [=](Region &region, size_t offset, size_t count) {
    if (!region.cells) return;
    if ((set | clear) & ALLOWED) set_range(region.allowed, offset, count, set & ALLOWED);
    if ((set | clear) & WRITTEN) set_range(region.written, offset, count, set & WRITTEN);
  });
}

void end_quiet(uintptr_t address, size_t bytes) {
  each_part(address, bytes, [](Region &region, size_t offset, size_t count) {
    if (!region.cells) return;
    for (size_t line = offset / LINE; line <= (offset + count - 1) / LINE; ++line) region.quiet[line] = 0;
  });
}

bool all_bits(uintptr_t address, size_t bytes, ShadowBits which) {
  bool all = true;
  each_part(address, bytes, [&](Region &region, size_t offset, size_t count) {
    const unsigned char *bits = which == ALLOWED ? region.allowed : region.written;
    for (size_t i = offset; all && i < offset + count; ++i) all = region.cells && bits[i / 8] >> i % 8 & 1;
  });
  return all;
}

void forget_accesses() {
  std::lock_guard<std::mutex> lock(shadow_mutex);
  const size_t covered = REGION_MASK + 1;
  for (Region *region : *used_regions) {
    madvise(region->cells, covered / 4 * sizeof(Cell), MADV_DONTNEED);
    madvise(region->fine, covered * sizeof(Cell), MADV_DONTNEED);
    madvise(region->quiet, covered / LINE * sizeof(uint32_t), MADV_DONTNEED);
  }
  eras = ERA_BLOCK;
}

uint32_t take_eras(uint32_t grid, uint32_t block, unsigned count) {
  const unsigned blocks = (count + ERA_BLOCK - 1) / ERA_BLOCK;
  const uint64_t first = eras.fetch_add((uint64_t)blocks * ERA_BLOCK, std::memory_order_relaxed);
  if (first + (uint64_t)blocks * ERA_BLOCK > 0x7fffffffull)
    fatal("GPUOPT_EMU_MODE=check: the launch has too many barriers to be checked");
  for (unsigned i = 0; i < blocks; ++i) era_owners[first / ERA_BLOCK + i] = Owner{grid, block};
  return (uint32_t)first;
}

uint32_t eras_taken() { return (uint32_t)eras.load(std::memory_order_relaxed); }
const Owner &owner_of(uint32_t era) { return era_owners[era / ERA_BLOCK]; }

unsigned name_place(const Spot *place) {
  const Quiet quiet;
  std::lock_guard<std::mutex> lock(shadow_mutex);
  if (!place->id) {
    named_places->push_back(place);
    const_cast<Spot *>(place)->id = (unsigned)named_places->size() - 1;
  }
  return place->id;
}

const Spot *place_of(Stamp stamp) {
  struct Lasts {
    const Spot *of[16] = {};
  };
  static thread_local OfThread<Lasts> lasts;
  const unsigned id = (unsigned)(stamp >> PLACE_SHIFT) & PLACE_MASK;
  const Spot *&last = lasts->of[id % 16];
  if (last && (last->id & PLACE_MASK) == id) return last;
  const Quiet quiet;
  std::lock_guard<std::mutex> lock(shadow_mutex);
  return last = id < named_places->size() ? (*named_places)[id] : nullptr;
}

}  // namespace gpuopt_emu
