#include "check_layers.h"

#include <algorithm>
#include <limits.h>
#include <vector>

namespace gpuopt_emu {
namespace surveys {

// Of the survey that runs on this OS thread; what is told of it is small.
static std::vector<Layer> &pool() {
  static __thread std::vector<Layer> *all = nullptr;
  if (!all) all = new std::vector<Layer>;
  return *all;
}
static const size_t MOST_IN_ALL = 1 << 17;

void forget_layers() { pool().clear(); }
const Layer *layers_of(const State &s) { return pool().data() + s.first; }

bool meet(const Box &a, const Box &b, Box *both) {
  Box box;
  for (int d = 0; d < AXES; ++d) {
    box.low[d] = std::max(a.low[d], b.low[d]), box.high[d] = std::min(a.high[d], b.high[d]);
    if (box.low[d] > box.high[d]) return false;
  }
  *both = box;
  return true;
}

bool within(const Box &a, const Box &b) {
  for (int d = 0; d < AXES; ++d)
    if (a.low[d] < b.low[d] || a.high[d] > b.high[d]) return false;
  return true;
}

static bool equal(const State &a, const State &b) {
  return a.known && b.known && a.value.at == b.value.at && std::equal(a.value.by, a.value.by + AXES, b.value.by);
}

State of_layers(const Layer *layers, unsigned count) {
  bool any = false;
  for (unsigned i = 0; i < count; ++i) any |= layers[i].state.known || layers[i].state.wrapped;
  if (!any) return unknown();
  if (count == 1 && within(surveying->box, layers[0].box)) return layers[0].state;
  std::vector<Layer> &all = pool();
  if (all.size() > MOST_IN_ALL) {
    surveying->fail();
    return unknown();
  }
  State s = unknown();
  s.layers = count, s.first = (unsigned)all.size();
  all.insert(all.end(), layers, layers + count);
  return s;
}

State of_here(const State &s) {
  const Layer *found = nullptr;
  for (unsigned i = 0; i < s.layers; ++i) {
    const Layer &layer = layers_of(s)[i];
    Box both;
    if (!meet(layer.box, surveying->box, &both)) continue;
    if (found && !equal(found->state, layer.state)) return s;
    found = &layer;
    if (within(surveying->box, layer.box)) return layer.state;
  }
  return s;
}

static Box everything() {
  Box box;
  std::fill(box.low, box.low + AXES, INT_MIN), std::fill(box.high, box.high + AXES, INT_MAX);
  return box;
}

// Puts a number's layers, for threads in the box, behind those that are there; false: there are too many.
static bool add(Layer *layers, unsigned *count, const State &s, const Box &box) {
  bool whole = false;
  for (unsigned i = 0; i <= s.layers && !whole; ++i) {
    Layer one = i < s.layers ? layers_of(s)[i] : Layer{box, s.layers ? unknown() : s};
    whole = within(box, one.box);
    if (!meet(one.box, box, &one.box)) continue;
    bool hidden = false;
    for (unsigned k = 0; k < *count; ++k) hidden |= within(one.box, layers[k].box);
    if (hidden) continue;
    if (*count == MOST_LAYERS) return false;
    layers[(*count)++] = one;
  }
  return true;
}

void Held::become_of_some(const State &value) {
  const State before = now();
  Layer layers[MOST_LAYERS + 1];
  unsigned count = 0;
  bool good = add(layers, &count, value, surveying->box);
  if (good && !add(layers, &count, before, everything())) {
    count = 0;
    good = add(layers, &count, value, surveying->box) && add(layers, &count, unknown(), everything());
  }
  state = good ? of_layers(layers, count) : unknown();
  set.depth = 0, set.number = surveying->scopes[0];
}

State truth(const Condition &c) {
  if (c.unsure) return unknown();
  if (c.kind == Condition::ALWAYS || c.kind == Condition::NEVER) return constant(c.kind == Condition::ALWAYS);
  return chosen_of(c, constant(1), constant(0));
}

State chosen_of(const Condition &given, const State &a, const State &b) {
  const Condition c = settled(given);
  if (c.unsure) return unknown();
  if (c.kind == Condition::ALWAYS) return a;
  if (c.kind == Condition::NEVER) return b;
  Layer layers[MOST_LAYERS];
  unsigned count = 0;
  const bool inside = c.kind == Condition::WITHIN;
  if (!add(layers, &count, inside ? a : b, c.box) || !add(layers, &count, inside ? b : a, surveying->box)) return unknown();
  return of_layers(layers, count);
}

// Takes what is outside of a box out of another one: pieces of `from` are added, and it becomes what is inside.
static void split(Box *from, const Box &box, std::vector<Box> *outside) {
  for (int d = 0; d < AXES; ++d) {
    if (from->low[d] < box.low[d]) {
      outside->push_back(*from);
      outside->back().high[d] = box.low[d] - 1;
      from->low[d] = box.low[d];
    }
    if (from->high[d] > box.high[d]) {
      outside->push_back(*from);
      outside->back().low[d] = box.high[d] + 1;
      from->high[d] = box.high[d];
    }
  }
}

// Calls `visit` with boxes that no two have a thread of, and what the number is there.
template <class Visit> static void each_box(const State &s, const Visit &visit) {
  std::vector<Box> left(1, surveying->box), next;
  for (unsigned i = 0; i < s.layers && !left.empty(); ++i) {
    const Layer layer = layers_of(s)[i];  // by value: visitors may make new ones
    next.clear();
    for (Box &box : left) {
      Box both;
      if (!meet(box, layer.box, &both)) {
        next.push_back(box);
        continue;
      }
      split(&box, layer.box, &next);
      visit(both, layer.state);
    }
    left.swap(next);
  }
  for (const Box &box : left) visit(box, unknown());
}

static long double volume(const Box &box) {
  long double all = 1;
  for (int d = 0; d < AXES; ++d) all *= (long double)box.high[d] - box.low[d] + 1;
  return all;
}

// The box that a set of boxes is, if it is one.
struct Union {
  Box box;
  long double volume_ = 0;
  void add(const Box &one) {
    if (!volume_) box = one;
    for (int d = 0; d < AXES; ++d) box.low[d] = std::min(box.low[d], one.low[d]), box.high[d] = std::max(box.high[d], one.high[d]);
    volume_ += volume(one);
  }
  bool is_box() const { return volume_ == volume(box); }
};

Condition holds(const State &s) {
  long long value;
  const State here = of_here(s);
  if (!here.layers) {
    if (steady(here, &value)) return Condition::of(value != 0);
    return compared(UNEQUAL, here, constant(0));
  }
  Union yes, no;
  bool unsure = false;
  each_box(here, [&](const Box &box, const State &state) {
    if (!state.known || !state.same()) unsure = true;
    else (state.value.at ? yes : no).add(box);
  });
  if (unsure) return Condition(Condition::ALWAYS, surveying->box, true);
  if (!yes.volume_ || !no.volume_) return Condition::of(yes.volume_ != 0);
  if (yes.is_box()) return Condition(Condition::WITHIN, yes.box);
  if (no.is_box()) return Condition(Condition::OUTSIDE, no.box);
  return Condition(Condition::ALWAYS, surveying->box, true);
}

State truth_of(const State &s) { return truth(holds(s)); }

void access_layers(const State &address, unsigned bytes, How how) {
  Survey &survey = *surveying;
  if (!address.layers || survey.failed) return survey.fail();
  const Box all = survey.box;
  each_box(address, [&](const Box &box, const State &state) {
    survey.box = box;
    if (state.known) survey.access(state.value, bytes, how);
    else survey.fail();
    survey.box = all;
  });
}

}  // namespace surveys
}  // namespace gpuopt_emu
