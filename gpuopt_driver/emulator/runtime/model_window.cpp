#include "model_window.h"

#include <string.h>

#include <algorithm>

#include "model_append.h"
#include "model_barrier_work.h"
#include "warp.h"

namespace gpuopt_emu {

static std::vector<Touch> window_touches;
static unsigned window_size, telling_window;
bool lanes_differ;
static const unsigned PATIENCE = 4, PAUSE = 20;
// Few lanes are quickly entered and left, but what is live of their stacks has to be found again each time. So those that
// tell of all run ahead further, as long as what comes of it is no more than fits well into the processor's caches.
static const size_t WORDS_WANTED = 256, MOST_WINDOWS = 4;
static size_t words_seen, touches_seen;  // of the last such window

void begin_windows(unsigned touches, Coalescing how, unsigned banks) {
  window_size = touches;
  window_touches.resize((size_t)WARP * touches);
  telling_window = std::max(touches / 2, 1u);
  words_seen = WORDS_WANTED, touches_seen = 16;
  begin_appending(how, banks);
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
static void run_lanes(ModelWarp *warp, unsigned touches, unsigned apart) {
  for (unsigned i = 0; i < warp->count; ++i) fetch_early(warp->lanes[i]);
  for (unsigned i = 0; i < warp->count; ++i) {
    Lane *lane = warp->lanes[i];
    lane->yielded = false;
    lane->next_touch = &window_touches[(size_t)i * apart];
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
      warp->at_barrier = false;
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

// Merges touches of all lanes into instructions while it is certain which comes next.
static void merge(ModelWarp *warp, Cursor *cursors) {
  const unsigned n = warp->count;
  const uint32_t everybody = n == 32 ? ~0u : (1u << n) - 1;
  uintptr_t address[WARP];
  Appender appender(warp);
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
      appender.add(first, everybody, all);
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
    appender.add(*first, lanes, some);
  }
}

// The same where a few lanes tell of all: they do the same things, at addresses that are sums over x and y.
static void merge_telling(ModelWarp *warp, Cursor *cursors) {
  const TellingLanes &telling = *warp->telling;
  const size_t touches = (size_t)(cursors[0].end - cursors[0].at);
  const Touch *from[3] = {cursors[0].at, cursors[1].at, cursors[warp->count - 1].at};
  uintptr_t address[WARP];
  Appender appender(warp);
  for (unsigned i = 1; i < warp->count; ++i)
    if ((size_t)(cursors[i].end - cursors[i].at) != touches) lanes_differ = true;
  unsigned left = warp->accessed_much ? std::max(telling_window / 4, 1u) : telling_window;
  for (size_t k = 0; k < touches && !lanes_differ; ++k, --left) {
    if (!left) {
      if (appender.anything()) appender.begin_window();
      left = warp->accessed_much ? std::max(telling_window / 4, 1u) : telling_window;
    }
    const Touch &first = from[0][k];
    if (from[1][k].pc != first.pc || from[2][k].pc != first.pc) lanes_differ = true;
    Addresses a = {address, WARP, telling.count != 2, from[1][k].address() - first.address()};
    address[0] = first.address();
    if (a.all) {
      const uintptr_t down = from[2][k].address() - first.address();
      for (unsigned i = 1; i < WARP; ++i) address[i] = address[0] + i % telling.row * a.step + i / telling.row * down;
    }
    appender.add(first, ~0u, a);
  }
  if (!left && appender.anything()) appender.begin_window();  // what comes at a barrier stands in the next one
  for (unsigned i = 0; i < warp->count; ++i) cursors[i].at = cursors[i].end;
}

namespace {
enum class Filled { something, nothing, no_access };  // the last where lanes went on, but accessed nothing that counts
}  // namespace

static Filled fill_window(ModelWarp *warp) {
  unsigned touches = warp->accessed_much ? std::max(window_size / 4, 1u) : window_size, apart = window_size;
  if (warp->telling) {
    apart = window_size * WARP / 4;  // there are three of them at most
    touches = warp->accessed_much ? std::max(telling_window / 4, 1u) : telling_window;
    const size_t windows = touches_seen * WORDS_WANTED / words_seen / touches;
    if (!warp->accessed_much) touches *= (unsigned)std::min(std::max(windows, (size_t)1), MOST_WINDOWS);
  }
  warp->queue.clear();
  warp->taken = 0;
  const std::atomic<int> &error = warp->block->block->grid->error;
  if (error.load(std::memory_order_relaxed)) return Filled::nothing;
  if (warp->over) return Filled::nothing;
  if (!warp->begun) begin_lanes(warp);
  run_lanes(warp, touches, apart);
  if (error.load(std::memory_order_relaxed)) return Filled::nothing;
  Cursor cursors[WARP];
  for (unsigned i = 0; i < warp->count; ++i) {
    const Touch *from = &window_touches[(size_t)i * apart];
    cursors[i] = Cursor{from, warp->lanes[i]->next_touch};
    if (warp->has_left && !warp->left[i].empty())
      cursors[i] = Cursor{warp->left[i].data(), warp->left[i].data() + warp->left[i].size()};
  }
  if (warp->telling) {
    touches_seen = std::max((size_t)(cursors[0].end - cursors[0].at), (size_t)1);
    merge_telling(warp, cursors);
    words_seen = std::max(warp->queue.size(), (size_t)1);
  } else {
    merge(warp, cursors);
  }
  bool left = false, runs = false, repeats = false;
  for (unsigned i = 0; i < warp->count; ++i) {
    if (cursors[i].at != cursors[i].end || (warp->has_left && !warp->left[i].empty())) {
      if (warp->left.empty()) warp->left.resize(WARP);
      std::vector<Touch> rest(cursors[i].at, cursors[i].end);
      warp->left[i].swap(rest);
      left = left || !warp->left[i].empty();
    }
    runs = runs || warp->lanes[i]->state == LaneState::runs;
    repeats = repeats || warp->lanes[i]->yielded;
  }
  warp->has_left = left;
  if (!runs && !left) {
    come_to_barrier(warp);
    end_lanes(warp);
  }
  if (!warp->queue.empty()) {
    warp->waits_for_laggards = 0;
    return Filled::something;
  }
  if (!runs && !left) return Filled::nothing;
  if (!repeats) return Filled::no_access;
  ++warp->waits_for_laggards;
  Appender(warp).pause(PAUSE);
  return Filled::something;
}

bool fill_queue(ModelWarp *warp) {
  Filled filled;
  do filled = fill_window(warp);
  while (filled == Filled::no_access);
  warp->end = warp->queue.size();
  warp->queue.push_back(WINDOW_ENDS);
  warp->words = warp->queue.data();
  return filled == Filled::something;
}

}  // namespace gpuopt_emu
