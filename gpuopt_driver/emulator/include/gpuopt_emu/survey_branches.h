// Surveys: conditions, which of a block's threads take a branch, and functions of numbers.
#ifndef GPUOPT_EMU_SURVEY_BRANCHES_H
#define GPUOPT_EMU_SURVEY_BRANCHES_H

#include "survey.h"

namespace gpuopt_emu {
namespace surveys {

// For which threads of the survey's box something is true.
struct Condition {
  enum Kind { NEVER, ALWAYS, WITHIN, OUTSIDE, UNKNOWN } kind;
  Box box;  // of WITHIN and OUTSIDE
  GPUOPT_EMU_QUICK Condition(Kind k, const Box &b) : kind(k), box(b) {}
  static GPUOPT_EMU_QUICK Condition of(bool always) { return Condition(always ? ALWAYS : NEVER); }
  template <class A> GPUOPT_EMU_QUICK Condition(const A &a) : kind(UNKNOWN) { look(a), set(a); }

 private:
  explicit GPUOPT_EMU_QUICK Condition(Kind k) : kind(k) {}
  template <class A> GPUOPT_EMU_QUICK void set(const A &native) { kind = native ? ALWAYS : NEVER; }
  template <class T> GPUOPT_EMU_QUICK void set(const Num<T, true> &number) {
    if (number.state.known && number.state.same()) kind = number.state.value.at ? ALWAYS : NEVER;
  }
  template <class T> GPUOPT_EMU_QUICK void set(const Num<T, false> &) {}
  template <class T> GPUOPT_EMU_QUICK void set(const Ref<T> &) {}
  template <class T> GPUOPT_EMU_QUICK void set(const Local<T> &) {}
};

static GPUOPT_EMU_QUICK Condition negated(const Condition &c) {
  static const Condition::Kind other[] = {Condition::ALWAYS, Condition::NEVER, Condition::OUTSIDE, Condition::WITHIN,
                                          Condition::UNKNOWN};
  return Condition(other[c.kind], c.box);
}

static inline Condition both(const Condition &a, const Condition &b) {
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

// Where value < 0, or value == 0.
static inline Condition where(const State &value, bool zero) {
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
    low = (int)((start + -by) / -by);
  }
  return c;
}

#define GPUOPT_EMU_COMPARE(op, result)                                                                     \
  template <class A, class B, GPUOPT_EMU_TWO(A, B)> static GPUOPT_EMU_QUICK Condition operator op(const A &a, const B &b) { \
    typedef decltype(GPUOPT_EMU_TYPE(A) + GPUOPT_EMU_TYPE(B)) C;                                           \
    State left = unknown(), right = unknown();                                                             \
    if (Whole<C>::value) left = operand<C>(a), right = operand<C>(b);                                      \
    else look(a), look(b);                                                                                 \
    if (left.known && right.known && left.same() && right.same())                                          \
      return Condition::of(left.value.at op right.value.at);                                               \
    return result;                                                                                         \
  }
template <class C, class A> static GPUOPT_EMU_QUICK State operand(const A &a) {
  return state<typename Operand<Num<C, true>>::type>(a);
}
GPUOPT_EMU_COMPARE(<, where(sum(left, right, -1), false))
GPUOPT_EMU_COMPARE(>, where(sum(right, left, -1), false))
GPUOPT_EMU_COMPARE(<=, negated(where(sum(right, left, -1), false)))
GPUOPT_EMU_COMPARE(>=, negated(where(sum(left, right, -1), false)))
GPUOPT_EMU_COMPARE(==, where(sum(left, right, -1), true))
GPUOPT_EMU_COMPARE(!=, negated(where(sum(left, right, -1), true)))
#undef GPUOPT_EMU_COMPARE
// What is outside of some of the box may be within the rest of it, where that is a box.
static inline Condition settled(Condition c) {
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
template <class A, class B, GPUOPT_EMU_TWO(A, B)> static GPUOPT_EMU_QUICK Condition operator&&(const A &a, const B &b) {
  return both(settled(Condition(a)), settled(Condition(b)));
}
template <class A, class B, GPUOPT_EMU_TWO(A, B)> static GPUOPT_EMU_QUICK Condition operator||(const A &a, const B &b) {
  return negated(both(settled(negated(Condition(a))), settled(negated(Condition(b)))));
}
template <class A, GPUOPT_EMU_ONE(A)> static GPUOPT_EMU_QUICK Condition operator!(const A &a) { return negated(Condition(a)); }

// A condition on which all threads that come here must agree.
static GPUOPT_EMU_QUICK bool agreed(const Condition &c) {
  if (c.kind != Condition::ALWAYS && c.kind != Condition::NEVER) surveying->fail();
  return c.kind == Condition::ALWAYS && !surveying->failed;
}

// A branch that some threads may take, as long as this lives.
struct Narrow {
  const Box before;
  bool enters, narrows;
  explicit Narrow(const Condition &given) : before(surveying->box), enters(false), narrows(false) {
    const Condition c = settled(given);
    if (c.kind == Condition::UNKNOWN || c.kind == Condition::OUTSIDE) surveying->fail();
    if (surveying->failed || c.kind == Condition::NEVER) return;
    enters = true;
    narrows = c.kind == Condition::WITHIN;
    if (!narrows) return;
    surveying->box = c.box;
    ++surveying->depth;
  }
  Narrow(const Narrow &) = delete;
  ~Narrow() {
    if (!narrows) return;
    surveying->box = before;
    --surveying->depth;
  }
  explicit operator bool() const { return enters; }
};

// Threads for which it is true return. True: all of them.
static inline bool leave(const Condition &given) {
  const Condition c = settled(negated(settled(given)));
  if (surveying->failed || c.kind == Condition::NEVER) return true;
  if (c.kind == Condition::WITHIN) surveying->box = c.box;
  else if (c.kind != Condition::ALWAYS) surveying->fail();
  return surveying->failed;
}

#define GPUOPT_EMU_UPDATE(name)                                                                      \
  template <class T, class V> static GPUOPT_EMU_QUICK Num<T> name(const Pointer<T> &p, const V &v) { \
    look(v);                                                                                         \
    (*p).access(UPDATE);                                                                             \
    return Num<T>();                                                                                 \
  }
GPUOPT_EMU_UPDATE(atomicAdd) GPUOPT_EMU_UPDATE(atomicSub) GPUOPT_EMU_UPDATE(atomicMin) GPUOPT_EMU_UPDATE(atomicMax)
GPUOPT_EMU_UPDATE(atomicAnd) GPUOPT_EMU_UPDATE(atomicOr) GPUOPT_EMU_UPDATE(atomicXor)
#undef GPUOPT_EMU_UPDATE
template <class T> static GPUOPT_EMU_QUICK Num<typename Operand<Ref<T>>::type> __ldg(const Pointer<T> &p) { return *p; }

// Functions of numbers that are not whole: something comes out.
#define GPUOPT_EMU_ONE_OF(name) \
  template <class A, GPUOPT_EMU_ONE(A)> static GPUOPT_EMU_QUICK Num<double> name(const A &a) { look(a); return {}; }
#define GPUOPT_EMU_TWO_OF(name) \
  template <class A, class B, GPUOPT_EMU_TWO(A, B)> static GPUOPT_EMU_QUICK Num<double> name(const A &a, const B &b) { look(a), look(b); return {}; }
#define GPUOPT_EMU_REAL(of, name) of(name) of(name##f)
GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, sqrt) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, rsqrt) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, exp)
GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, log) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, sin) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, cos)
GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, fabs) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, tanh) GPUOPT_EMU_REAL(GPUOPT_EMU_ONE_OF, floor)
GPUOPT_EMU_REAL(GPUOPT_EMU_TWO_OF, pow) GPUOPT_EMU_REAL(GPUOPT_EMU_TWO_OF, fmin) GPUOPT_EMU_REAL(GPUOPT_EMU_TWO_OF, fmax)
GPUOPT_EMU_ONE_OF(__expf) GPUOPT_EMU_ONE_OF(__logf) GPUOPT_EMU_ONE_OF(__sinf) GPUOPT_EMU_ONE_OF(__cosf)
GPUOPT_EMU_TWO_OF(__fdividef)
#undef GPUOPT_EMU_REAL
#undef GPUOPT_EMU_ONE_OF
#undef GPUOPT_EMU_TWO_OF

