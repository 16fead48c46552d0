// A launch under the model: blocks are dealt out to multiprocessors, which all advance together, a window of time each.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <unordered_map>

#include "check.h"
#include "model_dispatch.h"
#include "model_launch.h"
#include "model_registers.h"
#include "model_replay.h"
#include "model_sample.h"
#include "model_schedule.h"
#include "settings.h"
#include "state.h"
#include "streams.h"
#include "trace.h"

namespace gpuopt_emu {

bool modelling;
double modelled_seconds;
static const uint64_t PAIR_CYCLES = 8;  // from the start of two blocks to that of the next two

void begin_modelling() { modelling = true; }

static const ModelFigures &figures_of(const Gpu &g, const Kernel &kernel) {
  const ModelFigures &own = model_figures[&g - gpus];
  static const ModelFigures cached = figures_with_loads(own, 1), uncached = figures_with_loads(own, 2);
  const int loads = model_settings().loads ? model_settings().loads : kernel.loads;
  return loads == 1 ? cached : loads == 2 ? uncached : own;
}

namespace {

// What is looked at of each multiprocessor in each window.
struct Turn {
  uint64_t next;    // something happens there
  uint64_t issued;  // windows in which it issued something: see Multiprocessor
  unsigned blocks, warps;
};

class ModelledLaunch : public BlockEvents {
 public:
  ModelledLaunch(Grid &grid, Worker &worker);
  ~ModelledLaunch();
  void run(ThreadLoop fast, bool all_lanes);
  void ended(ModelBlock *block, uint64_t now) override;

 private:
  void model_blocks(unsigned long long first, unsigned long long end);
  void advance();
  void deal(uint64_t now);
  void start(unsigned sm, unsigned long long number, uint64_t now);
  uint64_t next_event() const;
  void say_who_waits();
  LaunchResult result() const;

