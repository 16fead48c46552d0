// Rounds through lines of an H200's L1 as the model has it: hits of each, as lines of JSON.
#include <stdio.h>

#include "model_cache.h"

using namespace gpuopt_emu;

static unsigned round_of(Cache &cache, unsigned lines, uint64_t first = 0) {
  unsigned hits = 0;
  for (uint64_t line = first; line < first + lines; ++line) {
    const int at = cache.find(line);
    Cache::Evicted evicted;
    if (at >= 0) cache.touch(at, Rank::normal), ++hits;
    else cache.insert(line, Rank::normal, &evicted);
  }
  return hits;
}

int main() {
  const size_t capacity = 1728;
  for (const unsigned lines : {1728u, 1814u, 1900u, 2160u, 2592u}) {
    Cache cache;
    cache.set_up(capacity * 128, 0, Index::hashed, 0.59, 0.05);
    printf("{\"lines\": %u, \"hits\": [", lines);
    for (int round = 0; round < 5; ++round) printf("%s%u", round ? ", " : "", round_of(cache, lines));
    printf("]}\n");
  }
  // Three quarters of L1, used once or twice, then a stream of twice its size: what is left.
  for (int times = 1; times <= 2; ++times) {
    Cache cache;
    cache.set_up(capacity * 128, 0, Index::hashed, 0.59, 0.05);
    for (int i = 0; i < times; ++i) round_of(cache, 1296);
    round_of(cache, 2 * capacity, 1 << 20);
    printf("{\"times\": %d, \"left\": %u}\n", times, round_of(cache, 1296));
  }
  // One line of each of 16 rows that lie 16 KB apart, twice: Fermi's index spreads them over eight sets.
  printf("{\"rows\": [");
  for (const Index index : {Index::linear, Index::fermi}) {
    Cache cache;
    cache.set_up(128 * 128, 4, index, 0);
    for (unsigned i = 0; i < 16; ++i) round_of(cache, 1, i * 128);
    unsigned kept = 0;
    for (unsigned i = 0; i < 16; ++i) kept += cache.find(i * 128) >= 0;
    printf("%s%u", index == Index::linear ? "" : ", ", kept);
  }
  printf("]}\n");
  Cache linear;  // four lines of a set: the fifth displaces the first
  linear.set_up(64 * 128, 4, Index::linear, 0, 0, 1, true);
  for (unsigned i = 0; i < 5; ++i) round_of(linear, 1, i * 16);
  printf("{\"first\": %d, \"second\": %d}\n", linear.find(0) >= 0, linear.find(16) >= 0);
  // Lines on their way keep their places: the one that is there goes first, and with none there is a wait.
  Cache::Evicted gone;
  for (unsigned i = 0; i < 4; ++i) {
    const int line = linear.find(16 + i * 16);
    linear.add(line, 15, i != 1 ? 15 : 0);
    linear.arrives(line) = 100 + i;
  }
  const uint64_t now = linear.place_free_from(80 + 16, 10);
  const int at = linear.insert(80 + 16, Rank::normal, &gone);
  linear.add(at, 15, 15);
  linear.arrives(at) = 300;
  printf("{\"free\": [%u, %u], \"displaced\": %u}\n", (unsigned)now, (unsigned)linear.place_free_from(112, 10), (unsigned)gone.tag);
  // A set's times are numbered anew after 32766 uses: the order in which lines go stays.
  Cache long_used;
  long_used.set_up(4 * 128, 4, Index::linear, 0);
  for (unsigned i = 0; i < 4; ++i) long_used.insert(i, Rank::normal, &gone);
  for (unsigned i = 0; i < 100000; ++i) long_used.touch(long_used.find(2 * (i % 2)), Rank::normal);  // 2 last
  printf("{\"order\": [");
  for (unsigned i = 0; i < 4; ++i) {
    long_used.insert(4 + i, Rank::normal, &gone);
    printf("%s%u", i ? ", " : "", (unsigned)gone.tag);
  }
  printf("]}\n");
}
