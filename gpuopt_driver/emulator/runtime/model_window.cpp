#include "model_window.h"

#include <string.h>

#include <algorithm>

#include "model_work.h"
#include "trace.h"
#include "warp.h"

namespace gpuopt_emu {

static std::vector<Touch> window_touches;
static unsigned window_size, window_banks;
static bool constant_operands;
static Coalescing window_coalescing;
bool lanes_differ;
static const unsigned PATIENCE = 4, PAUSE = 20;
static const size_t MANY_WORDS = 1024;  // of a queue: such a warp takes shorter windows, which holds memory down

void begin_windows(unsigned touches, Coalescing how, unsigned banks) {
  window_size = touches;
  window_touches.resize((size_t)WARP * touches);
  window_coalescing = how;
  window_banks = banks;
  constant_operands = model_figures[&gpu() - gpus].constant_operands;
}

namespace {
struct Cursor {
  const Touch *at, *end;
};
}  // namespace

// What a lane left on its stack is to be copied; thousands of others have run since, and all that is in memory.
static void fetch_stack(const Lane *lane) {
  for (unsigned at = 0; at < lane->live_bytes; at += 64) fetch_early(lane->live + at);
}

// Runs all lanes that can run, until each is full, waits or has ended.
static void run_lanes(ModelWarp *warp, unsigned touches) {
  for (unsigned i = 0; i < warp->count; ++i) fetch_early(warp->lanes[i]);
  for (unsigned i = 0; i < warp->count; ++i) {
    Lane *lane = warp->lanes[i];
    lane->yielded = false;
    lane->next_touch = &window_touches[(size_t)i * window_size];
    lane->last_touch = lane->next_touch + touches;
    fetch_stack(lane);
  }
  const std::atomic<int> &error = warp->block->block->grid->error;
  for (bool again = true; again;) {
    again = false;
    for (unsigned i = 0; i < warp->count; ++i) {
      Lane *lane = warp->lanes[i];
      if (lane->state != LaneState::runs || lane->yielded || lane->next_touch == lane->last_touch) continue;
      if (warp->has_left && !warp->left[i].empty()) continue;
      run_lane(lane);
      if (error.load(std::memory_order_relaxed)) return;
      again = true;
    }
    if (again) continue;
    bool stuck = false;
    for (unsigned i = 0; i < warp->count && !again; ++i) {
      if (warp->lanes[i]->state == LaneState::runs) again = true;
      stuck = stuck || warp->lanes[i]->state == LaneState::waits;
    }
    // Nobody else will come to operations that name no lanes.
    again = !again && stuck && complete_unmasked_group(warp->block->block, warp->number);
  }
}

// A read of constants, which always hits: it takes its turn with the warp's next instruction.
static void take_along(ModelWarp *warp, const CodeSite &site, unsigned words) {
  ++sources()[site.source].counters.of[constant_requests];
  warp->work_before = std::min(warp->work_before + site.before + words, 0xffffu);
  warp->flops_before += site.flops;
}

namespace {
// The addresses of an instruction's lanes: all of them, or the first one and the step from each to the next.
struct Addresses {
  uintptr_t *at;
  unsigned count;
  bool all;
  uintptr_t step;