// The lesser or greater of two whole numbers, where it is the same one for all threads.
template <class R, bool IsWhole = Whole<R>::value> struct Choose {
  template <class A, class B> static GPUOPT_EMU_QUICK Num<R> of(const A &a, const B &b, bool) { look(a), look(b); return Num<R>(); }
};
template <class R> struct Choose<R, true> {
  template <class A, class B> static GPUOPT_EMU_QUICK Num<R> of(const A &first, const B &second, bool least) {
    const State a = state<R>(first), b = state<R>(second);
    const Condition c = where(sum(a, b, -1), false);
    if (c.kind != Condition::ALWAYS && c.kind != Condition::NEVER) return Num<R>::of(unknown());
    return Num<R>::of((c.kind == Condition::ALWAYS) == least ? a : b);
  }
};
#define GPUOPT_EMU_CHOOSE(name, least)                                                                     \
  template <class A, class B, GPUOPT_EMU_TWO(A, B)>                                                        \
  static GPUOPT_EMU_QUICK auto name(const A &a, const B &b)->Num<decltype(GPUOPT_EMU_TYPE(A) + GPUOPT_EMU_TYPE(B))> { \
    return Choose<decltype(GPUOPT_EMU_TYPE(A) + GPUOPT_EMU_TYPE(B))>::of(a, b, least);                     \
  }
GPUOPT_EMU_CHOOSE(min, true)
GPUOPT_EMU_CHOOSE(max, false)
#undef GPUOPT_EMU_CHOOSE

}  // namespace surveys
}  // namespace gpuopt_emu

#undef GPUOPT_EMU_ONE
#undef GPUOPT_EMU_TWO
#undef GPUOPT_EMU_TYPE
#undef GPUOPT_EMU_QUICK

#endif
