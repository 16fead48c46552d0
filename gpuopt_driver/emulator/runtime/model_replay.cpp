#include "model_replay.h"

#include <algorithm>

#include "model_window.h"

namespace gpuopt_emu {

using surveys::AXES;
using surveys::BLOCKS;
using surveys::Box;

static const size_t FEWEST_ALIKE = 64;         // warps of a part that are worth it,
static const size_t MOST_OF_ONE = 1 << 17;      // words, and accesses, of a warp,
static const size_t MOST_REPLAYED = 1 << 19;  // words of a launch's
static const size_t MOST_VARIANTS = 32;  // of a part, by where in lines the accesses are: as many as there are words

Rehearsal *rehearsal;
uint64_t replayed_warps;

// What a rehearsed warp did.
struct Replays::Told : Rehearsal {
  struct Touched {
    size_t at;     // the first of its addresses
    size_t words;  // of its queue when it came to that
    uintptr_t first, last;  // the array
  };
  std::vector<Touched> all;
  std::vector<uintptr_t> addresses;  // of lanes: two that tell of all, or each
  PackedVector<uint64_t> words;
  std::vector<uint64_t> constants;  // requests, by source
  bool shared = false;
  void accesses(const Addresses &a, size_t queued, bool in_shared, const CodeSite &site) override {
    shared |= in_shared;
    if (too_much()) return;
    all.push_back(Touched{addresses.size(), words.size() + queued, site.first, site.last});
    addresses.insert(addresses.end(), a.at, a.at + (a.all ? a.count : 1));
    if (!a.all) addresses.push_back(a.at[0] + a.step);
  }
  bool too_much() const { return shared || words.size() > MOST_OF_ONE || addresses.size() > 4 * MOST_OF_ONE; }
  size_t end(size_t i) const { return i + 1 < all.size() ? all[i + 1].at : addresses.size(); }
  // Whether all lanes of one access are as far from those of another warp's.
  bool moved(const Told &other, size_t i, uintptr_t by) const {
    const size_t count = end(i) - all[i].at;
    if (other.end(i) - other.all[i].at != count) return false;
    for (size_t k = 0; k < count; ++k)
      if (addresses[all[i].at + k] + by != other.addresses[other.all[i].at + k]) return false;
    return true;
  }
  uintptr_t address(size_t i) const { return addresses[all[i].at]; }
};

struct Replays::PartReplays {
  const TellingLanes *telling;         // null: all lanes run
  Place low, high, stride;             // of warps: their first threads, and from one to the next
  std::vector<std::array<long long, AXES>> steps;  // of each kind, along each axis
  std::vector<unsigned char> kinds;    // of each access
  std::vector<std::unique_ptr<Replay>> variants;
  bool full = false;  // there will be no more variants
  uintptr_t moved(unsigned kind, const Place &from, const Place &to) const {
    long long by = 0;
    for (size_t d = 0; d < (size_t)AXES; ++d) by += steps[kind][d] * (to[d] - from[d]);
    return (uintptr_t)by;
  }
};

Replays::Replays() = default;
Replays::~Replays() = default;

// Of the warps that begin in the box: the first one, the last one, and how far one is from the next along each axis.
static bool warps_in(const Box &box, const dim3 &block, std::array<int, AXES> *low, std::array<int, AXES> *high,
                     std::array<int, AXES> *stride) {
  const int rows = block.x < WARP ? (int)(WARP / block.x) : 1;
  *stride = {block.x < WARP ? (int)block.x : (int)WARP, rows, 1, 1, 1, 1};
  double warps = 1;
  for (size_t d = 0; d < (size_t)AXES; ++d) {
    const int by = (*stride)[d];
    (*low)[d] = (box.low[d] + by - 1) / by * by;
    (*high)[d] = box.high[d] / by * by;
    if ((*low)[d] > (*high)[d]) return false;
    warps *= ((*high)[d] - (*low)[d]) / by + 1;
  }
  return warps >= FEWEST_ALIKE;
}

void Replays::consider(Grid &grid, Worker *worker, const Box &box, const TellingLanes *telling) {
  auto part = std::make_unique<PartReplays>();
  part->telling = telling;
  if (grid.error.load(std::memory_order_relaxed) || lanes_differ) return;
  if (!warps_in(box, grid.block, &part->low, &part->high, &part->stride)) return;
  if (!room_) {
    room_.reset(new Room(worker));
    room_->prepare(grid);
  }
  if (learn(*part)) parts_.push_back(std::move(part));
}

void Replays::prepare(Grid &grid, Worker *worker, const UniformWarps &uniform) {
  grid_ = &grid;
  if (!uniform.lanes.count) return;  // warps are no rows, or whole numbers of them
  for (const Box &box : uniform.parts()) consider(grid, worker, box, &uniform.lanes);
  for (const Box &box : uniform.alike()) consider(grid, worker, box, nullptr);
}

// Runs a warp's lanes to their end. False: they wait for others, or do too much.
bool Replays::rehearse(const PartReplays &part, const Place &place, Told *told) {
  const dim3 &size = grid_->size, &block = grid_->block;
  const unsigned long long number =
      (unsigned)place[BLOCKS] + size.x * ((unsigned)place[BLOCKS + 1] + (unsigned long long)size.y * (unsigned)place[BLOCKS + 2]);
  room_->start_modelled(*grid_, number);
  ModelBlock around = {};
  around.room = room_.get();
  around.block = &room_->block;
  around.number = number;
  room_->block.model = &around;
  ModelWarp warp = {};
  await_lanes(&warp, WARP, part.telling);
  room_->block.live = warp.count;
  warp.block = &around;
  warp.number = ((unsigned)place[0] + block.x * ((unsigned)place[1] + block.y * (unsigned)place[2])) / WARP;
  std::vector<uint64_t> before;
  for (const Source &source : launch_sources) before.push_back(source.counters.of[constant_requests]);
  told->words.assign(1, WINDOW_ENDS);
  rehearsal = told;
  bool all = true;
  while (all && fill_queue(&warp)) {
    told->words.insert(told->words.end(), warp.words, warp.words + warp.end);
    if (!ends_window(told->words.back())) told->words.push_back(WINDOW_ENDS);
    all = !told->too_much() && !lanes_differ;
  }
  rehearsal = nullptr;
  all = all && warp.over && !grid_->error.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < warp.count; ++i) free_lane(warp.lanes[i]);
  before.resize(launch_sources.size());
  told->constants.clear();
  for (size_t i = 0; i < before.size(); ++i) {
    uint64_t &requests = launch_sources[i].counters.of[constant_requests];
    told->constants.push_back(requests - before[i]);
    requests = before[i];
  }
  return all;
}