  void spell_out() {
    if (all) return;
    for (unsigned i = 1; i < count; ++i) at[i] = at[0] + i * step;
    all = true;
  }
  void shift(uintptr_t by) {
    for (unsigned i = 0, n = all ? count : 1; i < n; ++i) at[i] += by;
  }
};
}  // namespace

static uint64_t key_of(const Touch &touch, uint32_t lanes, const Addresses &a) {
  const uint64_t factor = 0x9E3779B97F4A7C15ull;
  uint64_t key = a.at[0] * factor + lanes + ((uint64_t)touch.bytes() << 32);
  if (!a.all) return (key ^ key >> 29) * factor + a.step;
  for (unsigned i = 1; i < a.count; ++i) key = (key ^ key >> 29) * factor + a.at[i];
  return key;
}

// What another array's store may have changed has to be loaded again; of the same array other elements are not.
static void forget_others(Recent &recent, const Recent::Entry &stored) {
  for (Recent::Entry &entry : recent.entry)
    if (entry.array != stored.array || entry.key == stored.key) entry.key = 0;
}

// What one turn of a loop loads or stores, and the next one loads at another place of the code, stays in a register: device
// compilers make four turns of such a loop one, and load in the first of them.
static bool is_in_register(ModelWarp *warp, const Touch &touch, uint32_t lanes, const Addresses &a, uintptr_t array) {
  Recent &recent = warp->recent;
  if (is_strong(touch.kind())) {
    recent.clear();
    return false;
  }
  const uint32_t pc = (uint32_t)(uintptr_t)touch.pc;
  recent.turn = (uint16_t)(recent.turn + (pc <= recent.last));
  recent.last = pc;
  const Recent::Entry now = {key_of(touch, lanes, a), pc, recent.turn, (uint16_t)(array * 0x9E3779B97F4A7C15ull >> 48)};
  if (touch.kind() == Access::write) forget_others(recent, now);
  for (const Recent::Entry &entry : recent.entry) {
    if (entry.key != now.key || entry.pc == pc || entry.turn == now.turn) continue;
    if (recent.asked != pc) recent.asked = pc, recent.times = 0;
    if (++recent.times % UNROLLED) return true;
  }
  recent.entry[recent.next] = now;
  recent.next = (recent.next + 1) % Recent::MOST;
  return false;
}

static unsigned transactions(Addresses &a, uint32_t lanes, unsigned bytes, Part *parts) {
  if (!a.all && window_coalescing != Coalescing::half_warp) {
    if (!a.step) return one_range(a.at[0], a.at[0] + bytes, parts);
    if (a.step == bytes) return one_range(a.at[0], a.at[0] + a.count * bytes, parts);
    const bool aligned = bytes <= 16 && !(bytes & (bytes - 1)) && !((a.at[0] | a.step) & (bytes - 1));
    if (aligned && a.step >= 1 << LINE_SHIFT && a.step < 1ull << 40) return one_line_each(a.at[0], a.step, a.count, parts);
  }
  a.spell_out();
  return coalesce(window_coalescing, a.at, a.count, lanes, bytes, parts);
}

static void append(ModelWarp *warp, const Touch &first, uint32_t lanes, Addresses &a) {
  uintptr_t *const address = a.at;
  const unsigned count = a.count;
  const Block *block = warp->block->block;
  const Lane *lane = warp->lanes[0];
  const uintptr_t start = first.address();
  if (start - (uintptr_t)lane->stack < lane->stack_bytes) return;  // what a GPU keeps in registers
  if (start - (uintptr_t)warp->lanes[__builtin_ctz(lanes)] < sizeof(Lane)) return; // threadIdx: g++ 16
  if (start == (uintptr_t)&current || start == (uintptr_t)&current_block) return;  // the emulator's own, in a fence
  CodeSite &site = site_of(first.pc, first.spot);
  if (site.after != warp->last_pc || !site.looked_at) look_at_work(site, warp->last_pc);
  warp->last_pc = first.pc;
  WarpInstruction instruction = {};
  instruction.before = (uint16_t)site.before;
  instruction.flops = (uint16_t)site.flops;
  instruction.kind = first.kind();
  instruction.lanes = (unsigned char)count;
  instruction.with = is_strong(first.kind()) ? Operator::cv : site.with;
  uint64_t words[2 + 2 * MOST_PARTS];
  Part *const parts = words + 2;
  if (start - (uintptr_t)block->shared < block->shared_bytes) {
    instruction.space = Space::shared;
    const uint32_t all = count == 32 ? ~0u : (1u << count) - 1;
    a.shift(-(uintptr_t)block->shared);
    a.spell_out();
    instruction.passes = (unsigned char)bank_passes(window_banks, address, count, lanes, first.bytes());
    instruction.ideal = (unsigned char)std::max(1u, first.bytes() * (unsigned)__builtin_popcount(all) / (4 * window_banks));
    if (instruction.ideal > instruction.passes) instruction.ideal = instruction.passes;
    if (site.space != Space::shared || site.source == ~0u) {
      site.space = Space::shared;
      site.first = site.last = 0;
      site.source = source_of(first.spot, -1, Space::shared);
    }
    instruction.source = site.source;
  } else {
    if (start < site.first || start >= site.last) find_array(site, start);
    const bool in_register = is_in_register(warp, first, lanes, a, site.first);
    instruction.space = site.space;
    instruction.source = site.source;
    if (site.shift) a.shift(site.shift);
    if (tracing) a.spell_out();
    if (site.space == Space::constant) {
      if (a.step) a.spell_out();
      take_along(warp, site, (a.all ? different_words(address, count) : 1) - constant_operands);
      if (tracing) trace_access(warp, site, first.kind(), first.bytes(), instruction.space, lanes, address);
      return;
    }
    if (in_register) {
      warp->work_before = std::min(warp->work_before + site.before, 0xffffu);
      warp->flops_before += site.flops;
      return;
    }
    instruction.parts = (unsigned char)transactions(a, lanes, first.bytes(), parts);
  }
  if (tracing) trace_access(warp, site, first.kind(), first.bytes(), instruction.space, lanes, address);
  if (warp->work_before | warp->flops_before) {
    instruction.before = (uint16_t)std::min(instruction.before + warp->work_before, 0xffffu);
    instruction.flops = (uint16_t)std::min(instruction.flops + warp->flops_before, 0xffffu);
    warp->work_before = warp->flops_before = 0;
  }
  memcpy(words, &instruction, sizeof instruction);
  warp->queue.insert(warp->queue.end(), words, parts + instruction.parts);
}

// Merges touches of all lanes into instructions while it is certain which comes next.
static void merge(ModelWarp *warp, Cursor *cursors) {
  const unsigned n = warp->count;
  const uint32_t everybody = n == 32 ? ~0u : (1u << n) - 1;
  uintptr_t address[WARP];
  for (;;) {
    // While all do the same, nothing else needs to be looked at.
    size_t common = ~(size_t)0, same = 0;
    const Touch *from[WARP];
    for (unsigned i = 0; i < n; ++i) {
      common = std::min(common, (size_t)(cursors[i].end - cursors[i].at));
      from[i] = cursors[i].at;
    }
    for (; same < common; ++same) {
      const Touch &first = from[0][same];
      uintptr_t differences = 0;
      for (unsigned i = 0; i < n; ++i) {
        const Touch &touch = from[i][same];
        differences |= (uintptr_t)touch.pc ^ (uintptr_t)first.pc;
        address[i] = touch.address();
      }
      if (differences) break;
      Addresses all = {address, n, true, 1};
      append(warp, first, everybody, all);
    }
    for (unsigned i = 0; i < n; ++i) cursors[i].at += same;
    uintptr_t lowest = ~(uintptr_t)0;
    bool wanting = false;
    for (unsigned i = 0; i < n; ++i) {
      if (cursors[i].at != cursors[i].end) lowest = std::min(lowest, (uintptr_t)cursors[i].at->pc);
      else wanting = wanting || warp->lanes[i]->state == LaneState::runs;
    }
    if (lowest == ~(uintptr_t)0 || (wanting && warp->waits_for_laggards < PATIENCE)) return;
    const Touch *first = nullptr;
    uint32_t lanes = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < n; ++i)
      if (cursors[i].at != cursors[i].end && (uintptr_t)cursors[i].at->pc == lowest) {
        if (!first) first = cursors[i].at;
        lanes |= 1u << i;
        address[count++] = cursors[i].at++->address();
      }
    Addresses some = {address, count, true, 1};
    append(warp, *first, lanes, some);
  }
}

