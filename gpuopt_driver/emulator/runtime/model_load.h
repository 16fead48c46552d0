// Plain loads, in line where multiprocessors issue them: most are of one line, or of many that come again, which L1 has.
#ifndef GPUOPT_EMU_MODEL_LOAD_H
#define GPUOPT_EMU_MODEL_LOAD_H

#include <algorithm>

#include "model_l1.h"
#include "model_slots.h"

namespace gpuopt_emu {

inline unsigned all_sectors(const WarpInstruction &instruction, Parts parts) {
  return instruction.passes != MANY_SECTORS ? instruction.passes : all_sectors(parts.first, instruction.parts);
}

// Times are far below 2^63, and conversions of signed numbers have no branches.
inline uint64_t whole(double cycles) { return (uint64_t)(int64_t)cycles; }
inline double real(uint64_t cycles) { return (double)(int64_t)cycles; }

// Tags are looked up one line per cycle; data come at the rate of L1.
GPUOPT_EMU_INLINED uint64_t MemoryPath::take_l1(unsigned sectors, unsigned count, uint64_t now) {
  const double cost = std::max(real(count), real(sectors) * sector_cost_);
  const double start = std::max(real(now), l1_free_);
  l1_free_ = start + cost;
  l1_busy += cost;
  const uint64_t begin = whole(start);
  all_.add(begin);
  turned_away_ -= turned_away_ != 0;
  if (!own_.empty()) own_[from].add(begin);
  return begin;
}

// Sectors that L1 has. When they are there: some may be on their way.
GPUOPT_EMU_INLINED uint64_t MemoryPath::hit(int at, unsigned sectors, bool first_out, uint64_t now) {
  const uint64_t done = now + l1_latency_;
  l1_.touch(at, first_out ? Rank::first_out : Rank::normal);
  if (!(l1_.marked(at) & sectors)) return done;
  if (l1_.arrives(at) > now) return std::max(done, l1_.arrives(at));
  l1_.clear_marks(at);
  return done;
}

// As what a load that warps repeat is known, whose lines are all as they were when it was remembered; -1: as nothing.
GPUOPT_EMU_INLINED int MemoryPath::known_as(const WarpInstruction &load, const ModelWarp &warp, Parts parts) const {
  const OperatorFigures &with = figures_->operators[(size_t)load.with];
  if (!has_l1_ || !with.hits || with.first_out || !warp.replays()) return -1;
  return l1_.known_as(number_of_load(parts.first, load.parts, load.passes), parts.by);
}

GPUOPT_EMU_INLINED bool MemoryPath::has_all(const WarpInstruction &load, const ModelWarp &warp, Parts parts) {
  if (!has_l1_ || !figures_->operators[(size_t)load.with].hits || pairs_ || watcher) return false;
  if (load.parts == 1) {
    found_ = l1_.find(line_of(parts[0]));
    if (found_ >= 0 && !(sectors_of(parts[0]) & ~l1_.valid(found_))) return true;
    found_ = -1;
    return false;
  }
  if (load.parts >= FEWEST_NUMBERED) {
    found_ = known_as(load, warp, parts);
    if (found_ >= 0) return true;
  }
  return has_lines(parts, load.parts);
}

GPUOPT_EMU_INLINED uint64_t MemoryPath::load(const WarpInstruction &instruction, Parts parts, uint64_t now, Counters &counters) {
  if (__builtin_expect(instruction.space == Space::constant, 0)) return now;  // they go with others, see model_append.cpp
  ++counters.of[load_requests];
  if (__builtin_expect(pairs_ != nullptr, 0) && instruction.space == Space::global) pairs_->load(instruction.source, parts, instruction.parts);
  const unsigned count = instruction.parts, sectors = all_sectors(instruction, parts);
  counters.of[load_sectors] += sectors;
  const uint64_t start = take_l1(sectors, count, now);
  int found = found_;
  found_ = -1;
  if (count == 1) {
    const OperatorFigures &with = figures_->operators[(size_t)instruction.with];
    const Part part = parts[0];
    if (found < 0 && has_l1_ && with.hits) found = l1_.find(line_of(part));
    if (found < 0 || sectors_of(part) & ~l1_.valid(found)) return load_line(with, part, sectors, start, counters);
    counters.of[load_hits] += sectors;
    return hit(found, sectors_of(part), with.first_out, start);
  }
  if (count < FEWEST_NUMBERED) return load_lines(instruction, parts, sectors, start, counters);
  if (found < 0) found = known_as(instruction, *who, parts);
  if (found < 0) return load_lines(instruction, parts, sectors, start, counters);
  l1_.use_again(found);
  counters.of[load_hits] += sectors;
  const uint64_t arrives = l1_.known_arrives(found, number_of_load(parts.first, count, sectors));
  return std::max(start + count - 1 + l1_latency_, arrives);
}

}  // namespace gpuopt_emu

#endif
