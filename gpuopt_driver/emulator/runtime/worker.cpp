// OS threads and the sharing out of a grid's blocks.
#include "worker.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "settings.h"

namespace gpuopt_emu {

Worker::Worker() : home(), signal_stack(catch_faults_on_this_thread()), thread(pthread_self()), running(&current) {
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
  static Helpers &get() {
    static Helpers *helpers = new Helpers;  // never destroyed: the threads may outlive static objects
    return *helpers;
  }

  // Offers the grid to the helpers; false if they are busy with another one, or there are none.
  bool offer(Grid &grid) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (grid_) return false;
    while (threads_ + 1 < settings().workers) {
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
    if (!threads_) return false;
    grid_ = &grid;
    ++round_;
    changed_.notify_all();
    return true;
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

// Goes from one stalled block to the next; returns how many are left, those first in `rooms`.
static size_t go_round(Worker &worker, size_t stalled, Grid &grid, bool *progress) {
  size_t kept = 0;
  for (size_t i = 0; i < stalled; ++i) {
    Room *room = worker.rooms[i];
    if (!grid.error.load(std::memory_order_relaxed) && !waits_for_grid(room->block, grid)) room->resume();
    if (room->block.stalled) {
      std::swap(worker.rooms[kept++], worker.rooms[i]);
    } else {
      block_ended(grid, room);
      *progress = true;
    }
  }
  return kept;
}

void Worker::run(Grid &grid, bool may_ask) {
  // Waking other OS threads takes longer than most small grids: first see how far one gets alone.
  const double start = may_ask ? seconds() : 0;
  const unsigned each = grid.cluster_blocks;
  size_t stalled = 0;  // blocks that wait for other blocks
  unsigned idle = 0;   // rounds without any progress
  bool asked = false;
  Room *room = this->room(0, grid);
  while (!grid.error.load(std::memory_order_relaxed)) {
    unsigned long long number = grid.blocks;
    if (grid.next.load(std::memory_order_relaxed) < grid.blocks) number = grid.next.fetch_add(each, std::memory_order_relaxed);
    if (number < grid.blocks) {
      idle = 0;
      if (each > 1) {
        stalled = start_cluster(*this, grid, number, stalled);
        room = this->room(stalled, grid);
      } else {
        room->start(grid, number);
        if (room->block.stalled) room = this->room(++stalled, grid);
        else block_ended(grid, room);
      }
      if (may_ask && seconds() - start > 30e-6) {
        asked = offer_to_helpers(grid);
        may_ask = false;
      }
      if (!stalled) continue;
    } else if (!stalled) {
      break;
    }
    bool progress = false;
    stalled = go_round(*this, stalled, grid, &progress);
    room = this->room(stalled, grid);
    idle = progress ? 0 : idle + 1;
    if (idle > 4) {
      if (idle < 64) sched_yield();
      else usleep(20);
    }
  }
  if (grid.error.load(std::memory_order_relaxed)) {
    for (size_t i = 0; i <= stalled; ++i) rooms[i]->recover();
    clusters.clear();
  }
  if (asked) withdraw_from_helpers();
  // Stacks of many blocks that waited for each other are a lot of memory.
  while (rooms.size() > 1 && rooms.size() * grid.threads > 16384) {
    delete rooms.back();
    rooms.pop_back();
  }
}

bool offer_to_helpers(Grid &grid) { return Helpers::get().offer(grid); }
void withdraw_from_helpers() { Helpers::get().withdraw(); }

void run_grid(Grid &grid) {
  wake_watch();
  this_worker().run(grid, settings().workers > 1 && grid.blocks > 1);
}

Worker &this_worker() {
  static thread_local Worker worker;
  return worker;
}

}  // namespace gpuopt_emu
