#include "model_load.h"

namespace gpuopt_emu {

static const double PORT_BYTES = 64;  // per cycle, between a multiprocessor and L2

static Rank rank_of(const OperatorFigures &with) {
  return with.first_out ? Rank::first_out : with.stays ? Rank::stays : Rank::normal;
}

void MemoryPath::set_up(unsigned number, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device) {
  figures_ = &figures;
  device_ = device;
  // Pairs of multiprocessors belong to the GPCs in turns, and a few pairs of a GPC merge their requests.
  if (figures.gpcs) group_ = number / 2 % figures.gpcs + 2 * (number / 2 / figures.gpcs) / figures.merging_multiprocessors * figures.gpcs;
  has_l1_ = l1_bytes >= 128 + figures.l1_unusable;
  const double guarded = figures.replacement == Replacement::segmented ? figures.protected_part : 0;
  const double usable = (double)l1_bytes * (figures.l1_unusable ? 1 : figures.usable) - (double)figures.l1_unusable;
  const double random = figures.replacement == Replacement::segmented ? figures.random_part : 0;
  l1_.set_up((size_t)std::max(usable, 0.0), figures.ways, figures.index, guarded, random, 1, true);
  owners_.clear();
  all_ = Queue{0, figures.lookups_waiting, {}};
  own_.assign(figures.lookups_of_scheduler ? figures.schedulers : 0, Queue{0, figures.lookups_of_scheduler, {}});
  turned_away_ = 0;
  misses_.assign(figures.misses_in_flight, 0);
  missed_ = 0;
  l1_latency_ = (uint64_t)figures.l1_latency;
  pairs_.reset(has_l1_ && pairs_wanted() ? new PairCaches(figures, (size_t)std::max(usable, 0.0), figures.ways) : nullptr);
  if (!number) begin_pairs();
  sector_cost_ = 32 / figures.l1_bytes;
  l1_free_ = shared_free_ = port_free_ = 0;
  l1_busy = shared_busy = 0;
}

uint64_t MemoryPath::fetch(uint64_t line, unsigned sectors, uint64_t now, Counters &counters) {
  const double start = std::max((double)now, port_free_);
  port_free_ = start + 32 * count_of(sectors) / PORT_BYTES;
  return (uint64_t)(start + device_->read(line, sectors, group_, (uint64_t)start, counters));
}

// While as many lines are on their way as can be, L1 takes nothing, hits included.
uint64_t MemoryPath::when_it_can_miss(uint64_t now) {
  if (misses_.empty() || misses_[missed_] <= now) return now;
  l1_free_ = std::max(l1_free_, (double)misses_[missed_]);
  return misses_[missed_];
}

// While all places of a set are those of lines on their way, L1 takes nothing, hits included.
uint64_t MemoryPath::when_it_has_room(uint64_t line, uint64_t now) {
  const uint64_t when = l1_.place_free_from(line, now);
  if (when > now) l1_free_ = std::max(l1_free_, (double)when);
  return when;
}

void MemoryPath::drop(uint64_t line) {
  const int at = has_l1_ ? l1_.find(line) : -1;
  if (at >= 0) l1_.drop(at);
}

// Who brought each line is kept for the watcher alone.
void MemoryPath::tell_owner(const Cache::Evicted &evicted, int at, const ModelWarp *warp) {
  owners_.resize(l1_.places());
  if (evicted.any) watcher->lost(owners_[(size_t)evicted.at], evicted.tag);
  owners_[(size_t)at] = warp;
}

// Sectors of which L1 may lack some; where their line is.
uint64_t MemoryPath::load_part(const OperatorFigures &with, Part part, int at, uint64_t now, Counters &counters) {
  const uint64_t line = line_of(part);
  const unsigned wanted = sectors_of(part);
  if (at >= 0 && !with.hits && !with.keeps) {
    l1_.drop(at);
    at = -1;
  }
  const unsigned there = at >= 0 && with.hits ? l1_.valid(at) & wanted : 0;
  uint64_t done = now + l1_latency_;
  if (there) {
    done = hit(at, there, with.first_out, now);
    counters.of[load_hits] += count_of(there);
    if (there == wanted) return done;
  }
  return std::max(done, miss(with, line, wanted & ~there, at, there != 0, now, counters));
}

// What L1 lacks of a line, which is at `at`, or not there (-1). When it arrives.
uint64_t MemoryPath::miss(const OperatorFigures &with, uint64_t line, unsigned missing, int at, bool touched, uint64_t now,
                          Counters &counters) {
  if (watcher) watcher->missed(who, Cache::tag_of(line));
  const bool allocates = has_l1_ && with.allocates;
  const unsigned asked = allocates && figures_->fills_lines ? 15u : missing;
  if (allocates) now = when_it_can_miss(now);
  if (allocates && at < 0 && figures_->lines_reserved) now = when_it_has_room(line, now);
  const uint64_t arrives = fetch(line, asked, now, counters);
  if (!allocates) return arrives;
  if (!misses_.empty()) {
    misses_[missed_] = arrives;
    missed_ = missed_ + 1 == misses_.size() ? 0 : missed_ + 1;
  }
  if (at < 0) {
    Cache::Evicted evicted;
    at = l1_.insert(line, rank_of(with), &evicted);
    if (watcher) tell_owner(evicted, at, who);
  } else if (!touched) {
    l1_.touch(at, rank_of(with));
  }
  uint64_t last = arrives;
  if (l1_.marked(at)) {  // else all arrived before, and when needs not be looked at
    if (l1_.arrives(at) <= now) l1_.clear_marks(at);
    else l1_.waits_longer(at);
    last = std::max(l1_.arrives(at), arrives);
  }
  l1_.add(at, asked, asked);
  l1_.arrives(at) = last;
  return arrives;
}

// What will be looked at for lines that L1 lacks is fetched, since each look waits for memory else.
inline void MemoryPath::fetch_lacking(Parts parts, uint64_t which) const {
  for (; which; which &= which - 1) device_->fetch_tags(line_of(parts[(unsigned)__builtin_ctzll(which)]), group_);
}

static Cache::Places places;  // of the lines of the load that is looked at

bool MemoryPath::has_lines(Parts parts, unsigned count) {
  l1_.look_up(parts, count, &places);
  return !l1_.lacking(parts, places, 0, count);
}

void MemoryPath::remember(Parts parts, unsigned count, unsigned sectors) {
  const NumberedLoad load = number_of_load(parts.first, count, sectors);
  if (load.lines) l1_.remember(load, parts, places, count);
}

// Whether L1 has, or waits for, all that a load asks for.
bool MemoryPath::has_all(const WarpInstruction &load, const ModelWarp &warp, Parts parts) {
  if (!has_l1_ || !figures_->operators[(size_t)load.with].hits || pairs_ || watcher) return false;
  if (load.parts == 1) return look_for(load, warp, parts).all;
  return (load.parts >= FEWEST_NUMBERED && look_for(load, warp, parts).all) || has_lines(parts, load.parts);
}

// A load of any kind, of any number of lines.
uint64_t MemoryPath::load(const WarpInstruction &instruction, Parts parts, uint64_t now) {
  if (instruction.space == Space::constant) return now;  // they go with others, see model_append.cpp
  if (pairs_ && instruction.space == Space::global) pairs_->load(instruction.source, parts, instruction.parts);
  const unsigned sectors = all_sectors(instruction, parts);
  if (instruction.passes == MANY_SECTORS) {
    Counters &counters = launch_sources[instruction.source].counters;
    counters.of[load_sectors] += sectors, counters.of[load_hits] += sectors;
  }
  return load_lacking(instruction, parts, take_l1(lookup_cycles(sectors, instruction.parts), now));
}

// A load of which L1 may lack something.
uint64_t MemoryPath::load_lacking(const WarpInstruction &instruction, Parts parts, uint64_t start) {
  Counters &counters = launch_sources[instruction.source].counters;
  if (instruction.parts != 1) return load_lines(instruction, parts, all_sectors(instruction, parts), start, counters);
  const OperatorFigures &with = figures_->operators[(size_t)instruction.with];
  const Part part = parts[0];
  const unsigned wanted = sectors_of(part);
  const int at = has_l1_ ? l1_.find(line_of(part)) : -1;
  if (at >= 0 && with.hits && !(wanted & ~l1_.valid(at))) return hit(at, wanted, with.first_out, start);
  counters.of[load_hits] -= count_of(wanted);
  return std::max(start, load_part(with, part, at, start, counters));
}

// Of several lines.
uint64_t MemoryPath::load_lines(const WarpInstruction &instruction, Parts parts, unsigned sectors, uint64_t start, Counters &counters) {
  const OperatorFigures &with = figures_->operators[(size_t)instruction.with];
  const unsigned count = instruction.parts;
  const bool uses = has_l1_ && with.hits;
  const Rank rank = rank_of(with);
  if (uses) l1_.look_up(parts, count, &places);
  uint64_t done = start;
  unsigned others = 0;  // sectors that load_part() counts
  Cache::Used used = {0, -1, 0};
  for (unsigned i = 0; i < count; ++i) {
    if (uses) {
      l1_.use_all(parts, places, i, count, rank, start + i, &used);
      if (used.end != i) done = std::max({done, used.arrive, start + used.end - 1 + l1_latency_});
      if (used.end == count) break;
      i = used.end;
    } else if (has_l1_) {
      used.at = l1_.find(line_of(parts[i]));
    }
    if (!others && count - i > 1) fetch_lacking(parts, uses ? l1_.lacking(parts, places, i, count) : (1ull << (count - 1)) * 2 - (1ull << i));
    others += count_of(sectors_of(parts[i]));
    done = std::max(done, load_part(with, parts[i], used.at, start + i, counters));
  }
  counters.of[load_hits] -= others;
  if (uses && with.allocates && count >= FEWEST_NUMBERED && who->replays() && rank != Rank::first_out) remember(parts, count, sectors);
  return done;
}

void MemoryPath::store(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters) {
  ++counters.of[store_requests];
  if (pairs_) pairs_->store(parts, instruction.parts);
  const uint64_t start = take_l1(lookup_cycles(all_sectors(instruction, parts), instruction.parts), now);
  for (unsigned i = 0; i < instruction.parts; ++i) {
    const uint64_t line = line_of(parts[i]);
    const unsigned sectors = sectors_of(parts[i]), count = count_of(sectors);
    counters.of[store_sectors] += count;
    port_free_ = std::max((double)start, port_free_) + 32 * count / PORT_BYTES;
    device_->write(line, sectors, full_of(parts[i]), group_, counters);
    if (!has_l1_ || !figures_->caches_loads) continue;
    int at = l1_.find(line);
    if (at >= 0) {
      counters.of[store_hits] += count_of(sectors & l1_.valid(at));
      if (!figures_->store_updates) {
        l1_.drop(at);
        continue;
      }
      l1_.touch(at, Rank::normal);
    } else if (figures_->store_allocates) {
      Cache::Evicted evicted;
      at = l1_.insert(line, Rank::normal, &evicted);
      if (watcher) tell_owner(evicted, at, nullptr);
    } else {
      continue;
    }
    if (figures_->store_allocates) l1_.add(at, full_of(parts[i]));
  }
}

uint64_t MemoryPath::update(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters) {
  ++counters.of[atomic_requests];
  const uint64_t start = take_l1(lookup_cycles(all_sectors(instruction, parts), instruction.parts), now);
  uint64_t done = start;
  for (unsigned i = 0; i < instruction.parts; ++i) {
    const uint64_t line = line_of(parts[i]);
    const unsigned sectors = sectors_of(parts[i]), count = count_of(sectors);
    counters.of[atomic_sectors] += count;
    port_free_ = std::max((double)start, port_free_) + 32 * count / PORT_BYTES;
    drop(line);
    done = std::max(done, (uint64_t)(port_free_ + device_->update(line, sectors, std::max(1u, instruction.lanes / (unsigned)instruction.parts), counters)));
  }
  return done;
}

uint64_t MemoryPath::access(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters) {
  switch (instruction.space) {
    case Space::nothing: return now;
    case Space::shared: {
      ++counters.of[shared_requests];
      counters.of[shared_wavefronts] += instruction.passes;
      counters.of[shared_ideal] += instruction.ideal;
      const double start = std::max((double)now, shared_free_);
      shared_free_ = start + instruction.passes;
      shared_busy += instruction.passes;
      return (uint64_t)(start + instruction.passes - 1 + figures_->shared_latency);
    }
    case Space::constant: return now;  // they go with others, see model_window.cpp
    default: break;
  }
  if (is_atomic(instruction.kind) && instruction.kind != Access::atomic_read)
    return update(instruction, parts, now, counters);
  store(instruction, parts, now, counters);
  return now + 1;
}

}  // namespace gpuopt_emu
