// The memory that a device may access: allocations, variables, shared memory; and accesses to anything else.
#include "allocations.h"

#include <algorithm>
#include <cxxabi.h>
#include <deque>
#include <link.h>
#include <map>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "check_block.h"
#include "driver_types.h"
#include "settings.h"
#include "state.h"

namespace {
struct Call {
  const char *returns_to;
  const gpuopt_emu::Spot *place;
};
struct Variable {
  const char *address;
  size_t bytes;
  const char *name;
  size_t space;  // 0: __device__, 1: __constant__, 2: __managed__
};
struct Twin {
  const void *function, *twin;
};
}  // namespace

extern "C" {
// Tables that the linker joins; see gpuopt_driver/emulator/instrument.py.
#define GPUOPT_EMU_TABLE(type, name)                                                      \
  extern const type __start_##name[] __attribute__((weak, visibility("hidden")));         \
  extern const type __stop_##name[] __attribute__((weak, visibility("hidden")));
GPUOPT_EMU_TABLE(Call, gpuopt_emu_calls)
GPUOPT_EMU_TABLE(Variable, gpuopt_emu_variables)
GPUOPT_EMU_TABLE(Twin, gpuopt_emu_twins)
#undef GPUOPT_EMU_TABLE
const void *gpuopt_emu_twin_of(const void *function);
extern const int gpuopt_emu_host_vectors __attribute__((weak));  // the program uses thrust
}

namespace gpuopt_emu {

namespace {
struct Piece {
  size_t bytes;
  unsigned long long number;
  const Spot *place, *freed_at;
  bool freed, by_device;
};
struct SharedVariable {
  unsigned offset;
  size_t bytes;
  std::string name;
};
}  // namespace

bool checking;
static std::mutex pieces_mutex;
static std::map<uintptr_t, Piece> *pieces;
static std::deque<uintptr_t> *kept;  // freed, but still there
static size_t kept_bytes;
static const size_t KEPT_BYTES = (size_t)256 << 20;

static std::map<const void *, std::vector<SharedVariable>> &shared_variables() {
  static auto *all = new std::map<const void *, std::vector<SharedVariable>>;  // used before main
  return *all;
}

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
  pieces = new std::map<uintptr_t, Piece>;
  kept = new std::deque<uintptr_t>;
  dl_iterate_phdr(allow_constants, nullptr);
  for (const Variable *item = __start_gpuopt_emu_variables; item < __stop_gpuopt_emu_variables; ++item) {
    make_shadow((uintptr_t)item->address, item->bytes);
    set_bits((uintptr_t)item->address, item->bytes, ALLOWED | WRITTEN, 0);
  }
}

const void *twin_of(const void *function) {
  static const std::vector<Twin> twins = [] {
    std::vector<Twin> all(__start_gpuopt_emu_twins, __stop_gpuopt_emu_twins);
    std::sort(all.begin(), all.end(), [](const Twin &a, const Twin &b) { return a.function < b.function; });
    return all;
  }();
  const auto found = std::lower_bound(twins.begin(), twins.end(), function,
                                      [](const Twin &twin, const void *wanted) { return twin.function < wanted; });
  return found != twins.end() && found->function == function ? found->twin : nullptr;
}

void each_variable(const std::function<void(const char *address, size_t bytes, const std::string &name, size_t space)> &visit) {
  for (const Variable *item = __start_gpuopt_emu_variables; item < __stop_gpuopt_emu_variables; ++item) {
    char *const name = abi::__cxa_demangle(item->name, nullptr, nullptr, nullptr);
    visit(item->address, item->bytes, name ? name : item->name, item->space);
    free(name);
  }
}

