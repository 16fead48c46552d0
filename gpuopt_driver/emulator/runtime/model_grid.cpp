// A launch under the model: blocks are dealt out to multiprocessors, which all advance together, a window of time each.
#include <algorithm>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <unordered_map>

#include "check.h"
#include "model_dispatch.h"
#include "model_launch.h"
#include "model_schedule.h"
#include "settings.h"
#include "state.h"
#include "streams.h"

namespace gpuopt_emu {

bool modelling;
double modelled_seconds;
static const uint64_t WINDOW = 64;  // cycles in which multiprocessors do not see each other

void begin_modelling() { modelling = true; }

static const ModelFigures &figures_of(const Gpu &g) { return model_figures[&g - gpus]; }

namespace {

class ModelledLaunch : public BlockEvents {
 public:
  ModelledLaunch(Grid &grid, Worker &worker);
  ~ModelledLaunch();
  void run();
  void ended(ModelBlock *block, uint64_t now) override;

 private:
  void deal(uint64_t now);
  void start(unsigned sm, unsigned long long number, uint64_t now);
  uint64_t next_event() const;
  void say_who_waits();
  LaunchResult result() const;

  Grid &grid_;
  Worker &worker_;
  const ModelFigures &figures_;
  Residency residency_;
  BlockQueue queue_;
  std::vector<Multiprocessor> sms_;
  std::vector<ModelBlock *> live_, free_blocks_;
  std::vector<ModelWarp *> free_warps_, all_warps_;
  std::vector<Room *> free_rooms_;
  LostLocality locality_;
  Timeline timeline_;
  uint64_t ages_ = 0, cycles_ = 0;
  unsigned long long modelled_ = 0;
};

}  // namespace

static DeviceMemory &device_memory() {
  static DeviceMemory *memory = new DeviceMemory;
  return *memory;
}

ModelledLaunch::ModelledLaunch(Grid &grid, Worker &worker)
    : grid_(grid), worker_(worker), figures_(figures_of(gpu())), residency_(residency_of(grid, figures_)) {
  const ModelSettings &settings = model_settings();
  begin_sites();
  begin_windows(settings.window, figures_.coalescing, figures_.banks);
  device_memory().set_up(figures_, gpu().l2_bytes, settings.keep_l2);
  sms_.resize((size_t)gpu().sms);
  for (unsigned i = 0; i < sms_.size(); ++i) {
    sms_[i].set_up(i, figures_, residency_.l1_bytes, &device_memory(), this);
    if (settings.issue == Issue::ccws) sms_[i].memory.watcher = &locality_;
  }
  std::vector<unsigned long long> numbers(grid.blocks);
  for (unsigned long long i = 0; i < grid.blocks; ++i) numbers[i] = i;
  modelled_ = grid.blocks;
  queue_.set_up(settings.dispatch, grid.size, numbers, (unsigned)sms_.size(), settings.seed);
}

ModelledLaunch::~ModelledLaunch() {
  for (ModelBlock *block : live_) {
    for (ModelWarp *warp : block->warps)
      for (unsigned i = 0; i < warp->count; ++i) free_lane(warp->lanes[i]);
    free_rooms_.push_back(block->room);
    delete block;
  }
  for (ModelBlock *block : free_blocks_) delete block;
  for (ModelWarp *warp : all_warps_) delete warp;
  for (Room *room : free_rooms_) delete room;
}

void ModelledLaunch::start(unsigned sm, unsigned long long number, uint64_t now) {
  if (free_rooms_.empty()) {
    free_rooms_.push_back(new Room(&worker_));
    free_rooms_.back()->prepare(grid_);
  }
  if (free_blocks_.empty()) free_blocks_.push_back(new ModelBlock());
  ModelBlock *model = free_blocks_.back();
  free_blocks_.pop_back();
  model->room = free_rooms_.back();
  free_rooms_.pop_back();
  Block *block = model->block = &model->room->block;
  model->room->start_modelled(grid_, number);
  block->model = model;
  model->number = number;
  model->sm = sm;
  model->began = now;
  model->warps.clear();
  for (unsigned first = 0; first < grid_.threads; first += WARP) {
    if (free_warps_.empty()) {
      free_warps_.push_back(new ModelWarp());
      all_warps_.push_back(free_warps_.back());
    }
    ModelWarp *warp = free_warps_.back();
    free_warps_.pop_back();
    warp->count = std::min((unsigned)WARP, grid_.threads - first);
    for (unsigned i = 0; i < warp->count; ++i) warp->lanes[i] = new_lane(block, first + i);
    warp->block = model;
    warp->number = first / WARP;
    warp->age = ++ages_;
    warp->queue.clear();
    warp->taken = 0;
    for (std::vector<Touch> &left : warp->left) left.clear();
    warp->has_left = warp->parked = warp->done = false;
    warp->waits_for_laggards = warp->loads_begun = 0;
    warp->last_pc = nullptr;
    warp->loads_done = 0;
    warp->victims.clear();
    warp->score = 0;
    warp->scored = now;
    model->warps.push_back(warp);
  }
  model->live_warps = (unsigned)model->warps.size();
  live_.push_back(model);
  sms_[sm].advance(now);
  sms_[sm].add(model, now);
}

void ModelledLaunch::ended(ModelBlock *model, uint64_t now) {
  Multiprocessor &sm = sms_[model->sm];
  sm.remove(model);
  for (ModelWarp *warp : model->warps) {
    for (unsigned i = 0; i < warp->count; ++i) free_lane(warp->lanes[i]);
    free_warps_.push_back(warp);
  }
  free_rooms_.push_back(model->room);
  live_.erase(std::find(live_.begin(), live_.end(), model));
  free_blocks_.push_back(model);
  grid_.finished.fetch_add(1, std::memory_order_relaxed);
  const unsigned long long number = queue_.take(sm.number);
  if (number != BlockQueue::NONE) start(sm.number, number, now);
}

// At the start: one block for each multiprocessor, then a second one for each, and so on.
void ModelledLaunch::deal(uint64_t now) {
  for (unsigned round = 0; round < residency_.blocks && !queue_.empty(); ++round) {
    std::vector<unsigned> with_room;
    for (unsigned i = 0; i < sms_.size(); ++i) with_room.push_back(i);
    while (!with_room.empty() && !queue_.empty()) {
      const unsigned sm = queue_.first_of(with_room);
      with_room.erase(std::find(with_room.begin(), with_room.end(), sm));
      const unsigned long long number = queue_.take(sm);
      if (number != BlockQueue::NONE) start(sm, number, now);
    }
  }
}

uint64_t ModelledLaunch::next_event() const {
  uint64_t soonest = NEVER;
  for (const Multiprocessor &sm : sms_)
    if (sm.warps) soonest = std::min(soonest, sm.next());
  return soonest;
}

void ModelledLaunch::run() {
  use_lanes(&worker_);
  deal(0);
  uint64_t now = 0;
  while (!live_.empty() && !grid_.error.load(std::memory_order_relaxed)) {
    const uint64_t until = now + WINDOW;
    unsigned blocks = 0, warps = 0;
    bool any = false;
    for (Multiprocessor &sm : sms_) {
      if (!sm.warps) continue;
      blocks += sm.blocks;
      warps += sm.warps;
      const uint64_t before = sm.issued;
      sm.run(until);
      sm.advance(until);
      any = any || sm.issued != before;
    }
    device_memory().advance((double)(until - now));
    locality_.now = until;
    uint64_t next = until;
    if (!any) {
      const uint64_t event = next_event();
      if (event == NEVER && !live_.empty()) {
        say_who_waits();
        break;
      }
      if (event != NEVER && event > until) next = event / WINDOW * WINDOW;
      if (next > until) {
        device_memory().advance((double)(next - until));
        for (Multiprocessor &sm : sms_)
          if (sm.warps) sm.advance(next);
      }
    }
    timeline_.add(now, next, blocks, warps);
    now = next;
  }
  for (const Multiprocessor &sm : sms_) cycles_ = std::max(cycles_, sm.ended);
  cycles_ += figures_.launch_cycles;
  modelled_seconds += (double)cycles_ / (gpu().clock_mhz * 1e6);
  if (!grid_.error.load()) report_launch(result());
}

static void waits_for_ever() {
  report_deadlock(current->block);
}

// On a lane, since it ends the launch as a thread would.
void ModelledLaunch::say_who_waits() {
  ModelBlock *model = live_.front();
  Lane *lane = new_lane(model->block, 0);
  for (const ModelWarp *warp : model->warps)
    for (unsigned i = 0; i < warp->count; ++i)
      if (warp->lanes[i]->state == LaneState::waits) lane->linear = warp->lanes[i]->linear;
  static Touch nowhere[2];
  lane->next_touch = nowhere;
  lane->last_touch = nowhere + 2;
  lane->thread = uint3{lane->linear % grid_.block.x, lane->linear / grid_.block.x % grid_.block.y,
                       lane->linear / grid_.block.x / grid_.block.y};
  run_lane(lane, waits_for_ever);
  free_lane(lane);
}

LaunchResult ModelledLaunch::result() const {
  LaunchResult r = {};
  r.grid = &grid_;
  r.figures = &figures_;
  r.residency = residency_;
  r.cycles = cycles_;
  r.timeline = timeline_;
  r.modelled_blocks = modelled_;
  r.scale = (double)grid_.blocks / (double)modelled_;
  uint64_t busy = 0, warp_cycles = 0;
  for (const Multiprocessor &sm : sms_) {
    busy += sm.busy_cycles;
    warp_cycles += sm.warp_cycles;
    r.issue_limit = std::max(r.issue_limit, (double)sm.issued / figures_.schedulers);
    r.l1_limit = std::max(r.l1_limit, sm.memory.l1_busy);
    r.shared_limit = std::max(r.shared_limit, sm.memory.shared_busy);
  }
  r.l2_limit = device_memory().l2_rate.busy();
  r.dram_limit = device_memory().dram_rate.busy();
  r.occupancy = busy ? (double)warp_cycles / (double)busy / gpu().warps_per_sm : 0;
  return r;
}

void Timeline::add(uint64_t from, uint64_t to, unsigned blocks_now, unsigned warps_now) {
  while (to > interval * 256) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      const size_t half = i / 2;
      if (i % 2) blocks[half] += blocks[i], warps[half] += warps[i];
      else blocks[half] = blocks[i], warps[half] = warps[i];
    }
    blocks.resize((blocks.size() + 1) / 2);
    warps.resize(blocks.size());
    interval *= 2;
  }
  while (from < to) {
    const size_t at = from / interval;
    const uint64_t end = std::min(to, (at + 1) * interval);
    if (blocks.size() <= at) blocks.resize(at + 1), warps.resize(at + 1);
    blocks[at] += (double)(end - from) * blocks_now;
    warps[at] += (double)(end - from) * warps_now;
    from = end;
  }
  upto = to;
}

bool is_to_be_modelled(const Kernel &kernel) {
  static std::mutex &mutex = *new std::mutex;
  static std::unordered_map<const Kernel *, unsigned> &seen = *new std::unordered_map<const Kernel *, unsigned>;
  const unsigned most = model_settings().launches;
  if (!most) return true;
  std::lock_guard<std::mutex> lock(mutex);
  return seen[&kernel]++ < most;
}

double event_time() { return modelling ? modelled_seconds : seconds(); }

unsigned multiprocessor_of(const Block *block) { return block->model->sm; }

void run_modelled(Grid &grid, ThreadLoop) {
  static std::mutex &one_at_a_time = *new std::mutex;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  ModelledLaunch launch(grid, this_worker());
  launch.run();
}

}  // namespace gpuopt_emu