// Where another warp's accesses are, by the first one's.
bool Replays::predicted(const PartReplays &part, const Told &first, const Place &from, const Told &other, const Place &to) const {
  if (first.all.size() != other.all.size()) return false;
  std::vector<uintptr_t> moves;
  for (unsigned kind = 0; kind < part.steps.size(); ++kind) moves.push_back(part.moved(kind, from, to));
  for (size_t i = 0; i < first.all.size(); ++i)
    if (!first.moved(other, i, moves[part.kinds[i]])) return false;
  return true;
}

// How each access changes along each axis.
bool Replays::learn_steps(PartReplays &part, const Told &first) {
  std::vector<std::array<long long, AXES>> steps(first.all.size());
  for (size_t d = 0; d < (size_t)AXES; ++d) {
    if (part.low[d] == part.high[d]) continue;
    Place next = part.low;
    next[d] += part.stride[d];
    Told told;
    if (!rehearse(part, next, &told) || told.all.size() != first.all.size()) return false;
    for (size_t i = 0; i < steps.size(); ++i) {
      const long long by = (long long)(told.address(i) - first.address(i));
      if (by % part.stride[d] || !first.moved(told, i, (uintptr_t)by)) return false;
      steps[i][d] = by / part.stride[d];
    }
  }
  for (const auto &one : steps) {
    auto found = std::find(part.steps.rbegin(), part.steps.rend(), one);
    if (found == part.steps.rend()) {
      if (part.steps.size() == ModelWarp::MOVES) return false;
      part.steps.push_back(one);
      found = part.steps.rbegin();
    }
    part.kinds.push_back((unsigned char)(part.steps.rend() - found - 1));
  }
  return true;
}

bool Replays::learn(PartReplays &part) {
  Told first, last;
  if (!rehearse(part, part.low, &first) || !learn_steps(part, first)) return false;
  return rehearse(part, part.high, &last) && predicted(part, first, part.low, last, part.high) && add(part, part.low, first);
}

// Whether all is in the same arrays there, and what changes otherwise is not the same element: a register holds that.
static bool is_apart(const Replay &replay, const uintptr_t *moves) {
  for (const Replay::Reach &one : replay.reaches) {
    const uintptr_t low = one.low + moves[one.kind], high = one.high + moves[one.kind];
    if (low < one.first || high >= one.last) return false;
    for (const Replay::Reach *other = &one + 1; other != replay.reaches.data() + replay.reaches.size(); ++other) {
      if (other->first != one.first) continue;
      if (low <= other->high + moves[other->kind] && other->low + moves[other->kind] <= high) return false;
    }
  }
  return true;
}

