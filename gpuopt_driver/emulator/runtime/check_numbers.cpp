// Surveys' arithmetic: numbers of all threads of a block at once, and for which threads a comparison holds.
#include "check_survey.h"

namespace gpuopt_emu {
namespace surveys {

__thread Survey *surveying __attribute__((tls_model("initial-exec"))) = nullptr;

static long long lowest(const Affine &a, const Box &box) {
  long long sum = a.at;
  for (int d = 0; d < 3; ++d) sum += a.by[d] * (a.by[d] >= 0 ? box.low[d] : box.high[d]);
  return sum;
}
static long long highest(const Affine &a, const Box &box) {
  long long sum = a.at;
  for (int d = 0; d < 3; ++d) sum += a.by[d] * (a.by[d] >= 0 ? box.high[d] : box.low[d]);
  return sum;
}

static inline State sum(const State &a, const State &b, long long times) {
  State s = a;
  s.known = a.known && b.known;
  s.value.at += times * b.value.at;
  for (int d = 0; d < 3; ++d) s.value.by[d] += times * b.value.by[d];
  return s;
}

static inline State product(const State &a, long long factor) {
  State s = a;
  if ((unsigned long long)(factor + (1 << 11)) >> 12 == 0) {  // numbers have at most 51 bits
    s.value.at *= factor;
    for (int d = 0; d < 3; ++d) s.value.by[d] *= factor;
    return s;
  }
  bool over = __builtin_mul_overflow(a.value.at, factor, &s.value.at);
  for (int d = 0; d < 3; ++d) over |= __builtin_mul_overflow(a.value.by[d], factor, &s.value.by[d]);
  s.known = a.known && !over;
  return s;
}

static void fit_large(State &s, int width);
static inline __attribute__((always_inline)) void fit(State &s, int width) {
  const bool is_signed = width & 16;
  if (!s.known) return;
  // Mostly they are so small that no block is large enough to matter.
  const long long near = is_signed ? 1 << 29 : 0, by = is_signed ? 1 << 18 : 0;
  if ((width & 15) >= 4 && (unsigned long long)(s.value.at + near) < 1u << 30 &&
      ((unsigned long long)(s.value.by[0] + by) | (unsigned long long)(s.value.by[1] + by) |
       (unsigned long long)(s.value.by[2] + by)) >> 18 == 0)
    return;
  fit_large(s, width);
}

static __attribute__((noinline)) void fit_large(State &s, int width) {
  const bool is_signed = width & 16, small = (width & 15) < 8;
  const long long most = small ? (1ll << (8 * (width & 15) - is_signed)) - 1 : 1ll << 50;
  const long long least = is_signed ? -most - 1 : 0;
  for (const long long one : s.value.by)
    if (one > 1ll << 40 || one < -(1ll << 40)) s.known = false;
  if (s.known) s.known = lowest(s.value, surveying->box) >= least && highest(s.value, surveying->box) <= most;
}

State fitted(const State &given, int width) {
  State s = given;
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

State combined(Operation operation, const State &a, const State &b, int width) {
  if (!a.known || !b.known) return unknown();
  State s;
  if (operation == PLUS) s = sum(a, b, 1);
  else if (operation == MINUS) s = sum(a, b, -1);
  else if (operation == TIMES) s = b.same() ? product(a, b.value.at) : a.same() ? product(b, a.value.at) : unknown();
  else if (operation == LEFT && b.same() && b.value.at >= 0 && b.value.at < 31) s = product(a, 1ll << b.value.at);
  else if (a.same() && b.same()) s = of_constants(operation, a.value.at, b.value.at, width);
  else return unknown();
  fit(s, width);
  return s;
}

State moved(const State &address, const State &index, long long bytes) { return sum(address, product(index, bytes), 1); }

// Where value < 0, or value == 0.
static Condition where(const State &value, bool zero) {
  const Box &box = surveying->box;
  if (!value.known) return Condition(Condition::UNKNOWN, box);
  const long long least = lowest(value.value, box), most = highest(value.value, box);
  if (zero ? least > 0 || most < 0 : least >= 0) return Condition(Condition::NEVER, box);
  if (zero ? least == 0 && most == 0 : most < 0) return Condition(Condition::ALWAYS, box);
  int along = -1;
  for (int d = 0; d < 3; ++d) {
    if (!value.value.by[d] || box.low[d] == box.high[d]) continue;
    if (along >= 0) return Condition(Condition::UNKNOWN, box);
    along = d;
  }
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
  static const Condition::Kind other[] = {Condition::ALWAYS, Condition::NEVER, Condition::OUTSIDE, Condition::WITHIN,
                                          Condition::UNKNOWN};
  return Condition(other[c.kind], c.box);
}

Condition both(const Condition &a, const Condition &b) {
  if (a.kind == Condition::NEVER || b.kind == Condition::ALWAYS) return a;
  if (b.kind == Condition::NEVER || a.kind == Condition::ALWAYS) return b;
  if (a.kind != Condition::WITHIN || b.kind != Condition::WITHIN) return Condition(Condition::UNKNOWN, surveying->box);
  Condition c = a;
  for (int d = 0; d < 3; ++d) {
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
  for (int d = 0; d < 3; ++d) {
    if (c.box.low[d] == all.low[d] && c.box.high[d] == all.high[d]) continue;
    if (along >= 0) return c;
    along = d;
  }
  if (along < 0) return c;
  Condition rest(Condition::WITHIN, all);
  if (c.box.low[along] == all.low[along]) rest.box.low[along] = c.box.high[along] + 1;
  else if (c.box.high[along] == all.high[along]) rest.box.high[along] = c.box.low[along] - 1;
  else return c;
  return rest;
}

bool agreed(const Condition &c) {
  if (c.kind != Condition::ALWAYS && c.kind != Condition::NEVER) surveying->fail();
  return c.kind == Condition::ALWAYS && !surveying->failed;
}

bool leave(const Condition &given) {
  const Condition c = settled(negated(settled(given)));
  if (surveying->failed || c.kind == Condition::NEVER) return true;
  if (c.kind == Condition::WITHIN) surveying->box = c.box;
  else if (c.kind != Condition::ALWAYS) surveying->fail();
  return surveying->failed;
}

Narrow::Narrow(const Condition &given) : before(surveying->box), enters(false), narrows(false) {
  const Condition c = settled(given);
  if (c.kind == Condition::UNKNOWN || c.kind == Condition::OUTSIDE) surveying->fail();
  if (surveying->failed || c.kind == Condition::NEVER) return;
  enters = true;
  narrows = c.kind == Condition::WITHIN;
  if (!narrows) return;
  surveying->box = c.box;
  ++surveying->depth;
}

Narrow::~Narrow() {
  if (!narrows) return;
  surveying->box = before;
  --surveying->depth;
}

}  // namespace surveys
}  // namespace gpuopt_emu
