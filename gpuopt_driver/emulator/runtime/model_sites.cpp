#include "model_sites.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "allocations.h"
#include "check.h"
#include "model.h"

namespace gpuopt_emu {

const char *const count_names[COUNTS] = {
    "load_requests", "load_sectors", "load_hits", "store_requests", "store_sectors", "store_hits", "atomic_requests",
    "atomic_sectors", "l2_read_sectors", "l2_read_hits", "l2_write_sectors", "l2_write_hits", "l2_atomic_sectors", "l2_far_sectors", "dram_read_sectors",
    "dram_write_sectors", "constant_requests", "shared_requests", "shared_wavefronts", "shared_ideal", "warp_instructions",
    "lane_instructions", "flops"};
const char *const space_names[] = {"global", "local", "shared", "constant", "texture", "generic", "generic"};

namespace {
struct KnownPiece {
  size_t bytes;
  uintptr_t base;  // as the model sees it
  const Spot *spot;
};
struct KnownMemory {
  std::mutex mutex;
  std::map<uintptr_t, KnownPiece> places;              // by start
  std::map<size_t, std::vector<uintptr_t>> free;  // bases given back, by bytes
  uintptr_t next = 0x7f0000000000;
};
}  // namespace

static KnownMemory &known() {
  static KnownMemory *all = new KnownMemory;
  return *all;
}
static std::vector<Array> launch_arrays;
std::vector<Source> launch_sources;
static std::unordered_map<const void *, unsigned> site_numbers;
static std::deque<CodeSite> *sites;  // where they are does not change
static std::map<std::tuple<const Spot *, int, Space>, unsigned> source_numbers;

// Large pieces start at multiples of 2 MB, small ones at multiples of 512 bytes, as on a GPU.
static uintptr_t model_base(KnownMemory &k, size_t bytes) {
  std::vector<uintptr_t> &returned = k.free[bytes];
  if (!returned.empty()) {
    const uintptr_t base = returned.back();
    returned.pop_back();
    return base;
  }
  const uintptr_t unit = bytes >= 1 << 20 ? 2 << 20 : 512;
  const uintptr_t base = (k.next + unit - 1) / unit * unit;
  k.next = base + (bytes + 511) / 512 * 512;
  return base;
}

void model_allocated(const Allocation &allocation) {
  KnownMemory &k = known();
  const Spot *spot = calling_place();
  std::lock_guard<std::mutex> lock(k.mutex);
  k.places[(uintptr_t)allocation.base] = KnownPiece{allocation.bytes, model_base(k, allocation.bytes), spot};
}

void model_released(const Allocation &allocation) {
  KnownMemory &k = known();
  std::lock_guard<std::mutex> lock(k.mutex);
  const auto found = k.places.find((uintptr_t)allocation.base);
  if (found == k.places.end()) return;
  k.free[found->second.bytes].push_back(found->second.base);
  k.places.erase(found);
}

void begin_sites() {
  KnownMemory &k = known();
  launch_arrays.clear();
  uintptr_t base = 0x7e0000000000;
  each_variable([&](const char *address, size_t bytes, const std::string &name, size_t space) {
    const uintptr_t start = (uintptr_t)address;
    launch_arrays.push_back(Array{start, start + bytes, base - start, name, nullptr, space == 1 ? Space::constant : Space::global});
    base += (bytes + 511) / 512 * 512;
  });
  {
    std::lock_guard<std::mutex> lock(k.mutex);
    for (const auto &item : k.places) {
      const Spot *spot = item.second.spot;
      launch_arrays.push_back(Array{item.first, item.first + std::max(item.second.bytes, (size_t)1),
                                    item.second.base - item.first, spot && spot->text ? spot->text : "", spot,
                                    Space::global});
    }
  }
  std::sort(launch_arrays.begin(), launch_arrays.end(), [](const Array &a, const Array &b) { return a.start < b.start; });
  // Names are unique within a launch, and the same in every run: by the addresses that the model gives.
  std::vector<Array *> order;
  for (Array &array : launch_arrays) order.push_back(&array);
  std::sort(order.begin(), order.end(), [](const Array *a, const Array *b) { return a->start + a->shift < b->start + b->shift; });
  std::map<std::string, unsigned> seen;
  for (Array *array : order) {
    const unsigned count = ++seen[array->name];
    if (count > 1 && !array->name.empty()) array->name += "#" + std::to_string(count);
  }
  if (!sites) sites = new std::deque<CodeSite>;
  sites->clear();
  static CodeSite none = {};
  std::fill(std::begin(recent_sites), std::end(recent_sites), &none);
  site_numbers.clear();
  launch_sources.clear();
  source_numbers.clear();
}

static Operator operator_of(const Spot *spot) { return (Operator)(spot->flags >> OPERATOR_SHIFT & 15); }

CodeSite *recent_sites[256];

CodeSite &find_site(const void *pc, const Spot *spot) {
  const auto made = site_numbers.emplace(pc, (unsigned)sites->size());
  if (made.second) {
    CodeSite site = {};
    site.pc = pc;
    site.spot = spot;
    site.with = operator_of(spot);
    site.source = ~0u;
    sites->push_back(site);
  }
  return (*sites)[made.first->second];
}

unsigned source_of(const Spot *spot, int array, Space space) {
  const auto made = source_numbers.emplace(std::make_tuple(spot, array, space), (unsigned)launch_sources.size());
  if (made.second) launch_sources.push_back(Source{spot, array, space, Counters()});
  return made.first->second;
}

void find_array(CodeSite &site, uintptr_t address) {
  const auto after = std::upper_bound(launch_arrays.begin(), launch_arrays.end(), address,
                                      [](uintptr_t wanted, const Array &array) { return wanted < array.start; });
  int number = -1;
  if (after != launch_arrays.begin() && address < (after - 1)->end) number = (int)(after - 1 - launch_arrays.begin());
  if (number < 0) {
    site.first = address;
    site.last = address + 1;
    site.shift = 0;
    site.space = Space::global;
  } else {
    const Array &array = launch_arrays[(size_t)number];
    site.first = array.start;
    site.last = array.end;
    site.shift = array.shift;
    site.space = array.space;
  }
  site.source = source_of(site.spot, number, site.space);
}

Counters all_counters() {
  Counters all;
  for (const Source &source : launch_sources) all.add(source.counters);
  return all;
}
const std::vector<Array> &arrays() { return launch_arrays; }

}  // namespace gpuopt_emu
