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
  if (!keep || figures_ != &figures) l2_.set_up(l2_bytes, L2_WAYS, Index::hashed, 0);
  figures_ = &figures;
  has_l2_ = l2_bytes != 0;
  const size_t groups = figures.gpcs ? ((size_t)gpu().sms / figures.gpcs / figures.merging_multiprocessors + 1) * figures.gpcs : 0;
  ways_.assign(groups * WAYS, Way{~0ull, 0, 0, 0});
  l2_rate = Throughput(figures.l2_bytes);
  dram_rate = Throughput(figures.dram_bytes);
}

// Of an L2 in two parts the far one is used once the near one is full.
double DeviceMemory::l2_latency() const { return figures_->l2_latency + l2_rate.delay(); }

int DeviceMemory::place(uint64_t line, Counters &counters) {
  Cache::Evicted evicted;
  const int at = l2_.insert(line, Rank::normal, &evicted);
  if (evicted.any && evicted.dirty) {
    const unsigned count = count_of(evicted.dirty);
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
  }
  return at;
}

double DeviceMemory::read(uint64_t line, unsigned sectors, unsigned group, uint64_t now, Counters &counters) {
  if (ways_.empty()) return fetch(line, sectors, counters);
  // Requests for what is on its way are merged, so many at most; a request for other sectors of the line goes by itself.
  Way &way = ways_[way_of(line, group)];
  const bool on_its_way = way.line == line && way.arrives > now, other = sectors & ~way.sectors;
  if (on_its_way && !other && way.takers < figures_->merged_requests) {
    ++way.takers;
    return (double)(way.arrives - now);
  }
  const double latency = fetch(line, sectors, counters);
  if (!on_its_way || !other) way = Way{line, now + (uint64_t)latency, sectors, 1};
  return latency;
}

// Makes sure that L2 has the sectors; returns how many it had.
unsigned DeviceMemory::bring(uint64_t line, unsigned sectors, Counters &counters) {
  unsigned missing = sectors;
  int at = -1;
  if (has_l2_) {
    at = l2_.find(line);
    if (at >= 0) {
      l2_.touch(at, Rank::normal);
      missing = sectors & ~(unsigned)l2_[at].valid;
    } else {
      at = place(line, counters);
    }
  }
  unsigned fetched = missing;
  if (figures_->dram_fetch > 32) fetched |= (fetched & 5) << 1 | (fetched & 10) >> 1;  // two neighbours at once
  if (at >= 0) {
    fetched &= ~(unsigned)l2_[at].valid;
    l2_[at].valid |= (unsigned char)(fetched | sectors);
  }
  const unsigned count = count_of(fetched);
  counters.of[dram_read_sectors] += count;
  dram_rate.use(SECTOR * count);
  return count_of(sectors & ~missing);
}

double DeviceMemory::fetch(uint64_t line, unsigned sectors, Counters &counters) {
  const unsigned wanted = count_of(sectors), there = bring(line, sectors, counters);
  if (has_l2_) {
    counters.of[l2_read_sectors] += wanted;
    counters.of[l2_read_hits] += there;
    l2_rate.use(SECTOR * wanted);
  }
  return there == wanted ? l2_latency() : figures_->dram_latency + dram_rate.delay() + l2_rate.delay();
}

void DeviceMemory::write(uint64_t line, unsigned sectors, unsigned full, Counters &counters) {
  const unsigned count = count_of(sectors);
  if (!has_l2_) {
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
    return;
  }
  counters.of[l2_write_sectors] += count;
  l2_rate.use(SECTOR * (count + PARTIAL_COST * count_of(sectors & ~full)));
  int at = l2_.find(line);
  if (at >= 0) {
    l2_.touch(at, Rank::normal);
    counters.of[l2_write_hits] += count_of(sectors & l2_[at].valid);
  } else {
    at = place(line, counters);
  }
  // Which bytes of a sector are written is remembered, so it needs not be fetched.
  l2_[at].valid |= (unsigned char)sectors;
  l2_[at].dirty |= (unsigned char)sectors;
}

double DeviceMemory::update(uint64_t line, unsigned sectors, unsigned lanes, Counters &counters) {
  const unsigned wanted = count_of(sectors), there = bring(line, sectors, counters);
  if (has_l2_) {
    counters.of[l2_atomic_sectors] += wanted;
    l2_rate.use(SECTOR * ATOMIC_COST * lanes);
    l2_[l2_.find(line)].dirty |= (unsigned char)sectors;
  }
  return (there == wanted ? l2_latency() : figures_->dram_latency + dram_rate.delay()) + 2 * lanes;
}

}  // namespace gpuopt_emu
