// Surveys' arithmetic: numbers of all threads of a block at once, and for which threads a comparison holds.
#include "check_layers.h"
#include "check_survey.h"

namespace gpuopt_emu {
namespace surveys {

__thread Survey *surveying __attribute__((tls_model("initial-exec"))) = nullptr;

// Sums of all are as they are in 64 bits; parts of them may wrap around.
template <class T> static inline T extreme(const Affine &a, const Box &box, bool most) {
  T sum = (T)a.at;
  for (int d = 0; d < AXES; ++d) sum += (T)a.by[d] * (T)((a.by[d] >= 0) == most ? box.high[d] : box.low[d]);
  return sum;
}
static long long lowest(const Affine &a, const Box &box) { return (long long)extreme<unsigned long long>(a, box, false); }
static long long highest(const Affine &a, const Box &box) { return (long long)extreme<unsigned long long>(a, box, true); }

static inline State sum(const State &a, const State &b, long long times) {
  State s = a;
  s.known = a.known && b.known;
  s.value.at += times * b.value.at;
  for (int d = 0; d < AXES; ++d) s.value.by[d] += times * b.value.by[d];
  return s;
}

static inline State product(const State &a, long long factor) {
  State s = a;
  if ((unsigned long long)(factor + (1 << 11)) >> 12 == 0) {  // numbers have at most 51 bits
    s.value.at *= factor;
    for (int d = 0; d < AXES; ++d) s.value.by[d] *= factor;
    return s;
  }
  bool over = __builtin_mul_overflow(a.value.at, factor, &s.value.at);
  for (int d = 0; d < AXES; ++d) over |= __builtin_mul_overflow(a.value.by[d], factor, &s.value.by[d]);
  s.known = a.known && !over;
  return s;
}

static void fit_large(State &s, int width);
static inline __attribute__((always_inline)) void fit(State &s, int width) {
  const bool is_signed = width & 16;
  if (!s.known) return;
  // Mostly they are so small that no block is large enough to matter.
  const long long near = is_signed ? 1 << 29 : 0, by = is_signed ? 1 << 17 : 0;
  if ((width & 15) >= 4 && surveying->few_blocks && (unsigned long long)(s.value.at + near) < 1u << 30) {
    unsigned long long any = 0;
    for (const long long one : s.value.by) any |= (unsigned long long)(one + by);
    if (any >> 18 == 0) return;
  }
  fit_large(s, width);
}

static __attribute__((noinline)) void fit_large(State &s, int width) {
  const bool is_signed = width & 16, small = (width & 15) < 8;
  const long long most = small ? (1ll << (8 * (width & 15) - is_signed)) - 1 : 1ll << 50;
  const long long least = is_signed ? -most - 1 : 0;
  for (const long long one : s.value.by)
    if (one > 1ll << 40 || one < -(1ll << 40)) s.known = false;
  if (!s.known) return;
  const __int128 from = extreme<__int128>(s.value, surveying->box, false), to = extreme<__int128>(s.value, surveying->box, true);
  s.known = from >= least && to <= most;
  s.wrapped = !s.known && width == 4 && from > -(1ll << 40) && to < 1ll << 40;
}

State fitted(const State &given, int width) {
  if (given.layers) return each_layer(given, [=](const State &one) { return fitted(one, width); });
  State s = given;
  if (s.wrapped) s.known = width == (int)Width<int>::value, s.wrapped = false;
  fit(s, width);
  return s;
}

static State of_constants(Operation operation, long long x, long long y, int width) {
  const bool divides = operation == OVER || operation == REST;
  if ((divides && !y) || (!divides && operation <= RIGHT && (y < 0 || y >= 8 * (width & 15)))) return unknown();
  switch (operation) {
    case OVER: return constant(x / y);
    case REST: return constant(x % y);
    case RIGHT: return constant(x >> y);
    case AND: return constant(x & y);
    case OR: return constant(x | y);
    case XOR: return constant(x ^ y);
    default: return unknown();
  }
}

// Without the axes along which there is one thread or block alone.
static State collapsed(const State &given) {
  State s = given;
  const Box &box = surveying->box;
  for (int d = 0; d < AXES; ++d) {
    if (box.low[d] != box.high[d]) continue;
    s.value.at += s.value.by[d] * box.low[d];
    s.value.by[d] = 0;
  }
  return s;
}

bool steady(const State &layered, long long *value) {
  const State given = of_here(layered), s = given.same() ? given : collapsed(given);
  *value = s.value.at;
  return s.known && s.same();
}

static State combined_alone(Operation operation, const State &a, const State &b, int width) {
  if (operation == TIMES) return b.same() ? product(a, b.value.at) : a.same() ? product(b, a.value.at) : unknown();
  if (operation == LEFT && b.same() && b.value.at >= 0 && b.value.at < 31) return product(a, 1ll << b.value.at);
  return a.same() && b.same() ? of_constants(operation, a.value.at, b.value.at, width) : unknown();
}

static State unwrapped(const State &given) {
  State s = given;
  s.known = true, s.wrapped = false;
  return s;
}

State combined(Operation operation, const State &a, const State &b, int width) {
  // A thread of the model may find there what it has overwritten before: no matter, unless it is 0.
  if (modelling && (operation == OVER || operation == REST) && !b.known && !b.layers) surveying->fail();
  if (a.layers || b.layers)
    return each_pair(a, b, [=](const State &x, const State &y) { return combined(operation, x, y, width); });
  if (!a.known || !b.known) {
    const bool both = (a.known || a.wrapped) && (b.known || b.wrapped) && width == 4 && operation <= TIMES;
    return both ? combined(operation, unwrapped(a), unwrapped(b), width) : unknown();
  }
  State s;
  if (operation == PLUS) s = sum(a, b, 1);
  else if (operation == MINUS) s = sum(a, b, -1);
  else if (operation == TIMES && b.same()) s = product(a, b.value.at);
  else if (operation == TIMES && a.same()) s = product(b, a.value.at);
  else s = combined_alone(operation, collapsed(a), collapsed(b), width);
  fit(s, width);
  return s;
}

State moved(const State &address, const State &index, long long bytes) {
  if (address.layers || index.layers)
    return each_pair(address, index, [=](const State &x, const State &y) { return moved(x, y, bytes); });
  return sum(address, product(index, bytes), 1);
}

static long long floor_of(long long a, long long b) { return a / b - (a % b < 0); }  // a / b for b > 0

// The blocks for which it is not clear whether value < 0 (or == 0): there the grid may be cut.
static void suggest_cut(const Affine &value, bool zero) {
  Survey &survey = *surveying;
  if (survey.axis) return;
  int axis = 0;
  const auto size = [&](int d) { return value.by[d] < 0 ? -value.by[d] : value.by[d]; };
  for (int d = BLOCKS; d < AXES; ++d)
    if (value.by[d] && survey.box.low[d] < survey.box.high[d] && (!axis || size(d) > size(axis))) axis = d;
  if (!axis) return;
  Affine rest = value;
  rest.by[axis] = 0;
  const long long least = lowest(rest, survey.box), most = highest(rest, survey.box), by = size(axis);
  // by * b + least <= (or <) 0 <= by * b + most, or the same with -by
  long long first, last;
  if (value.by[axis] > 0) first = floor_of(-most + by - 1, by), last = floor_of(-least - !zero, by);
  else first = floor_of(least + !zero + by - 1, by), last = floor_of(most, by);
  const long long low = survey.box.low[axis], high = survey.box.high[axis] + 1ll;
  const auto within = [&](long long cut) { return (int)(cut < low ? low : cut > high ? high : cut); };
  const int from = within(first), to = within(last + 1 < first ? first : last + 1);
  if ((from == low && to == high) || to == low || from == high) return;
  survey.axis = axis;
  survey.cuts[0] = from, survey.cuts[1] = to;
}

// Where value < 0, or value == 0.
static Condition where(const State &value, bool zero) {
  const Box &box = surveying->box;
  if (!value.known) return Condition(Condition::ALWAYS, box, true);
  const long long least = lowest(value.value, box), most = highest(value.value, box);
  if (zero ? least > 0 || most < 0 : least >= 0) return Condition(Condition::NEVER, box);
  if (zero ? least == 0 && most == 0 : most < 0) return Condition(Condition::ALWAYS, box);
  int along = -1, varying = 0;
  for (int d = 0; d < AXES; ++d)
    if (value.value.by[d] && box.low[d] != box.high[d]) ++varying, along = d;
  if (along >= BLOCKS) suggest_cut(value.value, zero);
  if (varying > 1 || along >= BLOCKS) return Condition(Condition::ALWAYS, box, true);
  Affine rest = value.value;
  rest.by[along] = 0;
  const long long start = lowest(rest, box), by = value.value.by[along];
  Condition c(Condition::WITHIN, box);
  int &low = c.box.low[along], &high = c.box.high[along];
  if (zero) {
    if (start % by) return Condition(Condition::NEVER, box);
    low = high = (int)(-start / by);
  } else if (by > 0) {  // start + by * x <= -1: at least the lowest is
    high = (int)((-1 - start) / by);
  } else {
    low = (int)((start - by) / -by);
  }
  return c;
}

Condition compared(Order order, const State &a, const State &b) {
  if (a.layers || b.layers)
    return holds(each_pair(a, b, [=](const State &x, const State &y) { return truth(compared(order, x, y)); }));
  switch (order) {
    case LESS: return where(sum(a, b, -1), false);
    case MORE: return where(sum(b, a, -1), false);
    case AT_MOST: return negated(where(sum(b, a, -1), false));
    case AT_LEAST: return negated(where(sum(a, b, -1), false));
    case EQUAL: return where(sum(a, b, -1), true);
    default: return negated(where(sum(a, b, -1), true));
  }
}

Condition negated(const Condition &c) {
  static const Condition::Kind other[] = {Condition::ALWAYS, Condition::NEVER, Condition::OUTSIDE, Condition::WITHIN};
  if (c.unsure) return Condition(Condition::ALWAYS, surveying->box, true);
  return Condition(other[c.kind], c.box);
}

Condition both(const Condition &a, const Condition &b) {
  const bool unsure = a.unsure || b.unsure;
  if (a.kind == Condition::NEVER || b.kind == Condition::NEVER) return Condition::of(false);
  if (b.kind == Condition::ALWAYS) return Condition(a.kind, a.box, unsure);
  if (a.kind == Condition::ALWAYS) return Condition(b.kind, b.box, unsure);
  if (a.kind != Condition::WITHIN || b.kind != Condition::WITHIN) return Condition(Condition::ALWAYS, surveying->box, true);
  Condition c = a;
  c.unsure = unsure;
  for (int d = 0; d < AXES; ++d) {
    if (b.box.low[d] > c.box.low[d]) c.box.low[d] = b.box.low[d];
    if (b.box.high[d] < c.box.high[d]) c.box.high[d] = b.box.high[d];
    if (c.box.low[d] > c.box.high[d]) c.kind = Condition::NEVER;
  }
  return c;
}

Condition settled(const Condition &c) {
  if (c.kind != Condition::OUTSIDE) return c;
  const Box &all = surveying->box;
  int along = -1;
  for (int d = 0; d < AXES; ++d) {
    if (c.box.low[d] == all.low[d] && c.box.high[d] == all.high[d]) continue;
    if (along >= 0) return c;
    along = d;
  }
  if (along < 0) return c;
  Condition rest(Condition::WITHIN, all, c.unsure);
  if (c.box.low[along] == all.low[along]) rest.box.low[along] = c.box.high[along] + 1;
  else if (c.box.high[along] == all.high[along]) rest.box.high[along] = c.box.low[along] - 1;
  else return c;
  return rest;
}

bool agreed(const Condition &c) {
  if (c.unsure || c.kind != Condition::ALWAYS && c.kind != Condition::NEVER) surveying->fail();
  return c.kind == Condition::ALWAYS && !surveying->failed;
}

bool leave(const Condition &given) {
  const Condition c = settled(negated(settled(given)));
  if (c.unsure) surveying->fail();
  if (surveying->failed || c.kind == Condition::NEVER) return true;
  if (c.kind == Condition::WITHIN) surveying->box = c.box;
  else if (c.kind != Condition::ALWAYS) surveying->fail();
  return surveying->failed;
}

Narrow::Narrow() : before(surveying->box), depth(surveying->depth), unsure(surveying->unsure), enters(false) {}

Narrow::Narrow(const Condition &given) : Narrow() { narrow(given); }

void Narrow::narrow(const Condition &given) {
  Survey &survey = *surveying;
  const Condition c = settled(given);
  if (survey.failed || c.kind == Condition::NEVER) return;
  enters = true;
  if (c.unsure || c.kind == Condition::OUTSIDE) ++survey.unsure;
  else if (c.kind == Condition::ALWAYS) return;
  if (c.kind == Condition::WITHIN) survey.box = c.box;
  if (survey.depth > depth) return;  // threads have left the loop before
  if (depth + 1 == Survey::SCOPES) return survey.fail();
  survey.scopes[++survey.depth] = ++survey.last_scope;
}

Narrow::~Narrow() {
  Survey &survey = *surveying;
  if (survey.depth == depth) return;
  survey.box = before;
  survey.unsure = unsure;
  survey.scopes[survey.depth--] = 0;
}

}  // namespace surveys
}  // namespace gpuopt_emu
