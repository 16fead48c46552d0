// Loads that come again and again, in a cache that remembers them and in one that does not: whether what they find, when
// they are done, and which lines go, is the same. As lines of JSON: loads, those that were remembered, of these such that
// waited for sectors on their way, differences.
#include <stdio.h>

#include <algorithm>
#include <random>
#include <vector>

#include "model_cache.h"

using namespace gpuopt_emu;

struct Load {
  std::vector<Part> parts;
  NumberedLoad number;
  uint64_t by;
};

static const uint64_t LATENCY = 30;

// Sectors that the cache lacks: they arrive some time after `now`.
static void bring(Cache &cache, int at, unsigned sectors, uint64_t now, uint64_t line) {
  if (cache.arrives(at) <= now) cache.clear_marks(at);
  else cache.waits_longer(at);
  cache.add(at, sectors, sectors);
  cache.arrives(at) = std::max(cache.arrives(at), now + 400 + line % 7 * 100);
}

// What a multiprocessor does for a load that begins now. What it found and displaced, and when it was done, is added to `seen`.
static bool load(Cache &cache, const Load &what, Rank rank, bool remembers, uint64_t now, std::vector<uint64_t> *seen) {
  const Parts parts = {what.parts.data(), what.by};
  const unsigned count = (unsigned)what.parts.size();
  const int known = remembers && rank != Rank::first_out ? cache.known_as(what.number, what.by) : -1;
  uint64_t done = now;
  if (known >= 0) {
    cache.use_again(known);
    done = std::max(now + count - 1 + LATENCY, cache.known_arrives(known, what.number));
  } else {
    Cache::Places places;
    cache.look_up(parts, count, &places);
    Cache::Used used = {0, -1, 0};
    for (unsigned i = 0; i < count; ++i) {
      cache.use_all(parts, places, i, count, rank, now + i, &used);
      if (used.end != i) done = std::max({done, used.arrive, now + used.end - 1 + LATENCY});
      if (used.end == count) break;
      i = used.end;
      const uint64_t line = line_of(parts[i]);
      Cache::Evicted gone = {};
      if (used.at < 0) used.at = cache.insert(line, rank, &gone);
      else cache.touch(used.at, rank);
      if (gone.any) seen->push_back(1ull << 40 | gone.tag);
      bring(cache, used.at, sectors_of(parts[i]), now + i, line);
      done = std::max(done, cache.arrives(used.at));
    }
    if (remembers && rank != Rank::first_out) cache.remember(what.number, parts, places, count);
  }
  seen->push_back(done);
  for (unsigned i = 0; i < count; ++i) seen->push_back((uint64_t)cache.find(line_of(parts[i])));
  return known >= 0;
}

static void other(Cache &cache, unsigned what, uint64_t line, uint64_t now, std::vector<uint64_t> *seen) {
  int at = cache.find(line);
  Cache::Evicted gone = {};
  if (at < 0) at = cache.insert(line, what % 3 ? Rank::normal : what % 2 ? Rank::stays : Rank::first_out, &gone);
  else if (what % 16 == 0) return cache.drop(at);
  else cache.touch(at, what % 16 == 1 ? Rank::first_out : Rank::normal);
  if (gone.any) seen->push_back(2ull << 40 | gone.tag);
  if (what % 8 == 3) bring(cache, at, what % 64 == 3 ? 15 : 1u << what / 8 % 4, now, line);
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
      const unsigned count = i % 5 == 0 ? 40 : i % 2 ? 32 : 8, sectors = 1u << i % 4 | (i % 6 ? 0 : 1u);
      const uint64_t first = random() % 4096, step = 1 + random() % 40;
      for (const bool alike : {true, false}) {  // of some each line is asked for the same, or not
        if (!alike && i % 6) continue;
        Load one = {{}, {i, sectors, alike}, 0};
        for (unsigned k = 0; k < count; ++k) one.parts.push_back(make_part(first + k * step, alike || k % 3 ? sectors : 1, 0));
        for (const uint64_t away : {0, 32, 64}) loads.push_back(one), loads.back().by = away << 8;
      }
    }
    Cache cached, plain;
    for (Cache *cache : {&cached, &plain}) cache->set_up(form.lines * 128, form.ways, form.index, form.guarded, form.random, 1, true);
    unsigned remembered = 0, waited = 0, differences = 0;
    uint64_t now = 0;
    const unsigned rounds = 200000;
    for (unsigned round = 0; round < rounds; ++round) {
      std::vector<uint64_t> seen, expected;
      const uint64_t which = random(), around = round / 400 * 2;  // a few at a time
      const Load &what = loads[(around + which % 6) % loads.size()];
      const Rank rank = which >> 8 & 255 ? Rank::normal : Rank::first_out;
      const unsigned much = form.lines >= 1024 ? 64 : 8;
      now += 40 + (which >> 45 & 127);
      if (which >> 16 & 7) {
        const bool known = load(cached, what, rank, true, now, &seen);
        load(plain, what, rank, false, now, &expected);
        remembered += known;
        waited += known && seen[0] > now + what.parts.size() - 1 + LATENCY;
      } else {
        const uint64_t line = (which >> 40 & 31) ? line_of(what.parts[which >> 32 & 7] + what.by) : random() % 4096 * much / 8;
        other(cached, (unsigned)(which >> 24) & 255, line, now, &seen);
        other(plain, (unsigned)(which >> 24) & 255, line, now, &expected);
      }
      differences += seen != expected;
    }
    for (uint64_t line = 0; line < 1 << 16; ++line) differences += cached.find(line) != plain.find(line);
    printf("{\"loads\": %u, \"remembered\": %u, \"waited\": %u, \"differences\": %u}\n", rounds, remembered, waited, differences);
  }
}
