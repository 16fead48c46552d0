// Races: accesses to the same bytes, one of them a store, that nothing orders.
//
// Ordered are accesses of different launches, of one thread, before and after a barrier of the block or the grid, before
// and after a synchronisation of lanes, and those that a flag orders: store, fence, strong store / strong load, load.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <string.h>
#include <thread>
#include <unordered_map>

#include "check_block.h"
#include "settings.h"

namespace gpuopt_emu {

static std::mutex flags_mutex;
static std::unordered_map<uintptr_t, std::vector<Release>> *released;  // by address of the flag
static std::atomic<bool> flags_used;

bool is_shared(const Event &event) { return event.address - event.check->shared < event.check->shared_bytes; }

Cell *fine_cells(const BlockCheck *check, uintptr_t address) {
  const uintptr_t at = address - check->shared;
  if (at < check->shared_bytes) return check->more->fine.data() + at;
  return regions[address >> REGION_SHIFT].fine + (address & REGION_MASK);
}

BlockCheck *near_owner(const Block *block, uintptr_t address) {
  for (unsigned rank = 0; rank < volume_of(block->cluster->size); ++rank) {
    BlockCheck *other = block->cluster->blocks[rank]->check;
    if (other && address - other->shared < other->shared_bytes) return other;
  }
  return nullptr;
}

// Whether it is shared memory, of this block or of another one of the cluster.
static bool lies_in_shared(const Event &event) {
  return is_shared(event) || (event.block->cluster && near_owner(event.block, event.address));
}

// Whether the block of that number is in the same cluster.
static bool is_near(const Block *block, uint32_t number) {
  for (unsigned rank = 0; rank < volume_of(block->cluster->size); ++rank) {
    const BlockCheck *other = block->cluster->blocks[rank]->check;
    if (other && other->more->block == number) return true;
  }
  return false;
}

static uint32_t known(const More *more, unsigned thread, unsigned other) {
  if (more->known.empty() || thread / WARP != other / WARP) return 0;
  return more->known[(thread * WARP) + other % WARP];
}

void strong_access(const Event &event) {
  More *more = event.check->more;
  if (!event.check->flags && !flags_used.load(std::memory_order_relaxed)) return;
  const Quiet quiet;
  std::lock_guard<std::mutex> lock(flags_mutex);
  if (!released) released = new std::unordered_map<uintptr_t, std::vector<Release>>;
  const unsigned thread = thread_of(event.mine);
  if (reads(event.kind)) {
    const auto found = released->find(event.address);
    if (found != released->end()) {
      auto &all = more->acquired;
      const auto same = std::find_if(all.begin(), all.end(), [&](const Acquired &a) { return a.address == event.address; });
      if (same == all.end()) all.push_back(Acquired{event.address, found->second.size()});
      else same->releases = found->second.size();
    }
  }
  if (writes(event.kind) && event.check->flags && more->fenced[thread].era) {
    auto &releases = (*released)[event.address];
    if (!releases.empty() && releases.front().grid != more->grid) releases.clear();
    releases.push_back(more->fenced[thread]);
    flags_used = true;
  }
}

// Whether a flag orders the earlier access before the present one: 2 yes, 1 perhaps, 0 no.
static int ordered_by_flag(const Event &event, Stamp earlier, const Owner &owner) {
  const More *more = event.check->more;
  if (more->acquired.empty()) return 0;
  std::lock_guard<std::mutex> lock(flags_mutex);
  bool perhaps = false;
  const size_t late = settings().workers > 1;  // a release may come between what is noted of a strong access and the access
  for (const Acquired &acquired : more->acquired) {
    const auto found = released->find(acquired.address);
    if (found == released->end()) continue;
    for (size_t i = std::min(acquired.releases + late, found->second.size()); i-- > 0;) {
      const Release &release = found->second[i];
      if (release.grid != owner.grid) continue;
      perhaps = true;
      if (release.block != owner.block) continue;
      if (era_of(earlier) < release.base) return 2;
      if (thread_of(earlier) == release.thread && era_of(earlier) < release.era) return 2;
    }
  }
  return perhaps;
}

enum class Verdict { race, same_value, unproven };

static void report_race(const Event &event, Stamp earlier, bool earlier_writes, Verdict verdict) {
  const char *const kind = verdict == Verdict::same_value ? "race-same-value"
                           : verdict == Verdict::unproven ? "race-unproven"
                           : lies_in_shared(event)        ? "race-shared"
                                                          : "race-global";
  const Spot *const other = place_of(earlier);
  if (reported(kind, event.place, other)) return;
  const bool scope = is_strong(event.kind) && (earlier_writes ? earlier & STRONG : earlier & ALL_STRONG);
  const Where where = where_is(event.block, event.address);
  Finding finding = finding_for(event, kind, where);
  finding.error = verdict == Verdict::race;
  finding.text = "race in " + where.kind + ": " + finding.text;
  finding.has_other = true;
  finding.other = who_is(event.block->grid, owner_of(era_of(earlier)).block, thread_of(earlier));
  finding.other_place = other;
  finding.other_text = earlier_writes ? "writes the same bytes" : "reads the same bytes";
  finding.other_text += verdict == Verdict::same_value ? ", but the value is the same"
                        : verdict == Verdict::unproven ? ", and whether a flag orders the two could not be proved"
                       : scope                        ? ", but atomic operations for one block are none between blocks"
                                                      : ", and nothing orders the two";
  report(finding);
}

static void settle(BlockCheck *check, const Event *next) {
  More *more = check->more;
  const Event &event = more->event;
  Verdict verdict = Verdict::race;
  if (writes(event.kind)) {
    if (memcmp((const void *)event.address, more->before, event.bytes) == 0) verdict = Verdict::same_value;
  } else if (next && next->mine == event.mine) {
    if (is_atomic(next->kind) && next->address == event.address) {
      check->pending = false;
      return;
    }
    if (--more->patience) return;
  }
  const Quiet quiet;
  check->pending = false;
  if (settle_again(more)) return;
  report_race(event, more->earlier, more->earlier_writes, verdict);
  if (!more->earlier_writes) remember_race(event, more->earlier, lies_in_shared(event) ? "race-shared" : "race-global");
}

void settle(BlockCheck *check, const Event &next) { settle(check, &next); }
void settle_all(BlockCheck *check) { settle(check, nullptr); }
void settle_before(const void *pointer, unsigned bytes, Access kind, const Spot *place) {
  BlockCheck *check = current_check;
  More *const more = check->more;
  if (!writes(more->event.kind)) return;
  if (settle_again(more)) {
    check->pending = false;
    return;
  }
  const unsigned thread = current->linear;
  settle(check, Event{current->block, check, (uintptr_t)pointer, bytes, kind, stamp(check->eras[thread], thread), place});
}

unsigned char begins_exchange[PLACE_MASK + 1];

// Whether a plain read, not confirmed yet, is the beginning of a compare-and-swap loop: of this thread, or of one that
// another OS thread runs at this moment and that comes to its exchange in a while.
static bool may_be_confirmed(const Event &event, Stamp read) {
  if (settings().workers < 2 || !is_atomic(event.kind) || !reads(event.kind)) return false;
  volatile unsigned char &begins = begins_exchange[read >> PLACE_SHIFT & PLACE_MASK];
  if ((read ^ event.mine) >> THREAD_SHIFT == 0) begins = 1;
  for (unsigned turn = 0; !begins && turn < 100; ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!begins) begins = 2;
  return begins == 1;
}

void conflict(const Event &event, Stamp earlier, bool earlier_writes) {
  BlockCheck *check = event.check;  // what was noted of these bytes is forgotten already
  if (!lies_in_shared(event) && regions[event.address >> REGION_SHIFT].quiet[(event.address & REGION_MASK) / LINE])
    end_quiet(event.address, event.bytes);
  More *more = check->more;
  const uint32_t era = era_of(earlier);
  const Owner owner = owner_of(era);
  if (owner.grid != more->grid) return;
  const Block *block = event.block;
  if (block->cluster && era < check->cluster_first && is_near(block, owner.block)) return;
  const bool shared = is_shared(event) && !block->cluster, many_blocks = !earlier_writes && earlier & MANY_BLOCKS;
  const bool same_block = shared || (owner.block == more->block && !many_blocks);
  const bool strong_then = earlier_writes ? earlier & STRONG : (earlier & ALL_STRONG) != 0;
  if (strong_then && is_strong(event.kind)) {
    const bool in_block = event.place->flags & BLOCK_SCOPE || (earlier_writes && earlier & IN_BLOCK);
    if (same_block || !in_block) return;
  }
  const unsigned me = thread_of(event.mine), other = thread_of(earlier);
  if (same_block) {
    const bool many = !earlier_writes && earlier & MANY_THREADS;
    if (era < check->base || (!many && me == other)) return;
    if (!(!earlier_writes && earlier & MANY_WARPS) && era < known(more, me, other)) return;
  }
  const Quiet quiet;
  // Of reads by many blocks, the last one being this thread's, the others were looked at when it came.
  const bool own = (earlier ^ event.mine) >> THREAD_SHIFT == 0;
  const int flag = many_blocks && !own ? 0 : ordered_by_flag(event, earlier, owner), ordered = many_blocks ? flag != 0 : flag;
  if (ordered == 2) return;
  if (ordered == 1) return report_race(event, earlier, earlier_writes, Verdict::unproven);
  if (!earlier_writes && !same_block && may_be_confirmed(event, earlier)) return;
  if (is_strong(event.kind) || !(writes(event.kind) || (earlier_writes && earlier & ATOMIC)))
    return report_race(event, earlier, earlier_writes, Verdict::race);
  if (check->pending) {
    if (more->event.mine == event.mine && more->event.place == event.place) return;  // another part of it
    settle(check, nullptr);
  }
  more->event = event;
  more->earlier = earlier;
  more->earlier_writes = earlier_writes;
  more->patience = 16;
  memcpy(more->before, (const void *)event.address, event.bytes);
  check->pending = true;
}

Stamp joined_read(const Event &event, Stamp last) {
  const BlockCheck *check = event.check;
  const Stamp strong = is_strong(event.kind) && last & ALL_STRONG ? (Stamp)ALL_STRONG : 0;
  const Stamp now = event.mine | place_bits(event.place);
  const uint32_t era = era_of(last);
  if (era - check->run_first < check->run_span) return now | (is_strong(event.kind) ? (Stamp)ALL_STRONG : 0);
  const Owner &owner = owner_of(era);
  if (owner.grid == check->more->grid && !(last & (MANY_THREADS | MANY_WARPS)) && ordered_by_flag(event, last, owner) == 2)
    return now | (is_strong(event.kind) ? (Stamp)ALL_STRONG : 0);
  const bool elsewhere = owner.grid == check->more->grid && owner.block != check->more->block;
  if (elsewhere && event.block->cluster && era < check->cluster_first && is_near(event.block, owner.block))
    return now | (is_strong(event.kind) ? (Stamp)ALL_STRONG : 0);
  if ((!is_shared(event) || event.block->cluster) && elsewhere) {
    if (is_strong(event.kind) && !strong) return last | MANY_BLOCKS;  // the plain one is of more interest
    return !is_strong(event.kind) && last & ALL_STRONG ? now : now | strong | MANY_BLOCKS;
  }
  if (era < check->base || owner.grid != check->more->grid) return now | (is_strong(event.kind) ? (Stamp)ALL_STRONG : 0);
  const unsigned me = thread_of(event.mine), other = thread_of(last);
  if (!is_strong(event.kind) && last & ALL_STRONG) return now;
  // Of one thread's reads before and after a fence of its own, what comes behind the later one is behind both.
  if (me == other && !(last & MANY_THREADS)) return is_strong(event.kind) && !(last & ALL_STRONG) ? last : now | strong;
  if (is_strong(event.kind) && !(last & ALL_STRONG))  // the other one is of more interest
    return last | MANY_THREADS | (me / WARP != other / WARP ? (Stamp)MANY_WARPS : 0);
  if (last & MANY_THREADS && era == era_of(event.mine) && (last & MANY_WARPS || me / WARP == other / WARP) &&
      (strong || !(last & ALL_STRONG)))
    return last;
  if (!(last & MANY_WARPS) && era < known(check->more, me, other)) return now | strong;
  return now | strong | MANY_THREADS | (last & MANY_WARPS) | (me / WARP != other / WARP ? (Stamp)MANY_WARPS : 0);
}

bool join_blocks(const BlockCheck *check, Cell *cell, Stamp mine, const Spot *place) {
  const More *more = check->more;
  const Owner &owner = owner_of(era_of(cell->read));
  const bool shared = (size_t)(cell - check->shared_cells) < check->shared_bytes / 4;
  if (cell->read & ALL_STRONG || check->wandering || shared || !place->id || !more->acquired.empty()) return false;
  if (owner.grid != more->grid || owner.block == more->block) return false;
  cell->read = mine | place_bits(place) | MANY_BLOCKS;
  return true;
}

template <Access Kind> static void small(const Event &event, uint32_t first, Cell *cell, Cell *fine) {
  const Cell whole = *cell;  // checked against, but left as it is
  if (!clearly_ordered(event.check, first, whole.write, event.mine)) conflict(event, whole.write, true);
  if (writes(Kind) && (!clearly_ordered(event.check, first, whole.read, event.mine) ||
                       (whole.read & (MANY_THREADS | MANY_BLOCKS) && era_of(whole.read) >= first)))
    conflict(event, whole.read, false);
  for (unsigned i = 0; i < event.bytes; ++i)
    check_cell<Kind>(event.check, first, event.mine, event.place, fine + i, [&] { return event; });
  if (!(cell->write & FINE)) __atomic_fetch_or(&cell->write, (Stamp)FINE, __ATOMIC_RELAXED);
}

void small_access(const Event &event, uint32_t first, Cell *cell, Cell *fine) {
  switch (event.kind) {
    case Access::read: return small<Access::read>(event, first, cell, fine);
    case Access::write: return small<Access::write>(event, first, cell, fine);
    case Access::volatile_read: return small<Access::volatile_read>(event, first, cell, fine);
    case Access::volatile_write: return small<Access::volatile_write>(event, first, cell, fine);
    case Access::atomic_read: return small<Access::atomic_read>(event, first, cell, fine);
    case Access::atomic_write: return small<Access::atomic_write>(event, first, cell, fine);
    case Access::atomic_update: return small<Access::atomic_update>(event, first, cell, fine);
  }
}

void beside_small_accesses(const Event &event, uint32_t first, Cell *fine) {
  for (unsigned i = 0; i < 4; ++i) {
    if (!clearly_ordered(event.check, first, fine[i].write, event.mine)) conflict(event, fine[i].write, true);
    const Stamp read = fine[i].read;
    if (writes(event.kind) && (!clearly_ordered(event.check, first, read, event.mine) ||
                               (read & (MANY_THREADS | MANY_BLOCKS) && era_of(read) >= first)))
      conflict(event, read, false);
  }
}

void check_fence(int) {
  Block *block = current->block;
  BlockCheck *check = block->check;
  const unsigned thread = current->linear;
  check->flags = check->wandering = true;
  forget_recent(check);
  More *more = check->more;
  more->fenced[thread] = Release{more->grid, more->block, check->base, next_era(check), thread};
  more->eras[thread] = more->fenced[thread].era;
}

}  // namespace gpuopt_emu
