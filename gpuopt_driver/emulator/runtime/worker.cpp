// OS threads and the sharing out of a grid's blocks.
#include "worker.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "settings.h"
#include "os_thread.h"

namespace gpuopt_emu {

Worker::Worker() : home(), signal_stack(catch_faults_on_this_thread()), thread(pthread_self()), turns(0), running(&current) {
  watch(this);
}

Worker::~Worker() {
  watch_no_more(this);
  for (Room *room : rooms) delete room;
  release_signal_stack(signal_stack);
}

Room *Worker::room(size_t number, Grid &grid) {
  if (number == rooms.size()) rooms.push_back(new Room(this));
  rooms[number]->prepare(grid);
  return rooms[number];
}

// Other OS threads that help with a grid. One grid at a time has them.
class Helpers {
 public:
  enum Answer { none, busy, waiting, taken };

  // Offers the grid to the helpers. They may be `busy` with another one, even one all of whose threads are `waiting`.
  Answer offer(Grid &grid) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (grid_) return grid_->task && grid_->task->waits ? waiting : busy;
    while (threads_ + 1 < settings().workers) {
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
    if (!threads_) return none;
    grid_ = &grid;
    grid.helpers = this;
    ++round_;
    changed_.notify_all();
    return taken;
  }

  // Takes the grid back once nobody works on it.
  void withdraw() {
    std::unique_lock<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [this] { return working_ == 0; });
    closed_ = false;
    grid_ = nullptr;
  }

 private:
  void serve() {
    unsigned long long seen = 0;
    for (;;) {
      Grid *grid;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return grid_ && !closed_ && round_ != seen; });
        seen = round_;
        grid = grid_;
        ++working_;
      }
      this_worker().run(*grid, false);
      std::lock_guard<std::mutex> lock(mutex_);
      if (--working_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Grid *grid_ = nullptr;
  bool closed_ = false;
  unsigned threads_ = 0, working_ = 0;
  unsigned long long round_ = 0;
};

// Whether the block waits for the others at a barrier for the grid, and will do so for now.
static bool waits_for_grid(const Block &block, const Grid &grid) {
  return block.leader && block.phase == grid.phase.load(std::memory_order_relaxed) &&
         !grid.finished.load(std::memory_order_relaxed);
}

static void block_ended(Grid &grid, Room *room) {
  grid.finished.fetch_add(1, std::memory_order_relaxed);
  if (room->block.cluster) --room->block.cluster->left;
}

// Starts all blocks of a cluster, the first of which has this number; returns how many of the worker's rooms are stalled.
static size_t start_cluster(Worker &worker, Grid &grid, unsigned long long first, size_t stalled) {
  auto &all = worker.clusters;
  auto free = std::find_if(all.begin(), all.end(), [](const std::unique_ptr<Cluster> &one) { return !one->left; });
  if (free == all.end()) free = all.insert(all.end(), std::unique_ptr<Cluster>(new Cluster()));
  Cluster *cluster = free->get();
  *cluster = Cluster();
  cluster->size = grid.cluster;
  cluster->left = grid.cluster_blocks;
  const size_t before = stalled;
  for (unsigned rank = 0; rank < grid.cluster_blocks; ++rank)
    worker.room(before + rank, grid)->place_in_cluster(grid, first / grid.cluster_blocks, rank, cluster);
  for (unsigned rank = 0; rank < grid.cluster_blocks; ++rank) {
    Room *room = worker.rooms[before + rank];
    room->run();
    if (room->block.stalled) std::swap(worker.rooms[stalled++], worker.rooms[before + rank]);
    else block_ended(grid, room);
  }
  return stalled;
}

// Sees when nothing happens any more but that threads wait, for something that is to come from outside the grid.
class Lookout {
 public:
  // All blocks of this OS thread wait, and some have just been given a turn.
  void look(Grid &grid) {
    const unsigned long long now = grid.next.load(std::memory_order_relaxed) + grid.finished.load(std::memory_order_relaxed);
    const double time = seconds();
    if (since_ == 0 || now != seen_) {
      since_ = time;
      seen_ = now;
    } else if (grid.task) {
      const double patience = grid.kernel->has_waited ? ONCE_MORE : FIRST;
      if (time - since_ < patience || grid.task->waits) return;
      grid.kernel->has_waited = true;
      say_that_it_waits(*grid.task);
    } else if (time - since_ > LONG && !said_.exchange(true)) {
      fprintf(stderr,
              "gpuopt emulator: %s: its threads have waited for %g s. The program does not go on before: the source shows "
              "no loop with volatile, atomic or other accesses that wait for what the program does after the launch.\n",
              grid.kernel->name, LONG);
    }
  }
  void progress() { since_ = 0; }

 private:
  static constexpr double FIRST = 20e-3, ONCE_MORE = 1e-3, LONG = 10;  // seconds
  static std::atomic<bool> said_;
  double since_ = 0;
  unsigned long long seen_ = 0;
};
std::atomic<bool> Lookout::said_{false};

