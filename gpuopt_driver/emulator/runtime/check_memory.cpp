// The memory that a device may access, and accesses to anything else. Shared memory is in check_shared.cpp.
#include "allocations.h"

#include <algorithm>
#include <deque>
#include <link.h>
#include <map>
#include <mutex>
#include <stdlib.h>
#include <string.h>

#include "check_block.h"
#include "driver_types.h"
#include "settings.h"
#include "state.h"

extern "C" const int gpuopt_emu_host_vectors __attribute__((weak));  // the program uses thrust

namespace gpuopt_emu {

namespace {
struct Held {
  size_t bytes;
  unsigned long long number;
  const Spot *place, *freed_at;
  bool freed, by_device;
};
}  // namespace

bool checking;
static std::mutex pieces_mutex;
static std::map<uintptr_t, Held> *pieces;
static std::deque<uintptr_t> *kept;  // freed, but still there
static size_t kept_bytes;
static const size_t KEPT_BYTES = (size_t)256 << 20;

// Read-only memory of the program may be read.
static int allow_constants(dl_phdr_info *object, size_t, void *) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto &segment = object->dlpi_phdr[i];
    const bool relro = segment.p_type == PT_GNU_RELRO;
    if (!relro && (segment.p_type != PT_LOAD || segment.p_flags & PF_W)) continue;
    const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    if (!segment.p_memsz) continue;
    make_shadow(start, segment.p_memsz);
    set_bits(start, segment.p_memsz, ALLOWED | WRITTEN, 0);
  }
  return 0;
}

void begin_checking() {
  checking = true;
  pieces = new std::map<uintptr_t, Held>;
  kept = new std::deque<uintptr_t>;
  dl_iterate_phdr(allow_constants, nullptr);
  each_variable([](const char *address, size_t bytes, const std::string &, size_t) {
    make_shadow((uintptr_t)address, bytes);
    set_bits((uintptr_t)address, bytes, ALLOWED | WRITTEN, 0);
  });
}

static void add_piece(const void *base, size_t bytes, unsigned long long number, const Spot *place, bool written,
                      bool by_device) {
  const uintptr_t start = (uintptr_t)base;
  make_shadow(start, bytes);
  set_bits(start, bytes, written ? ALLOWED | WRITTEN : ALLOWED, written ? 0 : WRITTEN);
  std::lock_guard<std::mutex> lock(pieces_mutex);
  (*pieces)[start] = Held{bytes, number, place, nullptr, false, by_device};
}

void check_allocated(const Allocation &allocation) {
  // What the host writes into memory that it can reach is not seen here.
  add_piece(allocation.base, allocation.bytes, allocation.number, calling_place(),
            allocation.type != cudaMemoryTypeDevice, false);
}

static void mark_freed(uintptr_t start, const Spot *place) {
  std::lock_guard<std::mutex> lock(pieces_mutex);
  const auto found = pieces->find(start);
  if (found == pieces->end()) return;
  set_bits(start, found->second.bytes, 0, ALLOWED | WRITTEN);
  end_quiet(start, found->second.bytes);
  found->second.freed = true;
  found->second.freed_at = place;
}

void check_released(const Allocation &allocation) {
  const uintptr_t start = (uintptr_t)allocation.base;
  mark_freed(start, calling_place());
  if (allocation.registered) {
    std::lock_guard<std::mutex> lock(pieces_mutex);
    pieces->erase(start);
    return;
  }
  std::lock_guard<std::mutex> lock(pieces_mutex);
  kept->push_back(start);
  kept_bytes += allocation.bytes;
  while (kept_bytes > KEPT_BYTES) {
    const uintptr_t oldest = kept->front();
    kept_bytes -= (*pieces)[oldest].bytes;
    pieces->erase(oldest);
    kept->pop_front();
    free(reinterpret_cast<char *>(oldest) - red_zone_bytes());
  }
}

void *check_device_malloc(size_t bytes, const Spot *place) {
  const Quiet quiet;
  const size_t zone = red_zone_bytes();
  char *memory = static_cast<char *>(malloc(bytes + 2 * zone));
  if (!memory) return nullptr;
  add_piece(memory + zone, bytes ? bytes : 1, 0, place, false, true);
  return memory + zone;
}

void check_device_free(void *pointer, const Spot *place) {
  if (!pointer) return;
  const Quiet quiet;
  {
    std::lock_guard<std::mutex> lock(pieces_mutex);
    const auto found = pieces->find((uintptr_t)pointer);
    if (found != pieces->end() && found->second.by_device && !found->second.freed) pointer = nullptr;
    if (!pointer) {
      set_bits(found->first, found->second.bytes, 0, ALLOWED | WRITTEN);
      end_quiet(found->first, found->second.bytes);
      forget_recent(current->block->check);
      found->second.freed = true;
      found->second.freed_at = place;
      return;
    }
  }
  BlockCheck *check = current->block->check;
  const Event event = {current->block, check, (uintptr_t)pointer, 0, Access::write,
                       stamp(check->eras[current->linear], current->linear), place};
  const Where where = where_is(current->block, (uintptr_t)pointer);
  Finding finding = finding_for(event, "invalid-free", where);
  finding.text = where.is_freed ? "memory is freed twice" : "what is freed was not allocated in a kernel";
  report(finding);
}

void check_bad_free(const void *pointer) {
  const Where where = where_is(nullptr, (uintptr_t)pointer);
  Finding finding = {};
  finding.kind = "invalid-free";
  finding.error = true;
  finding.place = calling_place();
  finding.where = where;
  finding.text = where.is_freed ? "memory is freed twice"
                 : where.is_known && where.offset ? "what is freed is not the start of an allocation"
                                                  : "what is freed was not allocated so";
  report(finding);
}