// What is told becomes a replay.
Replay *Replays::add(PartReplays &part, const Place &place, Told &told) {
  if (words_ + told.words.size() > MOST_REPLAYED || part.variants.size() == MOST_VARIANTS) return nullptr;
  for (const uint64_t word : told.words)
    if (word >> NUMBER_SHIFT == OTHER) return nullptr;
  auto replay = std::make_unique<Replay>();
  replay->place = place;
  replay->kinds.assign(told.words.size(), 0);
  for (size_t i = 0; i < told.all.size(); ++i) {
    const auto &one = told.all[i];
    const uintptr_t address = told.address(i);
    const size_t end = i + 1 < told.all.size() ? told.all[i + 1].words : told.words.size();
    std::fill(replay->kinds.begin() + (long)one.words, replay->kinds.begin() + (long)end, part.kinds[i]);
    auto reach = std::find_if(replay->reaches.begin(), replay->reaches.end(),
                              [&](const Replay::Reach &r) { return r.kind == part.kinds[i] && r.first == one.first; });
    if (reach == replay->reaches.end()) {
      replay->reaches.push_back(Replay::Reach{part.kinds[i], address, address, one.first, one.last});
    } else {
      reach->low = std::min(reach->low, address);
      reach->high = std::max(reach->high, address);
    }
  }
  for (unsigned source = 0; source < told.constants.size(); ++source)
    if (told.constants[source]) replay->constants.push_back(Replay::Constants{source, told.constants[source]});
  const uintptr_t here[ModelWarp::MOVES] = {};
  replay->apart = is_apart(*replay, here);
  loads_ = number_loads(told.words.data(), told.words.size(), loads_);
  replay->words.swap(told.words);
  words_ += replay->words.size();
  replay->words.push_back(WINDOW_ENDS);
  replay->kinds.push_back(0);
  part.variants.push_back(std::move(replay));
  return part.variants.back().get();
}

bool Replays::take(ModelWarp *warp, const Block &block) {
  if (warp->width < WARP) return false;
  const unsigned linear = warp->number * WARP, row = linear / block.size.x;
  const Place place = {(int)(linear % block.size.x), (int)(row % block.size.y), (int)(row / block.size.y),
                       (int)block.index.x, (int)block.index.y, (int)block.index.z};
  const auto holds = [&](const PartReplays &part) {
    bool inside = !part.telling == !warp->telling;
    for (size_t d = 0; d < (size_t)AXES; ++d) inside = inside && place[d] >= part.low[d] && place[d] <= part.high[d];
    return inside;
  };
  if (last_ >= parts_.size() || !holds(*parts_[last_]))
    for (last_ = 0; last_ < parts_.size() && !holds(*parts_[last_]);) ++last_;
  if (last_ == parts_.size()) return false;
  PartReplays &part = *parts_[last_];
  uintptr_t moves[ModelWarp::MOVES] = {};
  const Replay *const found = variant_for(part, place, moves);
  if (!found || (found->place != place && !is_apart(*found, moves))) return false;
  for (const Replay::Constants &one : found->constants) launch_sources[one.source].counters.of[constant_requests] += one.requests;
  for (unsigned kind = 0; kind < ModelWarp::MOVES; ++kind) warp->moves[kind] = moves[kind] >> LINE_SHIFT << 8;
  warp->kinds = found->kinds.data();
  warp->words = found->words.data();
  warp->end = found->words.size() - 1;
  skip_lanes(warp);
  ++replayed_warps;
  return true;
}

// One that is a whole number of lines away, and how far: of those that there are, or a new one.
const Replay *Replays::variant_for(PartReplays &part, const Place &place, uintptr_t *moves) {
  for (const auto &variant : part.variants) {
    if (!variant->apart) continue;
    uintptr_t within = 0;
    for (unsigned kind = 0; kind < part.steps.size(); ++kind) within |= moves[kind] = part.moved(kind, variant->place, place);
    if (!(within & ((1u << LINE_SHIFT) - 1))) return variant.get();
  }
  std::fill_n(moves, part.steps.size(), 0);
  if (part.full) return nullptr;
  Told told;
  const Replay *found = nullptr;
  if (rehearse(part, place, &told) && told.all.size() == part.kinds.size()) found = add(part, place, told);
  part.full = !found;
  return found;
}

}  // namespace gpuopt_emu