// Goes from one stalled block to the next; returns how many are left, those first in `rooms`. Tells whether a block has
// ended, and whether one had its turn.
static size_t go_round(Worker &worker, size_t stalled, Grid &grid, bool *progress, bool *turns) {
  size_t kept = 0;
  for (size_t i = 0; i < stalled; ++i) {
    Room *room = worker.rooms[i];
    if (!grid.error.load(std::memory_order_relaxed) && !waits_for_grid(room->block, grid)) {
      const Cluster *const cluster = room->block.cluster;
      const unsigned phase = cluster ? cluster->phase : 0;
      *progress |= room->block.leader != nullptr;  // all of the grid's blocks have met
      room->resume();
      *progress |= cluster && phase != cluster->phase;
      *turns = true;
    }
    if (room->block.stalled) {
      std::swap(worker.rooms[kept++], worker.rooms[i]);
    } else {
      block_ended(grid, room);
      *progress = true;
    }
  }
  return kept;
}

// How many blocks an OS thread takes at a time: fewer the fewer are left, and one where something is to be seen to between them.
static unsigned long long taken_at_once(const Grid &grid, unsigned long long begun) {
  if (grid.cluster_blocks > 1) return grid.cluster_blocks;
  if (checking || grid.exact || !grid.kernel->never_waits) return 1;
  const unsigned long long part = (grid.blocks - begun) / (8 * settings().workers);
  return part < 1 ? 1 : part > 16 ? 16 : part;
}

void Worker::run(Grid &grid, bool may_ask) {
  const KeptArithmetic kept;  // threads that are never ended leave theirs
  // Waking other OS threads takes longer than most small grids: first see how far one gets alone.
  const double start = may_ask ? seconds() : 0;
  unsigned long long number = 0, behind = 0;  // blocks that it has taken and not begun
  size_t stalled = 0;  // blocks that wait for other blocks
  unsigned idle = 0;   // rounds without any progress
  bool asked = false;
  Lookout lookout;
  Room *room = this->room(0, grid);
  while (!grid.error.load(std::memory_order_relaxed)) {
    const unsigned long long begun = number < behind ? grid.blocks : grid.next.load(std::memory_order_relaxed);
    if (begun < grid.blocks) {
      const unsigned long long count = may_ask && grid.cluster_blocks == 1 ? 1 : taken_at_once(grid, begun);
      number = grid.next.fetch_add(count, std::memory_order_relaxed);
      behind = std::min(number + count, grid.blocks);
    }
    if (number < behind) {
      idle = 0;
      if (grid.cluster_blocks > 1) {
        stalled = start_cluster(*this, grid, number, stalled);
        number = behind;
        room = this->room(stalled, grid);
      } else {
        const unsigned long long first = number;
        number = room->start(grid, first, behind);
        grid.finished.fetch_add(number - first - room->block.stalled, std::memory_order_relaxed);
        if (room->block.stalled) room = this->room(++stalled, grid);
      }
      // Threads that never wait have let others run all the same: they may think that there is one OS thread (alone.h).
      const bool others_may_come = !stalled || !grid.kernel->never_waits;
      if (may_ask && others_may_come && seconds() - start > 30e-6) {
        asked = offer_to_helpers(grid);
        may_ask = false;
      }
      if (!stalled) continue;
    } else if (!stalled) {
      break;
    }
    bool progress = false, turns = false;
    stalled = go_round(*this, stalled, grid, &progress, &turns);
    room = this->room(stalled, grid);
    idle = progress ? 0 : idle + 1;
    if (!idle) lookout.progress();
    if (idle > 4) {
      if (turns) lookout.look(grid);
      if (idle < 64) sched_yield();
      else usleep(20);
    }
  }
  if (grid.error.load(std::memory_order_relaxed)) {
    for (size_t i = 0; i <= stalled; ++i) rooms[i]->recover();
    clusters.clear();
  }
  if (asked) withdraw_from_helpers(grid);
  // Stacks of many blocks that waited for each other are a lot of memory.
  while (rooms.size() > 1 && rooms.size() * grid.threads > 16384) {
    const Unwatched unwatched;
    delete rooms.back();
    rooms.pop_back();
  }
}

// To the first of those that there are; to new ones where all those keep turning in grids that wait for the program.
bool offer_to_helpers(Grid &grid) {
  static std::mutex &mutex = *new std::mutex;  // never destroyed: helpers may outlive static objects
  static std::vector<Helpers *> &all = *new std::vector<Helpers *>;
  std::lock_guard<std::mutex> lock(mutex);
  for (Helpers *const helpers : all) {
    const Helpers::Answer answer = helpers->offer(grid);
    if (answer != Helpers::waiting) return answer == Helpers::taken;
  }
  all.push_back(new Helpers);
  return all.back()->offer(grid) == Helpers::taken;
}
void withdraw_from_helpers(Grid &grid) { grid.helpers->withdraw(); }

void run_grid(Grid &grid) {
  if (!grid.kernel->never_waits) wake_watch();
  this_worker().run(grid, settings().workers > 1 && grid.blocks > 1);
}

Worker &this_worker() {
  static thread_local OfThread<Worker> worker;
  return *worker;
}

}  // namespace gpuopt_emu
