// Loads that come again and again, in a cache that remembers them and in one that does not: whether what they find, and
// which lines go, is the same. As lines of JSON: loads, those that were remembered, differences.
#include <stdio.h>

#include <random>
#include <vector>

#include "model_cache.h"

using namespace gpuopt_emu;

struct Load {
  std::vector<Part> parts;
  NumberedLoad number;
  uint64_t by;
};

// What a multiprocessor does for a load, without times. What it found and displaced is added to `seen`.
static bool load(Cache &cache, const Load &what, Rank rank, bool remembers, std::vector<uint64_t> *seen) {
  const Parts parts = {what.parts.data(), what.by};
  const unsigned count = (unsigned)what.parts.size();
  if (remembers && rank != Rank::first_out && cache.use_again(what.number, what.by)) {
    for (unsigned i = 0; i < count; ++i) seen->push_back((uint64_t)cache.find(line_of(parts[i])));
    return true;
  }
  Cache::Places places;
  cache.look_up(parts, count, &places);
  bool waits = false;
  for (unsigned i = 0; i < count; ++i) {
    int at = -1;
    i = cache.use_all(parts, places, i, count, rank, &at);
    if (i == count) break;
    waits = true;
    Cache::Evicted gone = {};
    if (at < 0) at = cache.insert(line_of(parts[i]), rank, &gone);
    else cache.touch(at, rank);
    if (gone.any) seen->push_back(1ull << 40 | gone.tag);
    cache.clear_marks(at);
    cache.add(at, sectors_of(parts[i]), what.number.lines % 3 ? 0 : sectors_of(parts[i]));
  }
  for (unsigned i = 0; i < count; ++i) seen->push_back((uint64_t)cache.find(line_of(parts[i])));
  if (remembers && rank != Rank::first_out && !waits) cache.remember(what.number.lines, parts, count);
  return false;
}

static void other(Cache &cache, unsigned what, uint64_t line, std::vector<uint64_t> *seen) {
  int at = cache.find(line);
  Cache::Evicted gone = {};
  if (at < 0) at = cache.insert(line, what % 3 ? Rank::normal : what % 2 ? Rank::stays : Rank::first_out, &gone);
  else if (what % 16 == 0) cache.drop(at);
  else cache.touch(at, what % 16 == 1 ? Rank::first_out : Rank::normal);
  if (gone.any) seen->push_back(2ull << 40 | gone.tag);
  if (what % 64 == 3) cache.add(at, 15, 15);
}

int main() {
  struct Form {
    unsigned lines, ways;
    Index index;
    double guarded, random;
  };
  for (const Form &form : {Form{1728, 0, Index::hashed, 0.59, 0.05}, Form{256, 0, Index::hashed, 0, 0}, Form{512, 4, Index::linear, 0, 0.1},
                           Form{384, 6, Index::exclusive_or, 0.5, 0}}) {
    std::mt19937_64 random(form.lines);
    std::vector<Load> loads;
    for (uint32_t i = 1; i <= 24; ++i) {
      Load one = {{}, {i, 1u << i % 4}, 0};
      const unsigned count = i % 5 == 0 ? 40 : i % 2 ? 32 : 8;
      const uint64_t first = random() % 4096, step = 1 + random() % 40;
      for (unsigned k = 0; k < count; ++k) one.parts.push_back(make_part(first + k * step, one.number.sectors, 0));
      for (const uint64_t away : {0, 32, 64}) loads.push_back(one), loads.back().by = away << 8;
    }
    Cache cached, plain;
    for (Cache *cache : {&cached, &plain}) cache->set_up(form.lines * 128, form.ways, form.index, form.guarded, form.random, 1, true);
    unsigned remembered = 0, differences = 0;
    const unsigned rounds = 200000;
    for (unsigned round = 0; round < rounds; ++round) {
      std::vector<uint64_t> seen, expected;
      const uint64_t which = random(), around = round / 400 * 2;  // a few at a time
      const Load &what = loads[(around + which % 6) % loads.size()];
      const Rank rank = which >> 8 & 255 ? Rank::normal : Rank::first_out;
      const unsigned much = form.lines >= 1024 ? 64 : 8;
      if (which >> 16 & 7) {
        remembered += load(cached, what, rank, true, &seen);
        load(plain, what, rank, false, &expected);
      } else {
        const uint64_t line = (which >> 40 & 31) ? line_of(what.parts[which >> 32 & 7] + what.by) : random() % 4096 * much / 8;
        other(cached, (unsigned)(which >> 24) & 255, line, &seen);
        other(plain, (unsigned)(which >> 24) & 255, line, &expected);
      }
      differences += seen != expected;
    }
    for (uint64_t line = 0; line < 1 << 16; ++line) differences += cached.find(line) != plain.find(line);
    printf("{\"loads\": %u, \"remembered\": %u, \"differences\": %u}\n", rounds, remembered, differences);
  }
}