ThreadLoop checked_loop(const Kernel &kernel, ThreadLoop loop) {
  const void *twin = twin_of(reinterpret_cast<const void *>(loop));
  for (const Twin *item = __start_gpuopt_emu_twins; !twin && item < __stop_gpuopt_emu_twins; ++item)
    if (item->twin == reinterpret_cast<const void *>(loop)) twin = item->twin;  // launched by a kernel
  if (!twin)
    fatal("GPUOPT_EMU_MODE=%s: %s was built without code for it; build it with g++, without -flto, and not with "
          "GPUOPT_EMU_MODE=fast", checking ? "check" : "model", kernel.name);
  return reinterpret_cast<ThreadLoop>(const_cast<void *>(twin));
}

ThreadLoop unchecked_loop(ThreadLoop loop) {
  if (twin_of(reinterpret_cast<const void *>(loop))) return loop;
  for (const Twin *item = __start_gpuopt_emu_twins; item < __stop_gpuopt_emu_twins; ++item)
    if (item->twin == reinterpret_cast<const void *>(loop))
      return reinterpret_cast<ThreadLoop>(const_cast<void *>(item->function));
  return nullptr;
}

// The place of the call in the program that led here.
const Spot *calling_place() {
  const Spot *found = nullptr;
  const auto look = [](_Unwind_Context *context, void *data) -> _Unwind_Reason_Code {
    static const std::vector<Call> calls = [] {
      std::vector<Call> all(__start_gpuopt_emu_calls, __stop_gpuopt_emu_calls);
      std::sort(all.begin(), all.end(), [](const Call &a, const Call &b) { return a.returns_to < b.returns_to; });
      return all;
    }();
    const char *at = reinterpret_cast<const char *>(_Unwind_GetIP(context));
    const auto call = std::lower_bound(calls.begin(), calls.end(), at,
                                       [](const Call &item, const char *wanted) { return item.returns_to < wanted; });
    if (call == calls.end() || call->returns_to != at) return _URC_NO_REASON;
    *static_cast<const Spot **>(data) = call->place;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &found);
  return found;
}

