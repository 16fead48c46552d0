// Loads in line where multiprocessors issue them: most are of one line, or of many that come again, which L1 has.
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
inline double MemoryPath::lookup_cycles(unsigned sectors, unsigned count) const { return std::max(real(count), real(sectors) * sector_cost_); }

// When L1, which takes so many cycles, begins.
GPUOPT_EMU_INLINED uint64_t MemoryPath::take_l1(double cycles, uint64_t now) {
  const double start = std::max(real(now), l1_free_);
  l1_free_ = start + cycles;
  l1_busy += cycles;
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
  return warp.replays() ? l1_.known_as(number_of_load(parts.first, load.parts, load.passes), parts.by) : -1;
}

// Whether load_simply() finds its way by this.
inline bool MemoryPath::is_simple(const WarpInstruction &load) const {
  if (load.space == Space::nothing || load.space == Space::shared || load.space == Space::constant || writes(load.kind)) return false;
  if (load.passes == MANY_SECTORS || !(load.parts == 1 || load.parts >= FEWEST_NUMBERED)) return false;
  const OperatorFigures &with = figures_->operators[(size_t)load.with];
  return has_l1_ && with.hits && !(with.first_out && load.parts > 1) && !pairs_ && !watcher;
}

GPUOPT_EMU_INLINED MemoryPath::Found MemoryPath::look_for(const WarpInstruction &load, const ModelWarp &warp, Parts parts) const {
  if (load.parts > 1) {
    const int known = known_as(load, warp, parts);
    return {known, known >= 0};
  }
  const int at = l1_.find(line_of(parts[0]));
  return {at, at >= 0 && !(sectors_of(parts[0]) & ~l1_.valid(at))};
}

// `start`: when L1 begins with it.
GPUOPT_EMU_INLINED uint64_t MemoryPath::load_simply(const WarpInstruction &instruction, Found found, Parts parts, bool first_out, uint64_t start) {
  const unsigned count = instruction.parts;
  if (__builtin_expect(!found.all, 0)) return load_lacking(instruction, parts, start);
  if (count == 1) return hit(found.at, sectors_of(parts[0]), first_out, start);
  l1_.use_again(found.at);
  const uint64_t arrives = l1_.known_arrives(found.at, number_of_load(parts.first, count, instruction.passes));
  return std::max(start + count - 1 + l1_latency_, arrives);
}

}  // namespace gpuopt_emu

#endif
