#include "turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "settings.h"

namespace gpuopt_emu {

// Seconds without the end of a block, after which the program goes on, and other launches do without the model. At the
// program's end it is waited for so long.
static const double SEEMS_TO_WAIT = 1, SEEMS_SO_AGAIN = 50e-3, FOR_OTHERS = 3, AT_END = 10;
static const auto GLANCE = std::chrono::milliseconds(5);

namespace {
struct TurnTaking {
  std::mutex mutex;
  std::condition_variable changed;
  const Grid *grid = nullptr;       // that has the turn
  unsigned long long finished = 0;  // blocks of it that had ended when somebody looked last
  double since = 0;                 // when that was seen first

  // With the lock held: for how long no block has ended.
  double still() {
    const unsigned long long now = grid->finished.load(std::memory_order_relaxed);
    if (now != finished) {
      finished = now;
      since = seconds();
    }
    return seconds() - since;
  }
};
}  // namespace

static TurnTaking &turn_taking() {
  static TurnTaking *all = new TurnTaking;  // never destroyed: launches may outlive static objects
  return *all;
}

bool take_turn(const Grid &grid) {
  TurnTaking &t = turn_taking();
  std::unique_lock<std::mutex> lock(t.mutex);
  while (t.grid) {
    if (t.still() > FOR_OTHERS) {
      fprintf(stderr, "gpuopt model: %s: it runs as in fast mode beside %s, which is modelled and seems to wait\n",
              grid.kernel->name, t.grid->kernel->name);
      return false;
    }
    t.changed.wait_for(lock, GLANCE);
  }
  t.grid = &grid;
  t.finished = 0;
  t.since = seconds();
  return true;
}

void end_turn() {
  TurnTaking &t = turn_taking();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.grid = nullptr;
  t.changed.notify_all();
}

// What the program went on without and did not wait for either is to be in the report.
static void wait_at_end() {
  TurnTaking &t = turn_taking();
  std::unique_lock<std::mutex> lock(t.mutex);
  while (t.grid && t.still() < AT_END) t.changed.wait_for(lock, GLANCE);
}

bool stands_still(const Task &task) {
  TurnTaking &t = turn_taking();
  std::lock_guard<std::mutex> lock(t.mutex);
  if (!t.grid || t.grid->task != &task) return false;
  Kernel &kernel = *t.grid->kernel;
  if (t.still() < (kernel.has_waited ? SEEMS_SO_AGAIN : SEEMS_TO_WAIT)) return false;
  if (!kernel.has_waited)
    fprintf(stderr,
            "gpuopt model: %s: it seems to wait for the program, which goes on: its figures contain the wait\n",
            kernel.name);
  kernel.has_waited = true;
  static const int registered = atexit(wait_at_end);
  (void)registered;
  return true;
}

}  // namespace gpuopt_emu
