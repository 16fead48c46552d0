#include "model_sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "model_launch.h"
#include "model_settings.h"
#include "settings.h"

namespace gpuopt_emu {

static const unsigned MOST_SAMPLES = 8;

std::vector<Sample> samples_of(const Grid &grid, unsigned wave) {
  const unsigned long long wanted = model_settings().sample;
  if (!wanted || wanted >= grid.blocks || grid.cooperative) return {Sample{0, grid.blocks}};
  // Whole waves, and at least two of them in a sample: the first one starts with empty caches.
  const unsigned long long waves = std::max(wanted / wave, 1ull);
  const unsigned long long count = std::min(std::max(waves / 2, 1ull), (unsigned long long)MOST_SAMPLES);
  const unsigned long long each = std::max(std::min(wanted, waves * wave) / count, 1ull);
  std::vector<Sample> samples;
  for (unsigned long long i = 0; i < count; ++i) {
    const unsigned long long first = count == 1 ? 0 : (grid.blocks - each) * i / (count - 1);
    samples.push_back(Sample{first, std::min(first + each, grid.blocks)});
  }
  return samples;
}

void run_unmodelled(Grid &grid, ThreadLoop fast, unsigned long long first, unsigned long long end) {
  if (first >= end || grid.error.load()) return;
  Grid rest;
  rest.kernel = grid.kernel;
  rest.loop = fast;
  rest.closure = grid.closure;
  rest.size = grid.size;
  rest.block = grid.block;
  rest.stream = grid.stream;
  rest.task = grid.task;
  rest.threads = grid.threads;
  rest.static_shared = grid.static_shared;
  rest.dynamic_shared = grid.dynamic_shared;
  rest.blocks = end;
  rest.number = grid.number;
  rest.cluster = grid.cluster;
  rest.cluster_blocks = grid.cluster_blocks;
  rest.carveout = grid.carveout;
  rest.exact = rest.cooperative = false;
  rest.next = first;
  rest.finished = rest.arrived = 0;
  rest.phase = 0;
  rest.error = 0;
  run_grid(rest);
  if (rest.error) grid.error = rest.error.load();
}

void SampleErrors::add(const Counters &before, const Counters &after, uint64_t cycles, unsigned long long blocks) {
  const auto grown = [&](Count which) { return (double)(after.of[which] - before.of[which]); };
  const double each = (double)std::max(blocks, 1ull);
  hit_rates_.push_back(grown(load_sectors) > 0 ? grown(load_hits) / grown(load_sectors) : 0);
  cycles_.push_back((double)cycles / each);
  sectors_.push_back(grown(load_sectors) / each);
  reads_.push_back(grown(l2_read_sectors) / each);
}

static bool is_terminal() {
  const char *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb");
}

static double half_width(const std::vector<double> &values, double scale) {
  // Student's t for 95 %, by degrees of freedom from 1 on.
  static const double t[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306};
  const size_t n = values.size();
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / (double)n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return scale * t[std::min(n - 2, (size_t)7)] * sqrt(squares / (double)(n - 1) / (double)n);
}

std::string SampleErrors::json(unsigned long long all_blocks) const {
  if (cycles_.size() < 2) return "";
  const double blocks = (double)all_blocks;
  char text[256];
  snprintf(text, sizeof text,
           ", \"errors\": {\"l1_load_hit_rate\": %.6f, \"cycles\": %.1f, \"l1_load_sectors\": %.1f, \"l2_read_sectors\": %.1f}",
           half_width(hit_rates_, 1), half_width(cycles_, blocks), half_width(sectors_, blocks), half_width(reads_, blocks));
  return text;
}

Progress::Progress() : on_terminal_(is_terminal()), heard_(seconds()) {}

void Progress::clear() {
  if (shown_) fputs("\r\033[K", stderr);
  shown_ = false;
}

void Progress::show(const Grid &grid, uint64_t cycle) {
  if (!on_terminal_ || ++calls_ % 64) return;
  const double now = seconds();
  if (now - heard_ < (shown_ ? 0.5 : 1)) return;
  shown_ = true;
  heard_ = now;
  const unsigned long long done = grid.finished.load(std::memory_order_relaxed);
  fprintf(stderr, "\r\033[Kgpuopt model: %.40s: cycle %" PRIu64 ", %llu of %llu blocks done", plain_name(grid.kernel->name).c_str(), cycle,
          done, grid.blocks);
}

}  // namespace gpuopt_emu
