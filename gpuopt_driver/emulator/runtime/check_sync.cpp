// What orders accesses: the starts of blocks, barriers, meetings of lanes; and whether threads come to them together.
#include <algorithm>
#include <string.h>

#include "allocations.h"
#include "check_survey.h"
#include "settings.h"

namespace gpuopt_emu {

__thread BlockCheck *current_check __attribute__((tls_model("initial-exec"))) = nullptr;

void set_up_shared(Block *block, More *more);

uint32_t next_era(BlockCheck *check) {
  More *more = check->more;
  if (more->next == more->run_end) {
    more->run_length = std::min(more->run_length * 4, 4096u);
    more->run_start = more->next = take_eras(more->grid, more->block, more->run_length);
    more->run_end = more->next + more->run_length;
  }
  return more->next++;
}

void check_grid(Grid &grid) {
  static std::atomic<unsigned> running{0};
  if (running.load() == 0 && eras_taken() > 0x40000000u) forget_accesses();
  grid.checked_from = eras_taken();
}

void check_grid_barrier(Grid *grid) { grid->checked_from = eras_taken(); }
void check_cluster_barrier(Cluster *cluster) { cluster->checked_from = eras_taken(); }

void check_block(Block *block) {
  if (!block->check) {
    block->check = new BlockCheck();
    block->check->more = new More();
  }
  BlockCheck *check = block->check;
  More *more = check->more;
  const Grid *grid = block->grid;
  more->grid = (uint32_t)grid->number;
  more->block = block->index.x + block->grid_size.x * (block->index.y + block->grid_size.y * block->index.z);
  more->run_length = 4;
  more->next = more->run_end = 0;
  check->base = check->block_first = check->run_first = next_era(check);
  check->run_span = 0;
  check->grid_first = grid->checked_from;
  check->cluster_first = 0;
  check->only_read = only_read_by(*block->grid);
  check->pending = false;
  more->counts = Counts();
  check->wandering = block->cluster != nullptr;
  forget_recent(check);
  more->eras.assign(block->threads, check->base);
  check->eras = more->eras.data();
  more->where.resize(block->threads);
  more->in_headers.assign(block->threads, false);
  memset(more->where.data(), 0, block->threads * sizeof more->where[0]);
  if (check->flags || more->fenced.size() < block->threads) more->fenced.assign(block->threads, Release());
  check->flags = false;
  more->acquired.clear();
  set_up_shared(block, more);
}

void check_left(Block *block) { forget_recent(block->check); }

void check_block_end(Block *block) {
  if (block->check->pending) settle_all(block->check);
}

void new_epoch(Block *block, bool surveyed) {
  BlockCheck *check = block->check;
  More *more = check->more;
  const uint32_t from = block->grid->checked_from;
  if (from != check->grid_first) {  // all blocks have met: what follows needs eras beyond those of all of them
    check->grid_first = from;
    more->next = more->run_end;
  }
  if (block->cluster && block->cluster->checked_from != check->cluster_first) {  // the same for those of the cluster
    check->cluster_first = block->cluster->checked_from;
    more->next = more->run_end;
  }
  check->base = next_era(check);
  check->wandering = block->cluster || check->flags;
  forget_recent(check);
  if (more->run_start > check->run_first) check->run_first = more->run_start;
  check->run_span = check->base - check->run_first;
  if (!block->cluster) check->block_first = check->base;  // nobody else comes to its shared memory
  if (!surveyed) std::fill(more->eras.begin(), more->eras.end(), check->base);
}

void check_arrival(const Spot *place) {
  More *more = current->block->check->more;
  const bool users = !(place->flags & NOT_THE_USERS);
  more->in_headers[current->linear] = !users;
  if (users) more->where[current->linear] = place;
}

static uint3 thread_index_of(const Block *block, unsigned linear) {
  return uint3{linear % block->size.x, linear / block->size.x % block->size.y, linear / block->size.x / block->size.y};
}

// A finding about threads that wait, which is about no memory.
static Finding about_waiting(const Block *block, const char *kind, bool error, unsigned linear) {
  Finding finding = {};
  finding.kind = kind;
  finding.error = error;
  finding.kernel = block->grid->kernel->name;
  finding.on_device = true;
  finding.who = Who{block->index, thread_index_of(block, linear)};
  finding.place = block->check->more->where[linear];
  return finding;
}

static void add_other(Finding &finding, const Block *block, unsigned linear, const char *text) {
  finding.has_other = true;
  finding.other = Who{block->index, thread_index_of(block, linear)};
  finding.other_place = block->check->more->where[linear];
  finding.other_text = text;
}

// A barrier opens for `live` threads, among them the one with this number.
static void report_exited(const Block *block, unsigned live, unsigned linear) {
  Finding finding = about_waiting(block, "barrier-exited", false, linear);
  finding.text = "a barrier opens with " + std::to_string(live) + " of " + std::to_string(block->threads) +
                 " threads of the block; the others have exited";
  report(finding);
}

// Whether all threads that came to the barrier came to the same one in the source.
static void check_together(Block *block, const Barrier *barrier) {
  const More *more = block->check->more;
  unsigned waiting = 0, first = 0, other = 0;
  bool apart = false;
  const auto look = [&](unsigned linear) {
    if (!waiting++) first = linear;
    else if (more->where[first] != more->where[linear] && !apart && !same_place(more->where[first], more->where[linear]))
      apart = true, other = linear;
  };
  for (const Fiber *fiber = barrier->waiting.head; fiber; fiber = fiber->next) look(fiber->linear);
  if (waiting < barrier->arrived) look(current->linear);
  if (apart) {
    Finding finding = about_waiting(block, "barrier-divergent", true, first);
    finding.text = "threads of one block wait at different barriers: this thread here";
    add_other(finding, block, other, "waits here");
    report(finding);
  }
  if (waiting < block->threads) report_exited(block, waiting, first);
}

void check_barrier(Block *block, const Barrier *barrier) {
  if (block->check->pending) settle_all(block->check);
  if (barrier == &block->barriers[0] && !barrier->grid_wide) check_together(block, barrier);
  new_epoch(block, false);
}

void check_all_arrived(Block *block) {
  if (block->check->pending) settle_all(block->check);
  new_epoch(block, false);
}

static std::atomic<unsigned long long> in_loops;
unsigned long long blocks_in_loops() { return in_loops.load(); }

bool checks_loops(const Block *block) {
  if (!checking || block->started || !settings().surveys) return false;
  in_loops.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void check_loops_barrier(Block *block, unsigned live) {
  if (block->check->pending) settle_all(block->check);
  if (live < block->threads) report_exited(block, live, current->linear);
  new_epoch(block, false);
}

void check_meeting(Block *block, unsigned warp, unsigned lanes, bool orders) {
  BlockCheck *check = block->check;
  More *more = check->more;
  if (check->pending) settle_all(check);
  if (!orders || !(lanes & (lanes - 1))) return;
  more->known.resize(std::max(more->known.size(), (size_t)(block->threads + WARP - 1) / WARP * WARP * WARP));
  check->wandering = true;
  forget_recent(check);
  uint32_t *known = more->known.data() + (size_t)warp * WARP * WARP, joined[WARP] = {};
  const uint32_t era = next_era(check);
  for (unsigned i = 0; i < WARP; ++i)
    if (lanes >> i & 1)
      for (unsigned k = 0; k < WARP; ++k) joined[k] = std::max(joined[k], known[i * WARP + k]);
  for (unsigned i = 0; i < WARP; ++i)
    if (lanes >> i & 1) joined[i] = era;
  for (unsigned i = 0; i < WARP; ++i)
    if (lanes >> i & 1) {
      memcpy(known + i * WARP, joined, sizeof joined);
      more->eras[warp * WARP + i] = era;
    }
}

void check_mask(Block *block, unsigned mask) {
  const Fiber *me = current;
  const More *more = block->check->more;
  const unsigned lane = me->linear % WARP, bit = 1u << lane;
  char text[160];
  if (mask && !(mask & bit)) {
    Finding finding = about_waiting(block, "warp-mask", true, me->linear);
    snprintf(text, sizeof text, "lane %u comes to a warp operation whose mask %08x does not name it", lane, mask);
    finding.text = text;
    report(finding);
    return;
  }
  for (const Group *group = block->warps[me->linear / WARP].groups; group; group = group->next) {
    const Fiber *other = group->waiting.head;
    if (!mask || !group->mask || group->mask == mask || !(group->mask & bit) || !other) continue;
    if (more->in_headers[me->linear] || more->in_headers[other->linear]) continue;  // which operation is not known
    if (!same_place(more->where[me->linear], more->where[other->linear])) continue;
    Finding finding = about_waiting(block, "warp-mask", true, me->linear);
    snprintf(text, sizeof text, "lanes of one warp come to the same operation with different masks: lane %u with %08x", lane,
             mask);
    finding.text = text;
    snprintf(text, sizeof text, "waits for this lane with %08x", group->mask);
    add_other(finding, block, other->linear, text);
    report(finding);
  }
}

void check_deadlock(Block *block) {
  std::vector<unsigned> waiting;
  for (const Barrier &barrier : block->barriers)
    for (const Fiber *fiber = barrier.waiting.head; fiber; fiber = fiber->next) waiting.push_back(fiber->linear);
  for (unsigned w = 0; w < (block->threads + WARP - 1) / WARP; ++w)
    for (const Group *group = block->warps[w].groups; group; group = group->next)
      for (const Fiber *fiber = group->waiting.head; fiber; fiber = fiber->next) waiting.push_back(fiber->linear);
  if (waiting.empty()) return;
  const More *more = block->check->more;
  Finding finding = about_waiting(block, "deadlock", true, waiting[0]);
  finding.text = "threads of a block wait for each other for ever: this thread here";
  for (unsigned linear : waiting)
    if (!same_place(more->where[linear], more->where[waiting[0]])) {
      add_other(finding, block, linear, "waits here");
      break;
    }
  report(finding);
}

}  // namespace gpuopt_emu
