// A launch under the model: blocks are dealt out to multiprocessors, which all advance together, a window of time each.
#include <algorithm>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <unordered_map>

#include "check.h"
#include "model_grid.h"
#include "model_registers.h"
#include "settings.h"
#include "state.h"
#include "streams.h"
#include "trace.h"

namespace gpuopt_emu {

bool modelling;
double modelled_seconds = 1e-6;  // 0 is the time of an event that was not recorded

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
  Multiprocessor::Soon soon[4];
  std::vector<Turn> turns;
  for (const Multiprocessor &sm : sms_) turns.push_back(Turn{0, 0, sm.blocks, sm.warps});
  while (!live_.empty() && !grid_.error.load(std::memory_order_relaxed) && !lanes_differ) {
    const uint64_t until = now + WINDOW;
    unsigned blocks = 0, warps = 0;
    due.clear();
    for (Multiprocessor::Soon &one : soon) one.count = 0;
    for (unsigned i = 0; i < sms_.size(); ++i) {
      blocks += turns[i].blocks;
      warps += turns[i].warps;
      if (turns[i].warps && turns[i].next < until) due.push_back(i);
    }
    for (size_t k = 0; k < due.size(); ++k) {
      if (k + 4 < due.size()) sms_[due[k + 4]].fetch_slots();
      if (k + 3 < due.size()) sms_[due[k + 3]].fetch_warps(until, &soon[(k + 3) % 4]);
      if (k + 2 < due.size()) sms_[due[k + 2]].fetch_queues(soon[(k + 2) % 4]);
      if (k + 1 < due.size()) sms_[due[k + 1]].fetch_tags(soon[(k + 1) % 4]);
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
        progress_.clear();
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
    progress_.show(grid_, now);
  }
}

static Counters counted() {
  count_issued();
  return all_counters();
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
    const Counters before = counted();
    model_blocks(sample.first, sample.end);
    at = sample.end;
    if (samples.size() > 1) errors.add(before, counted(), now_ - began, sample.end - sample.first);
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
  count_issued();
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
  const KeptArithmetic kept;  // threads leave theirs
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
