#include "model_memory.h"

#include <algorithm>

#include "model_coalesce.h"
#include "state.h"

namespace gpuopt_emu {

static const unsigned L2_WAYS = 16;
static const double SECTOR = 32;
// What L2 could do instead, in whole sectors, while it writes part of one (measured on an H200: 38 such sectors per
// cycle), and for each lane's atomic operation.
static const double PARTIAL_COST = 2.4, ATOMIC_COST = 8;

void DeviceMemory::set_up(const ModelFigures &figures, size_t l2_bytes, bool keep) {
  const bool kept = keep && figures_ == &figures;
  figures_ = &figures;
  has_l2_ = l2_bytes != 0;
  parts_ = figures.slices && figures.l2_parts > 1 && figures.gpcs ? 2 : 1;
  slices_ = Slices(std::max(figures.slices, 1u));
  slice_rates_.assign(figures.slices, Throughput(figures.slice_bytes));
  for (unsigned part = 0; part < parts_ && !kept; ++part)
    l2_[part].set_up(l2_bytes / parts_, L2_WAYS, Index::hashed, 0, 0, std::max(figures.slices / parts_, 1u));
  const size_t groups = figures.gpcs ? ((size_t)gpu().sms / figures.gpcs / figures.merging_multiprocessors + 1) * figures.gpcs : 0;
  ways_.assign(groups * WAYS, Way{~0ull, 0, 0, 0});
  parts_of_groups_.assign(std::max(groups, (size_t)1), 0);
  for (size_t group = 0; group < groups && parts_ == 2; ++group)
    parts_of_groups_[group] = (unsigned char)(group % figures.gpcs * parts_ / figures.gpcs);
  l2_rate = Throughput(figures.l2_bytes);
  dram_rate = Throughput(figures.dram_bytes);
}

void DeviceMemory::advance(double cycles) {
  l2_rate.advance(cycles);
  dram_rate.advance(cycles);
  for (Throughput &rate : slice_rates_) rate.advance(cycles);
}

// A copy is in the slice beside that of its home.
void DeviceMemory::use_slice(uint64_t line, double bytes, unsigned part) {
  if (slice_rates_.empty()) return;
  const unsigned slice = slices_.of(line);
  slice_rates_[parts_ == 2 ? (slice & ~1u) + part : slice].use(bytes);
}

double DeviceMemory::l2_latency(uint64_t line) const {
  const double busy = slice_rates_.empty() ? 0 : slice_rates_[slices_.of(line)].delay();
  return figures_->l2_latency + std::max(l2_rate.delay(), busy);
}

int DeviceMemory::place(Cache &l2, uint64_t line, Rank rank, Counters &counters) {
  Cache::Evicted evicted;
  const int at = l2.insert(line, rank, &evicted);
  if (evicted.any && evicted.marked) {
    const unsigned count = count_of(evicted.marked);
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
  }
  return at;
}

double DeviceMemory::read(uint64_t line, unsigned sectors, unsigned group, uint64_t now, Counters &counters) {
  const unsigned part = part_of(group);
  if (ways_.empty()) return fetch(line, sectors, part, counters);
  // Requests for what is on its way are merged, so many at most; a request for other sectors of the line goes by itself.
  Way &way = ways_[way_of(line, group)];
  const bool on_its_way = way.line == line && way.arrives > now, other = sectors & ~way.sectors;
  if (on_its_way && !other && way.takers < figures_->merged_requests) {
    ++way.takers;
    return (double)(way.arrives - now);
  }
  const double latency = fetch(line, sectors, part, counters);
  if (!on_its_way || !other) way = Way{line, now + (uint64_t)latency, sectors, 1};
  return latency;
}

unsigned DeviceMemory::with_neighbours(unsigned sectors) const {
  return figures_->dram_fetch > 32 ? sectors | (sectors & 5) << 1 | (sectors & 10) >> 1 : sectors;  // two at once
}

// Makes sure that L2 has the sectors; returns how many it had.
unsigned DeviceMemory::bring(Cache &l2, uint64_t line, unsigned sectors, Counters &counters) {
  unsigned missing = sectors;
  int at = -1;
  if (has_l2_) {
    at = l2.find(line);
    if (at >= 0) {
      l2.touch(at, Rank::normal);
      missing = sectors & ~l2.valid(at);
    } else {
      at = place(l2, line, Rank::normal, counters);
    }
  }
  unsigned fetched = with_neighbours(missing);
  if (at >= 0) {
    fetched &= ~l2.valid(at);
    l2.add(at, fetched | sectors);
  }
  const unsigned count = count_of(fetched);
  counters.of[dram_read_sectors] += count;
  dram_rate.use(SECTOR * count);
  return count_of(sectors & ~missing);
}

double DeviceMemory::fetch(uint64_t line, unsigned sectors, unsigned part, Counters &counters) {
  const unsigned wanted = count_of(sectors);
  if (has_l2_) {
    counters.of[l2_read_sectors] += wanted;
    l2_rate.use(SECTOR * wanted);
    use_slice(line, SECTOR * wanted, part);
    if (home_of(line) != part) return fetch_far(line, sectors, part, counters);
  }
  const unsigned there = bring(l2_[part], line, sectors, counters);
  if (has_l2_) counters.of[l2_read_hits] += there;
  return there == wanted ? l2_latency(line) : figures_->dram_latency + dram_rate.delay() + l2_rate.delay();
}

// A line whose home is the other part, in this one. Copies are the first to go: what just fits into L2 was seen to stay.
int DeviceMemory::copy_of(uint64_t line, unsigned part, Counters &counters) {
  Cache &near = l2_[part];
  int at = near.find(line);
  if (at >= 0) near.touch(at, Rank::first_out);
  else at = place(near, line, Rank::first_out, counters);
  return at;
}

// Of a line whose home is the other part: what this part has no copy of comes from there, and stays.
double DeviceMemory::fetch_far(uint64_t line, unsigned sectors, unsigned part, Counters &counters) {
  const int copy = copy_of(line, part, counters);
  const unsigned there = l2_[part].valid(copy), missing = sectors & ~there;
  counters.of[l2_read_hits] += count_of(sectors) - count_of(missing);
  if (!missing) return l2_latency(line);
  const unsigned asked = with_neighbours(missing) & ~there, count = count_of(asked);
  l2_[part].add(copy, asked);
  counters.of[l2_far_sectors] += count;
  use_slice(line, SECTOR * count, 1 - part);
  if (bring(l2_[1 - part], line, asked, counters) == count) return l2_latency(line) + figures_->far_latency;
  return figures_->dram_latency + dram_rate.delay() + l2_rate.delay();
}

void DeviceMemory::write(uint64_t line, unsigned sectors, unsigned full, unsigned group, Counters &counters) {
  const unsigned count = count_of(sectors);
  if (!has_l2_) {
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
    return;
  }
  const double bytes = SECTOR * (count + PARTIAL_COST * count_of(sectors & ~full));
  counters.of[l2_write_sectors] += count;
  l2_rate.use(bytes);
  const unsigned home = home_of(line);
  use_slice(line, bytes, home);
  if (parts_ == 2 && home != part_of(group)) {
    l2_[1 - home].add(copy_of(line, 1 - home, counters), sectors);
  } else if (parts_ == 2) {  // who is at the other part must ask for it again
    const int copy = l2_[1 - home].find(line);
    if (copy >= 0) l2_[1 - home].set_valid(copy, l2_[1 - home].valid(copy) & ~sectors);
  }
  Cache &l2 = l2_[home];
  int at = l2.find(line);
  if (at >= 0) {
    l2.touch(at, Rank::normal);
    counters.of[l2_write_hits] += count_of(sectors & l2.valid(at));
  } else {
    at = place(l2, line, Rank::normal, counters);
  }
  // Which bytes of a sector are written is remembered, so it needs not be fetched.
  l2.add(at, sectors, sectors);
}

double DeviceMemory::update(uint64_t line, unsigned sectors, unsigned lanes, Counters &counters) {
  Cache &l2 = l2_[home_of(line)];
  const unsigned wanted = count_of(sectors), there = bring(l2, line, sectors, counters);
  if (has_l2_) {
    counters.of[l2_atomic_sectors] += wanted;
    l2_rate.use(SECTOR * ATOMIC_COST * lanes);
    use_slice(line, figures_->slice_bytes * lanes, home_of(line));  // a slice does one in a cycle
    l2.add(l2.find(line), 0, sectors);
  }
  return (there == wanted ? l2_latency(line) : figures_->dram_latency + dram_rate.delay()) + 2 * lanes;
}

}  // namespace gpuopt_emu
