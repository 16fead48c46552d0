#include "model_memory.h"

namespace gpuopt_emu {

static const unsigned L2_WAYS = 16;
static const double SECTOR = 32;

void DeviceMemory::set_up(const ModelFigures &figures, size_t l2_bytes, bool keep) {
  if (!keep || figures_ != &figures) l2_.set_up(l2_bytes, L2_WAYS, Index::hashed, 0);
  figures_ = &figures;
  has_l2_ = l2_bytes != 0;
  l2_rate = Throughput(figures.l2_bytes);
  dram_rate = Throughput(figures.dram_bytes);
}

// Of an L2 in two parts the far one is used once the near one is full.
double DeviceMemory::l2_latency() const { return figures_->l2_latency + l2_rate.delay(); }

int DeviceMemory::place(uint64_t line, Counters &counters) {
  Cache::Evicted evicted;
  const int at = l2_.insert(line, Rank::normal, &evicted);
  if (evicted.any && evicted.dirty) {
    const unsigned count = (unsigned)__builtin_popcount(evicted.dirty);
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
  }
  return at;
}

double DeviceMemory::read(uint64_t line, unsigned sectors, Counters &counters) {
  const unsigned wanted = (unsigned)__builtin_popcount(sectors);
  unsigned missing = sectors;
  if (has_l2_) {
    counters.of[l2_read_sectors] += wanted;
    l2_rate.use(SECTOR * wanted);
    int at = l2_.find(line);
    if (at >= 0) {
      l2_.touch(at, Rank::normal);
      missing = sectors & ~(unsigned)l2_[at].valid;
    } else {
      at = place(line, counters);
    }
    l2_[at].valid |= (unsigned char)sectors;
    counters.of[l2_read_hits] += wanted - (unsigned)__builtin_popcount(missing);
  }
  if (!missing) return l2_latency();
  const unsigned fetched = (unsigned)__builtin_popcount(missing);
  counters.of[dram_read_sectors] += fetched;
  dram_rate.use(SECTOR * fetched);
  return figures_->dram_latency + dram_rate.delay() + l2_rate.delay();
}

void DeviceMemory::write(uint64_t line, unsigned sectors, Counters &counters) {
  const unsigned count = (unsigned)__builtin_popcount(sectors);
  if (!has_l2_) {
    counters.of[dram_write_sectors] += count;
    dram_rate.use(SECTOR * count);
    return;
  }
  counters.of[l2_write_sectors] += count;
  l2_rate.use(SECTOR * count);
  int at = l2_.find(line);
  if (at >= 0) {
    l2_.touch(at, Rank::normal);
    counters.of[l2_write_hits] += (unsigned)__builtin_popcount(sectors & l2_[at].valid);
  } else {
    at = place(line, counters);
  }
  // Which bytes of a sector are written is remembered, so it needs not be fetched.
  l2_[at].valid |= (unsigned char)sectors;
  l2_[at].dirty |= (unsigned char)sectors;
}

double DeviceMemory::update(uint64_t line, unsigned sectors, Counters &counters) {
  const double latency = read(line, sectors, counters);
  if (has_l2_) l2_[l2_.find(line)].dirty |= (unsigned char)sectors;
  return latency;
}

}  // namespace gpuopt_emu
