// Races that are found again and again, told by one look: a loop that stores, in each turn, where other warps have read.
#include <string.h>

#include "check_block.h"
#include "os_thread.h"

namespace gpuopt_emu {

namespace {
// A pair of places whose race was reported: a store, and a read before it by several warps of the block.
struct Pair {
  const Spot *place;
  unsigned other;  // the read's place, as in stamps
  bool shared;
  Counts counts;
};
}  // namespace

static const unsigned PLACE_BITS = PLACE_MASK << PLACE_SHIFT;

// Those that an OS thread came to last.
static Pair &told_last(const Spot *place, unsigned other) {
  struct Pairs {
    Pair of[16] = {};
  };
  static thread_local OfThread<Pairs> all;
  return all->of[((uintptr_t)place / sizeof *place + (other >> PLACE_SHIFT) * 3) % 16];
}

void remember_race(const Event &event, Stamp earlier, const char *kind) {
  if (event.block->cluster || (earlier & (MANY_WARPS | MANY_BLOCKS)) != MANY_WARPS) return;
  const unsigned other = (unsigned)earlier & PLACE_BITS;
  const bool shared = is_shared(event);
  Pair &told = told_last(event.place, other);
  const bool known = told.place == event.place && told.other == other && told.shared == shared;
  if (known && told.counts.race && told.counts.same_value) return;
  const Spot *const place = place_of(earlier);
  told = Pair{event.place, other, shared, {count_of(kind, event.place, place), count_of("race-same-value", event.place, place)}};
}

bool races_again(const void *pointer, unsigned bytes, const Spot *place) {
  const uintptr_t address = (uintptr_t)pointer;
  BlockCheck *const check = current_check;
  More *const more = check->more;
  Block *const block = current->block;
  if (check->pending || block->cluster || !place->id || !more->acquired.empty() || address & (bytes - 1)) return false;
  const unsigned char *written;
  Cell *cell;
  uint32_t first;
  uintptr_t at = address - check->shared;
  const bool shared = at < check->shared_bytes;
  if (shared) {
    written = check->shared_written, cell = check->shared_cells + at / 4, first = check->block_first;
  } else {
    const Region &region = regions[address < ADDRESS_LIMIT ? address >> REGION_SHIFT : 0];
    at = address & REGION_MASK;
    if (!region.cells || region.quiet[at / LINE]) return false;
    if (check->only_read && only_read_at(check->only_read, address)) return false;
    written = region.written, cell = region.cells + at / 4, first = check->grid_first;
  }
  if (!all_set(written, at, bytes)) return false;
  const unsigned thread = current->linear;
  const Stamp mine = stamp(check->eras[thread], thread), read = cell->read, many = MANY_THREADS | MANY_WARPS;
  if (era_of(read) != check->base || (read & (many | MANY_BLOCKS | ALL_STRONG)) != many) return false;
  const Pair &told = told_last(place, (unsigned)read & PLACE_BITS);
  if (told.place != place || told.other != ((unsigned)read & PLACE_BITS) || told.shared != shared || !told.counts.race) return false;
  for (unsigned i = 0; i < bytes / 4; ++i)
    if (cell[i].read != read || cell[i].write & FINE || !clearly_ordered(check, first, cell[i].write, mine)) return false;
  const Quiet quiet;
  forget_recent(check, address);
  for (unsigned i = 0; i < bytes / 4; ++i) cell[i].write = mine | place_bits(place);
  more->event = Event{block, check, address, bytes, Access::write, mine, place};
  more->earlier = read;
  more->earlier_writes = false;
  more->counts = told.counts;
  if (bytes == 4) memcpy(more->before, pointer, 4);
  else memcpy(more->before, pointer, bytes);
  check->pending = true;
  return true;
}

bool settle_again(More *more) {
  if (!more->counts.race) return false;
  const Event &event = more->event;
  const void *const now = (const void *)event.address;
  const bool same = event.bytes == 4 ? memcmp(now, more->before, 4) == 0 : memcmp(now, more->before, event.bytes) == 0;
  unsigned long long *const count = same ? more->counts.same_value : more->counts.race;
  more->counts = Counts{nullptr, nullptr};
  if (count) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
  return count != nullptr;
}

}  // namespace gpuopt_emu