static void add_piece(const void *base, size_t bytes, unsigned long long number, const Spot *place, bool written,
                      bool by_device) {
  const uintptr_t start = (uintptr_t)base;
  make_shadow(start, bytes);
  set_bits(start, bytes, written ? ALLOWED | WRITTEN : ALLOWED, written ? 0 : WRITTEN);
  std::lock_guard<std::mutex> lock(pieces_mutex);
  (*pieces)[start] = Piece{bytes, number, place, nullptr, false, by_device};
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

unsigned check_shared_variable(const void *layout, unsigned offset, size_t bytes, const char *name) {
  const char *mode = getenv("GPUOPT_EMU_MODE");
  if (!mode || strcmp(mode, "check") != 0) return 0;
  // The name is the end of the tag's: ...gpuopt_emu_s<number>_<number>_<name>
  std::string text = name;
  const size_t tag = text.rfind("gpuopt_emu_s");
  size_t at = tag == std::string::npos ? text.size() : text.find('_', tag + 12);
  at = at == std::string::npos ? at : text.find('_', at + 1);
  text = at == std::string::npos || at >= text.size() ? "" : text.substr(at + 1);
  text = text.substr(0, text.find_first_of(";],> "));
  shared_variables()[layout].push_back(SharedVariable{offset, bytes, text});
  return 16;
}

void set_up_shared(Block *block, More *more) {
  BlockCheck *check = block->check;
  const Grid *grid = block->grid;
  check->shared = (uintptr_t)block->shared;
  check->shared_bytes = block->shared_bytes;
  const size_t bits = block->shared_bytes / 8 + 8;
  if (more->layout != grid->kernel->layout || more->dynamic_bytes != grid->dynamic_shared || more->window != block->shared_bytes) {
    more->layout = grid->kernel->layout;
    more->dynamic_bytes = grid->dynamic_shared;
    more->window = block->shared_bytes;
    more->allowed.assign(bits, 0);
    more->written.assign(bits, 0);
    if (more->cells.size() < block->shared_bytes / 4 + 4) more->cells.assign(block->shared_bytes / 4 + 4, Cell());
    if (more->fine.size() < block->shared_bytes + 16) more->fine.assign(block->shared_bytes + 16, Cell());
    const auto allow = [&](const void *layout, const char *base) {
      for (const SharedVariable &item : shared_variables()[layout])
        set_range(more->allowed.data(), (size_t)(base - block->shared) + item.offset, item.bytes, true);
    };
    allow(grid->kernel->layout, block->shared);
    allow(&common_layout, block->common_shared);
    set_range(more->allowed.data(), (size_t)(block->dynamic_shared - block->shared), grid->dynamic_shared, true);
  } else {
    memset(more->written.data(), 0, bits);
  }
  check->shared_written = more->written.data();
  check->shared_allowed = more->allowed.data();
  check->shared_cells = more->cells.data();
}

static Where in_shared(const Block *block, uintptr_t address) {
  Where where = {};
  where.kind = "shared memory";
  const Grid *grid = block->grid;
  const uintptr_t dynamic = (uintptr_t)block->dynamic_shared;
  const SharedVariable *best = nullptr;
  uintptr_t best_start = 0;
  const auto look = [&](const void *layout, const char *base) {
    for (const SharedVariable &item : shared_variables()[layout]) {
      const uintptr_t start = (uintptr_t)base + item.offset;
      if (start <= address && start >= best_start) best = &item, best_start = start;
    }
  };
  look(grid->kernel->layout, block->shared);
  if (address >= (uintptr_t)block->common_shared) look(&common_layout, block->common_shared);
  where.is_known = true;
  if (grid->dynamic_shared && address >= dynamic && dynamic >= best_start) {
    where.array = "dynamic shared memory";
    where.bytes = grid->dynamic_shared;
    where.offset = (long long)(address - dynamic);
  } else if (best) {
    where.array = best->name;
    where.bytes = best->bytes;
    where.offset = (long long)(address - best_start);
  } else {
    where.offset = (long long)(address - (uintptr_t)block->shared);
  }
  return where;
}

Where where_is(const Block *block, uintptr_t address) {
  if (block && address - (uintptr_t)block->shared < block->shared_bytes) return in_shared(block, address);
  for (unsigned rank = 0; block && block->cluster && rank < volume_of(block->cluster->size); ++rank) {
    const Block *other = block->cluster->blocks[rank];
    if (address - (uintptr_t)other->shared < other->shared_bytes) return in_shared(other, address);
  }
  Where where = {};
  where.kind = "global memory";
  for (const Variable *item = __start_gpuopt_emu_variables; item < __stop_gpuopt_emu_variables; ++item) {
    if (address - (uintptr_t)item->address >= item->bytes) continue;
    static const char *const kinds[] = {"global memory", "constant memory", "managed memory"};
    where.kind = kinds[item->space];
    char *const name = abi::__cxa_demangle(item->name, nullptr, nullptr, nullptr);
    where.array = name ? name : item->name;
    free(name);
    where.bytes = item->bytes;
    where.offset = (long long)(address - (uintptr_t)item->address);
    where.is_known = true;
    return where;
  }
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
  const Piece &piece = best->second;
  where.is_known = true;
  where.array = piece.place && piece.place->text ? piece.place->text : "";
  where.bytes = piece.bytes;
  where.offset = (long long)(address - best->first);
  where.allocated = piece.place;
  where.is_freed = piece.freed;
  where.freed = piece.freed_at;
  return where;
}

static bool on_own_stack(const Fiber *me, uintptr_t address) { return address - (uintptr_t)me->stack < me->stack_bytes; }

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
    if (on_own_stack(current, event.address)) return false;
    allowed = event.address + event.bytes < ADDRESS_LIMIT && regions[event.address >> REGION_SHIFT].cells &&
              all_bits(event.address, event.bytes, ALLOWED);
  }
  const Quiet quiet;
  if (!allowed) {
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

const void *gpuopt_emu_twin_of(const void *function) {
  const void *twin = gpuopt_emu::twin_of(function);
  return twin ? twin : function;
}