// The same where a few lanes tell of all: they do the same things, at addresses that are sums over x and y.
static void merge_telling(ModelWarp *warp, Cursor *cursors) {
  const TellingLanes &telling = *warp->telling;
  const size_t touches = (size_t)(cursors[0].end - cursors[0].at);
  uintptr_t address[WARP];
  for (unsigned i = 1; i < warp->count; ++i)
    if ((size_t)(cursors[i].end - cursors[i].at) != touches) lanes_differ = true;
  for (size_t k = 0; k < touches && !lanes_differ; ++k) {
    const Touch &first = cursors[0].at[k];
    for (unsigned i = 1; i < warp->count; ++i) lanes_differ = lanes_differ || cursors[i].at[k].pc != first.pc;
    Addresses a = {address, WARP, telling.count != 2, cursors[1].at[k].address() - first.address()};
    address[0] = first.address();
    if (a.all) {
      const uintptr_t down = cursors[2].at[k].address() - first.address();
      for (unsigned i = 1; i < WARP; ++i) address[i] = address[0] + i % telling.row * a.step + i / telling.row * down;
    }
    append(warp, first, ~0u, a);
  }
  for (unsigned i = 0; i < warp->count; ++i) cursors[i].at = cursors[i].end;
}

bool fill_queue(ModelWarp *warp) {
  const unsigned touches = warp->queue.size() > MANY_WORDS ? std::max(window_size / 4, 1u) : window_size;
  warp->queue.clear();
  warp->taken = 0;
  const std::atomic<int> &error = warp->block->block->grid->error;
  if (error.load(std::memory_order_relaxed)) return false;
  if (warp->over) return false;
  if (!warp->begun) begin_lanes(warp);
  // Few lanes are quickly entered and left; shorter queues stay in the processor's caches.
  run_lanes(warp, warp->telling ? std::max(touches / 2, 1u) : touches);
  if (error.load(std::memory_order_relaxed)) return false;
  Cursor cursors[WARP];
  for (unsigned i = 0; i < warp->count; ++i) {
    const Touch *from = &window_touches[(size_t)i * window_size];
    cursors[i] = Cursor{from, warp->lanes[i]->next_touch};
    if (warp->has_left && !warp->left[i].empty())
      cursors[i] = Cursor{warp->left[i].data(), warp->left[i].data() + warp->left[i].size()};
  }
  if (warp->telling) merge_telling(warp, cursors);
  else merge(warp, cursors);
  bool left = false, runs = false;
  for (unsigned i = 0; i < warp->count; ++i) {
    if (cursors[i].at != cursors[i].end || (warp->has_left && !warp->left[i].empty())) {
      if (warp->left.empty()) warp->left.resize(WARP);
      std::vector<Touch> rest(cursors[i].at, cursors[i].end);
      warp->left[i].swap(rest);
      left = left || !warp->left[i].empty();
    }
    runs = runs || warp->lanes[i]->state == LaneState::runs;
  }
  warp->has_left = left;
  if (!runs && !left) end_lanes(warp);
  if (!warp->queue.empty()) {
    warp->waits_for_laggards = 0;
    return true;
  }
  ++warp->waits_for_laggards;
  if (!runs && !left) return false;
  // Lanes that wait by repeating something without accessing memory: they take time.
  WarpInstruction pause = {};
  pause.space = Space::nothing;
  pause.before = PAUSE;
  warp->queue.resize(2);
  memcpy(&warp->queue[0], &pause, sizeof pause);
  return true;
}

}  // namespace gpuopt_emu
