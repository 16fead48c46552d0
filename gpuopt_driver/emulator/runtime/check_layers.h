// Surveys' numbers that are other sums for some threads than for others: layers, each with the threads that it is for.
#ifndef GPUOPT_EMU_CHECK_LAYERS_H
#define GPUOPT_EMU_CHECK_LAYERS_H

#include "gpuopt_emu/survey.h"

namespace gpuopt_emu {
namespace surveys {

// The first layer of a number that has a thread in its box counts for that thread. Boxes of a number's last layer have all.
struct Layer {
  Box box;
  State state;
};

void forget_layers();  // of the survey before
bool meet(const Box &a, const Box &b, Box *both);
bool within(const Box &a, const Box &b);
// What the number is in the survey's box: a state without layers, where one of them has all of these threads.
State of_here(const State &s);
const Layer *layers_of(const State &s);
State of_layers(const Layer *layers, unsigned count);
// Where a number is not 0.
Condition holds(const State &s);

enum { MOST_LAYERS = 8 };

// What `make` makes of both numbers, for each pair of layers with the survey's box being that of its threads.
template <class Make> State each_pair(const State &a, const State &b, const Make &make) {
  Layer made[MOST_LAYERS], one_a, one_b;
  unsigned count = 0;
  Survey &survey = *surveying;
  const Box all = survey.box;
  one_a.box = one_b.box = all, one_a.state = a, one_b.state = b;
  const unsigned count_a = a.layers ? a.layers : 1, count_b = b.layers ? b.layers : 1;
  bool whole = false;
  for (unsigned i = 0; i < count_a && !whole; ++i) {
    const Layer x = a.layers ? layers_of(a)[i] : one_a;
    Box some;
    if (!meet(x.box, all, &some)) continue;
    for (unsigned k = 0; k < count_b; ++k) {
      const Layer y = b.layers ? layers_of(b)[k] : one_b;
      Box box;
      if (!meet(y.box, some, &box)) continue;
      if (count == MOST_LAYERS) return unknown();
      survey.box = box;
      made[count].box = box;
      made[count].state = make(x.state, y.state);
      survey.box = all;
      // What is made may have layers itself, of these threads.
      if (const unsigned inner = made[count].state.layers) {
        const State state = made[count].state;
        if (count + inner > MOST_LAYERS) return unknown();
        for (unsigned j = 0; j < inner; ++j) {
          Layer part = layers_of(state)[j];
          if (meet(part.box, box, &part.box)) made[count++] = part;
        }
      } else {
        ++count;
      }
      if (within(some, y.box)) break;  // what follows is for no thread
    }
    whole = within(all, x.box);
  }
  return of_layers(made, count);
}
template <class Make> State each_layer(const State &s, const Make &make) {
  return each_pair(s, constant(0), [&](const State &x, const State &) { return make(x); });
}

}  // namespace surveys
}  // namespace gpuopt_emu

#endif
