#include "model_pairs.h"

#include <stdlib.h>

#include <algorithm>

#include "check_block.h"
#include "model_sites.h"
#include "settings.h"

namespace gpuopt_emu {

static const unsigned MOST_LOADS = 16;  // the first ones; a kernel has few that matter

namespace {
struct Seen {
  unsigned source;
  uint64_t accesses, sectors;
};
struct Pairs {
  std::vector<Seen> loads;
  uint64_t hits[MOST_LOADS][MOST_LOADS] = {};  // of both together; on the diagonal alone
};
}  // namespace

static Pairs &pairs() {
  static Pairs *all = new Pairs;
  return *all;
}

bool pairs_wanted() {
  static const bool wanted = number_setting("GPUOPT_EMU_PAIRS", 0, 1, 0) == 1;
  return wanted;
}

void begin_pairs() { pairs() = Pairs(); }

PairCaches::PairCaches(const ModelFigures &figures, size_t bytes, unsigned ways)
    : figures_(figures), bytes_(bytes), ways_(ways), caches_(MOST_LOADS * MOST_LOADS) {}

// A cache of two begins as that of the one which came first: the other has asked for nothing until now.
Cache &PairCaches::of(unsigned first, unsigned second) {
  const auto at = [this](unsigned i, unsigned j) -> std::unique_ptr<Cache> & { return caches_[i * MOST_LOADS + j]; };
  std::unique_ptr<Cache> &cache = at(std::min(first, second), std::max(first, second));
  if (cache) return *cache;
  const std::unique_ptr<Cache> &before = at(first, first) ? at(first, first) : at(second, second);
  if (before) {
    cache.reset(new Cache(*before));
    return *cache;
  }
  const bool segmented = figures_.replacement == Replacement::segmented;
  cache.reset(new Cache);
  cache->set_up(bytes_, ways_, figures_.index, segmented ? figures_.protected_part : 0, segmented ? figures_.random_part : 0);
  return *cache;
}

// Lines that are filled whole count as one, others by sectors.
unsigned PairCaches::look(Cache &cache, Part part) const {
  const uint64_t line = line_of(part);
  const unsigned wanted = sectors_of(part);
  int at = cache.find(line);
  const unsigned there = at >= 0 ? cache.valid(at) & wanted : 0;
  if (at >= 0) cache.touch(at, Rank::normal);
  else {
    Cache::Evicted evicted;
    at = cache.insert(line, Rank::normal, &evicted);
  }
  cache.add(at, figures_.fills_lines ? 15 : wanted);
  return figures_.fills_lines ? there == wanted : (unsigned)__builtin_popcount(there);
}

void PairCaches::load(unsigned source, Parts parts, unsigned count) {
  Pairs &all = pairs();
  unsigned me = 0;
  while (me < all.loads.size() && all.loads[me].source != source) ++me;
  if (me == all.loads.size()) {
    if (me == MOST_LOADS) return;
    all.loads.push_back(Seen{source, 0, 0});
    for (unsigned other = 0; other < me; ++other) all.hits[other][me] = all.hits[other][other];
  }
  for (unsigned i = 0; i < count; ++i) {
    const unsigned sectors = (unsigned)__builtin_popcount(sectors_of(parts[i]));
    all.loads[me].accesses += figures_.fills_lines ? 1 : sectors;
    all.loads[me].sectors += sectors;
    for (unsigned other = 0; other < all.loads.size(); ++other)
      if (other != me) all.hits[std::min(me, other)][std::max(me, other)] += look(of(me, other), parts[i]);
    all.hits[me][me] += look(of(me, me), parts[i]);
  }
}

void PairCaches::store(Parts parts, unsigned count) {
  if (figures_.store_updates) return;
  for (const std::unique_ptr<Cache> &cache : caches_)
    for (unsigned i = 0; cache && i < count; ++i) {
      const int at = cache->find(line_of(parts[i]));
      if (at >= 0) cache->drop(at);
    }
}

std::string pairs_json(double scale) {
  if (!pairs_wanted()) return "";
  const Pairs &all = pairs();
  const auto number = [scale](uint64_t value) { return std::to_string((uint64_t)((double)value * scale + 0.5)); };
  std::string loads, together;
  for (unsigned i = 0; i < all.loads.size(); ++i) {
    const Source &source = sources()[all.loads[i].source];
    const std::string array = source.array >= 0 ? arrays()[(size_t)source.array].name : "";
    loads += (i ? ",\n     {" : "\n     {") + std::string("\"file\": ") + quoted(source.spot ? source.spot->file : "") +
             ", \"line\": " + std::to_string(source.spot ? source.spot->line : 0) + ", \"array\": " + quoted(array.c_str()) +
             ", \"accesses\": " + number(all.loads[i].accesses) + ", \"sectors\": " + number(all.loads[i].sectors) +
             ", \"hits\": " + number(all.hits[i][i]) + "}";
    for (unsigned j = i + 1; j < all.loads.size(); ++j)
      together += (together.empty() ? "[" : ", [") + std::to_string(i) + ", " + std::to_string(j) + ", " +
                  number(all.hits[i][j]) + "]";
  }
  return ",\n   \"pairs\": {\"loads\": [" + loads + "],\n    \"together\": [" + together + "]}";
}

}  // namespace gpuopt_emu