  Grid &grid_;
  Worker &worker_;
  const ModelFigures &figures_;
  Residency residency_;
  SharedParts parts_;
  BlockQueue queue_;
  UniformWarps uniform_;
  Replays replays_;
  std::vector<Multiprocessor> sms_;
  std::vector<ModelBlock *> live_, free_blocks_;
  std::vector<ModelWarp *> free_warps_, all_warps_;
  std::vector<Room *> free_rooms_;
  std::vector<LostLocality> locality_;  // by multiprocessor (CCWS)
  Timeline timeline_;
  Progress progress_;
  uint64_t ages_ = 0, cycles_ = 0, now_ = 0, block_cycles_ = 0, held_cycles_ = 0;
  unsigned long long modelled_ = 0;
};

}  // namespace

static DeviceMemory &device_memory() {
  static DeviceMemory *memory = new DeviceMemory;
  return *memory;
}

static Policy policy_of(const Kernel &kernel, const ModelFigures &figures) {
  const unsigned asked = priority_group_of(kernel);
  const unsigned group = asked ? asked : model_settings().group;
  return Policy{asked ? Issue::groups : model_settings().issue, (group + figures.schedulers - 1) / figures.schedulers};
}

ModelledLaunch::ModelledLaunch(Grid &grid, Worker &worker)
    : grid_(grid), worker_(worker), figures_(figures_of(gpu(), *grid.kernel)),
      residency_(residency_of(grid, figures_)), parts_(shared_parts_of(*grid.kernel)), uniform_(grid.block) {
  const ModelSettings &settings = model_settings();
  begin_sites();
  begin_windows(settings.window, figures_.coalescing, figures_.banks);
  device_memory().set_up(figures_, gpu().l2_bytes, settings.keep_l2);
  sms_.resize((size_t)gpu().sms);
  locality_.resize(sms_.size());
  for (unsigned i = 0; i < sms_.size(); ++i) {
    sms_[i].set_up(i, figures_, residency_.l1_bytes, &device_memory(), this);
    sms_[i].policy = policy_of(*grid.kernel, figures_);
    sms_[i].goes_ahead = settings.ahead && sms_[i].policy.issue != Issue::ccws;  // scores decay in steps
    sms_[i].shared.set_up(residency_.shared_bytes, parts_.own * residency_.blocks);
    if (settings.issue == Issue::ccws) {
      locality_[i].sm = &sms_[i];
      sms_[i].memory.watcher = &locality_[i];
    }
  }
}

// Hands out the blocks [first, end) and models them to their end.
void ModelledLaunch::model_blocks(unsigned long long first, unsigned long long end) {
  const ModelSettings &settings = model_settings();
  const Dispatch wish = mapping_of(*grid_.kernel);
  queue_.set_up(wish == Dispatch::unset ? settings.dispatch : wish, grid_.size, first, end, (unsigned)sms_.size(), settings.seed);
  modelled_ += end - first;
  deal(now_);
  advance();
}

ModelledLaunch::~ModelledLaunch() {
  taking_back = false;
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
  block->live = 0;
  for (unsigned first = 0; first < grid_.threads; first += WARP) {
    if (free_warps_.empty()) {
      free_warps_.push_back(new ModelWarp());
      all_warps_.push_back(free_warps_.back());
    }
    ModelWarp *warp = free_warps_.back();
    free_warps_.pop_back();
    await_lanes(warp, std::min((unsigned)WARP, grid_.threads - first),
                uniform_.holds(*block, first / WARP) ? &uniform_.lanes : nullptr);
    warp->block = model;
    warp->number = first / WARP;
    warp->age = ++ages_;
    warp->queue.clear();
    warp->taken = warp->end = 0;
    warp->kinds = nullptr;
    for (std::vector<Touch> &left : warp->left) left.clear();
    warp->accessed_much = warp->has_left = warp->parked = warp->done = false;
    warp->waits_for_laggards = warp->next_load = 0;
    std::fill(std::begin(warp->loads), std::end(warp->loads), 0);
    warp->last_pc = nullptr;
    warp->work_before = warp->flops_before = warp->barrier = warp->done_ahead = 0;
    warp->at_barrier = false;
    warp->recent.clear();
    warp->loads_done = 0;
    warp->victims.clear();
    warp->score = 0;
    warp->scored = now;
    model->warps.push_back(warp);
    if (!replays_.take(warp, *block)) block->live += warp->count;
  }
  model->holds = false;
  model->managed = parts_.dynamic;
  model->holds_shared = false;
  model->asks = 0;
  model->takes = parts_.taken;
  model->took = model->held_cycles = 0;
  model->live_warps = (unsigned)model->warps.size();
  live_.push_back(model);
  if (tracing) trace_block(model);
  sms_[sm].advance(now);
  sms_[sm].add(model, now);
}

void ModelledLaunch::ended(ModelBlock *model, uint64_t now) {
  Multiprocessor &sm = sms_[model->sm];
  sm.remove(model, now);
  block_cycles_ += now - model->began;
  held_cycles_ += model->held_cycles;
  if (tracing) trace_block_ends(model);
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
  uint64_t started = 0;  // blocks so far: they are not all started at once
  for (unsigned round = 0; round < residency_.blocks && !queue_.empty(); ++round) {
    std::vector<unsigned> with_room;
    for (unsigned i = 0; i < sms_.size(); ++i) with_room.push_back(i);
    while (!with_room.empty() && !queue_.empty()) {
      const unsigned sm = queue_.first_of(with_room);
      with_room.erase(std::find(with_room.begin(), with_room.end(), sm));
      const unsigned long long number = queue_.take(sm);
      if (number == BlockQueue::NONE) continue;
      start(sm, number, now + started / 2 * PAIR_CYCLES);
      ++started;
    }
  }
}

uint64_t ModelledLaunch::next_event() const {
  uint64_t soonest = NEVER;
  for (const Multiprocessor &sm : sms_)
    if (sm.warps) soonest = std::min(soonest, sm.next());
  return soonest;
}

// Until all blocks that were handed out have ended.
void ModelledLaunch::advance() {
  uint64_t &now = now_;
  std::vector<unsigned> due;  // multiprocessors that have something to do
  std::vector<Turn> turns;
  for (const Multiprocessor &sm : sms_) turns.push_back(Turn{0, 0, sm.blocks, sm.warps});
  while (!live_.empty() && !grid_.error.load(std::memory_order_relaxed) && !lanes_differ) {
    const uint64_t until = now + WINDOW;
    unsigned blocks = 0, warps = 0;
    due.clear();
    for (unsigned i = 0; i < sms_.size(); ++i) {
      blocks += turns[i].blocks;
      warps += turns[i].warps;
      if (turns[i].warps && turns[i].next < until) due.push_back(i);
    }
    for (size_t k = 0; k < due.size(); ++k) {
      if (k + 4 < due.size()) sms_[due[k + 4]].fetch_slots();
      if (k + 3 < due.size()) sms_[due[k + 3]].fetch_warps(until);
      if (k + 2 < due.size()) sms_[due[k + 2]].fetch_queues(until);
      if (k + 1 < due.size()) sms_[due[k + 1]].fetch_tags(until);
      Multiprocessor &sm = sms_[due[k]];
      sm.advance(now);
      sm.run(until);
      sm.advance(until);
      turns[due[k]] = Turn{sm.next_turn, turns[due[k]].issued | sm.issued_windows, sm.blocks, sm.warps};
    }
    const uint64_t window = 1ull << until / WINDOW % 64;
    bool any = false, ahead = false;
    for (Turn &turn : turns) {
      any = any || turn.issued & window;
      turn.issued &= ~window;
      ahead = ahead || turn.issued;
    }
    device_memory().advance((double)(until - now));
    uint64_t next = until;
    if (!any && !ahead) {
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
    progress_.show(grid_, grid_.finished.load(std::memory_order_relaxed));
  }
}

// Where nothing that threads do depends on memory, the grid runs in fast mode, and what is modelled leaves no trace in it.
void ModelledLaunch::run(ThreadLoop fast, bool all_lanes) {
  use_lanes(&worker_);
  lanes_differ = false;
  free_rooms_.push_back(new Room(&worker_));
  free_rooms_.back()->prepare(grid_);
  if (!all_lanes) uniform_.find(grid_, free_rooms_.back());
  taking_back = uniform_.steady();
  if (taking_back && !tracing) replays_.prepare(grid_, &worker_, uniform_);
  const std::vector<Sample> samples = samples_of(grid_, residency_.blocks * (unsigned)sms_.size());
  SampleErrors errors;
  if (tracing) trace_launch(grid_, residency_.registers);
  unsigned long long at = 0;
  for (const Sample &sample : samples) {
    if (!taking_back) run_unmodelled(grid_, fast, at, sample.first);
    const uint64_t began = now_;
    const Counters before = all_counters();
    model_blocks(sample.first, sample.end);
    at = sample.end;
    if (samples.size() > 1) errors.add(before, all_counters(), now_ - began, sample.end - sample.first);
    if (grid_.error.load() || lanes_differ) break;
  }
  if (tracing) trace_launch_ends();
  if (grid_.error.load() || lanes_differ) return;
  run_unmodelled(grid_, fast, taking_back ? 0 : at, grid_.blocks);
  taking_back = false;
  progress_.clear();
  const double scale = (double)grid_.blocks / (double)modelled_;
  for (const Multiprocessor &sm : sms_) cycles_ = std::max(cycles_, sm.ended);
  // Samples begin and end with multiprocessors that are not full; the grid as a whole hardly does.
  if (scale > 1) cycles_ = (uint64_t)((double)block_cycles_ * scale / (double)(residency_.blocks * sms_.size()));
  cycles_ += figures_.launch_cycles;
  modelled_seconds += (double)cycles_ / (gpu().clock_mhz * 1e6);
  if (grid_.error.load()) return;
  LaunchResult r = result();
  r.scale = scale;
  r.errors = errors.json(grid_.blocks);
  if (!only_traces) report_launch(r);
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
  r.block_cycles = block_cycles_;
  r.held_cycles = held_cycles_;
  r.timeline = timeline_;
  r.modelled_blocks = modelled_;
  uint64_t busy = 0, warp_cycles = 0;
  for (const Multiprocessor &sm : sms_) {
    busy += sm.busy_cycles;
    warp_cycles += sm.warp_cycles;
    r.issue_limit = std::max(r.issue_limit, (double)sm.issued * figures_.issue_cycles / figures_.schedulers);
    r.l1_limit = std::max(r.l1_limit, sm.memory.l1_busy);
    r.shared_limit = std::max(r.shared_limit, sm.memory.shared_busy);
  }
  r.l2_limit = device_memory().l2_rate.busy();
  r.dram_limit = device_memory().dram_rate.busy();
  r.occupancy = busy ? (double)warp_cycles / (double)busy / gpu().warps_per_sm : 0;
  return r;
}

bool is_to_be_modelled(const Grid &grid) {
  if (grid.cluster_blocks > 1) {  // they access each other's shared memory, for which there is no model
    fprintf(stderr, "gpuopt model: %s: clusters of blocks are not modelled; it runs as in fast mode\n", grid.kernel->name);
    return false;
  }
  static std::mutex &mutex = *new std::mutex;
  static std::unordered_map<const Kernel *, unsigned> &seen = *new std::unordered_map<const Kernel *, unsigned>;
  const unsigned most = model_settings().launches;
  if (!most) return true;
  std::lock_guard<std::mutex> lock(mutex);
  return seen[grid.kernel]++ < most;
}

double event_time() { return modelling && !only_traces ? modelled_seconds : seconds(); }

unsigned multiprocessor_of(const Block *block) { return block->model->sm; }

void run_modelled(Grid &grid, ThreadLoop fast) {
  static std::mutex &one_at_a_time = *new std::mutex;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  {
    ModelledLaunch launch(grid, this_worker());
    launch.run(fast, false);
  }
  if (!lanes_differ) return;
  ModelledLaunch again(grid, this_worker());  // every thread by itself
  again.run(fast, true);
}

}  // namespace gpuopt_emu