void check_filled(const void *address, size_t bytes) {
  if (bytes) set_bits((uintptr_t)address, bytes, WRITTEN, 0);
}

void check_copied(const void *to, const void *from, size_t bytes) {
  if (!bytes) return;
  Allocation source;
  const bool partly = allocation_at(from, &source) && !all_bits((uintptr_t)from, bytes, WRITTEN);
  if (!partly) return check_filled(to, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    const bool written = all_bits((uintptr_t)from + i, 1, WRITTEN);
    set_bits((uintptr_t)to + i, 1, written ? WRITTEN : 0, written ? 0 : WRITTEN);
  }
}

bool piece_at(uintptr_t address, Piece *piece) {
  Where where = {};
  if (variable_at(address, &where)) {
    *piece = Piece{address - (uintptr_t)where.offset, where.bytes, false};
    return true;
  }
  std::lock_guard<std::mutex> lock(pieces_mutex);
  const auto after = pieces->upper_bound(address);
  if (after == pieces->begin()) return false;
  const auto found = std::prev(after);
  if (found->second.freed || address - found->first >= found->second.bytes) return false;
  *piece = Piece{found->first, found->second.bytes, !found->second.by_device};
  return true;
}

Where where_is(const Block *block, uintptr_t address) {
  if (block && address - (uintptr_t)block->shared < block->shared_bytes) return where_in_shared(block, address);
  for (unsigned rank = 0; block && block->cluster && rank < volume_of(block->cluster->size); ++rank) {
    const Block *other = block->cluster->blocks[rank];
    if (address - (uintptr_t)other->shared < other->shared_bytes) return where_in_shared(other, address);
  }
  Where where = {};
  where.kind = "global memory";
  if (variable_at(address, &where)) return where;
  std::lock_guard<std::mutex> lock(pieces_mutex);
  auto after = pieces->upper_bound(address);
  auto best = pieces->end();
  if (after != pieces->begin()) {
    best = after;
    --best;
  }
  const size_t zone = red_zone_bytes();
  if (best == pieces->end() || address >= best->first + best->second.bytes + zone) {
    best = after;
    if (best == pieces->end() || address + zone < best->first) return where;
  }
  const Held &piece = best->second;
  where.is_known = true;
  where.array = piece.place && piece.place->text ? piece.place->text : "";
  where.bytes = piece.bytes;
  where.offset = (long long)(address - best->first);
  where.allocated = piece.place;
  where.is_freed = piece.freed;
  where.freed = piece.freed_at;
  return where;
}

static bool is_in(uintptr_t address, const void *start, size_t bytes) { return address - (uintptr_t)start < bytes; }

// Whether an address is where the runtime keeps what inlined functions of its headers work on. No program can name it, so an access
// there is nobody's business whatever its place says: g++ gives loads that it moves (`block->ready` at a warp's meeting) no
// line, and what stands before them in the assembly text may be the user's.
static bool is_the_runtimes(const Block *block, uintptr_t address) {
  const Room &room = *block->room;
  if (is_in(address, &room, sizeof room) || is_in(address, room.worker, sizeof *room.worker)) return true;
  if (is_in(address, room.fibers, room.fibers_made * sizeof(Fiber))) return true;
  if (is_in(address, room.warps.data(), room.warps.size() * sizeof(Warp))) return true;
  if (is_in(address, &current, sizeof current) || is_in(address, &current_block, sizeof current_block)) return true;
  if (block->cluster && is_in(address, block->cluster, sizeof *block->cluster)) return true;
  for (const Group *group : room.groups)
    if (is_in(address, group, sizeof *group)) return true;
  return false;
}

bool admit(const Event &event) {
  const BlockCheck *other = event.block->cluster && !is_shared(event) ? near_owner(event.block, event.address) : nullptr;
  const bool shared = other || is_shared(event);
  const uintptr_t at = event.address - (other ? other : event.check)->shared;
  More *more = (other ? other : event.check)->more;
  bool allowed = false;
  if (shared) {
    allowed = true;
    for (size_t i = at; i < at + event.bytes; ++i) allowed = allowed && more->allowed[i / 8] >> i % 8 & 1;
  } else {
    if (is_on_stack(event.address)) return false;
    allowed = event.address + event.bytes < ADDRESS_LIMIT && regions[event.address >> REGION_SHIFT].cells &&
              all_bits(event.address, event.bytes, ALLOWED);
  }
  const Quiet quiet;
  if (!allowed) {
    if (!shared && is_the_runtimes(event.block, event.address)) return false;
    if (event.place->flags & IN_OUR_HEADERS) {
      if (!shared && !where_is(event.block, event.address).is_known) return false;  // the runtime's own
    }
    // What thrust keeps in the program's own memory cannot be told from other such memory.
    if (&gpuopt_emu_host_vectors && !shared && event.address >= 4096 && !where_is(event.block, event.address).is_known)
      return false;
    report_invalid(event);
    return false;
  }
  if (reads(event.kind)) report_unwritten(event);
  if (writes(event.kind)) {
    if (shared) set_range(more->written.data(), at, event.bytes, true);
    else set_bits(event.address, event.bytes, WRITTEN, 0);
  }
  return true;
}

void each_unfreed(void (*visit)(const Spot *place, size_t bytes)) {
  std::lock_guard<std::mutex> lock(pieces_mutex);
  for (const auto &item : *pieces)
    if (!item.second.freed && !item.second.by_device) visit(item.second.place, item.second.bytes);
}

}  // namespace gpuopt_emu
