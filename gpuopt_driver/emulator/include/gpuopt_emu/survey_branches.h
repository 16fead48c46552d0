// Surveys: conditions, which of a block's threads take a branch, and functions of numbers.
#ifndef GPUOPT_EMU_SURVEY_BRANCHES_H
#define GPUOPT_EMU_SURVEY_BRANCHES_H

#include "survey.h"

namespace gpuopt_emu {
namespace surveys {

struct Condition;
Condition compared(Order order, const State &a, const State &b);  // in the runtime: of two numbers of one type

// For which threads of the survey's box something is true.
struct Condition {
  enum Kind { NEVER, ALWAYS, WITHIN, OUTSIDE } kind;
  bool unsure;  // true for no others than that, maybe for fewer
  Box box;      // of WITHIN and OUTSIDE
  GPUOPT_EMU_QUICK Condition(Kind k, const Box &b, bool maybe = false) : kind(k), unsure(maybe), box(b) {}
  static GPUOPT_EMU_QUICK Condition of(bool always) { return Condition(always ? ALWAYS : NEVER); }
  Condition(const Condition &) = default;
  template <class Aa> GPUOPT_EMU_QUICK Condition(const Aa &a) : kind(ALWAYS), unsure(true) { look(a), set(a); }

 private:
  explicit GPUOPT_EMU_QUICK Condition(Kind k) : kind(k), unsure(false) {}
  template <class Aa> GPUOPT_EMU_QUICK void set(const Aa &native) { kind = native ? ALWAYS : NEVER, unsure = false; }
  template <class T> inline void set(const Num<T, true> &number);
  template <class T> GPUOPT_EMU_QUICK void set(const Num<T, false> &) {}
  template <class T> GPUOPT_EMU_QUICK void set(const Ref<T> &) {}
  template <class T> GPUOPT_EMU_QUICK void set(const Local<T> &) {}
};

// In the runtime: what conditions make of each other.
Condition negated(const Condition &c);
Condition both(const Condition &a, const Condition &b);
Condition settled(const Condition &c);  // what is outside of some of the box may be within the rest of it
// A condition on which all threads that come here must agree.
bool agreed(const Condition &c);
// Threads for which it is true return. True: all of them.
bool leave(const Condition &c);

template <class T> inline void Condition::set(const Num<T, true> &number) {
  long long value;
  const State now = number.now();
  if (steady(now, &value)) kind = value ? ALWAYS : NEVER, unsure = false;
  else *this = compared(UNEQUAL, now, constant(0));
}

template <class Cc, bool IsWhole = Whole<Cc>::value> struct Compare {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Condition of(Order order, const Aa &a, const Bb &b) {
    return compared(order, state<Cc>(a), state<Cc>(b));
  }
};
template <class Cc> struct Compare<Cc, false> {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Condition of(Order order, const Aa &a, const Bb &b) {
    look(a), look(b);
    return compared(order, unknown(), unknown());
  }
};
#define GPUOPT_EMU_COMPARE(op, order)                                                                      \
  template <class Aa, class Bb, GPUOPT_EMU_TWO(Aa, Bb)> static GPUOPT_EMU_QUICK Condition operator op(const Aa &a, const Bb &b) { \
    return Compare<decltype(GPUOPT_EMU_TYPE(Aa) + GPUOPT_EMU_TYPE(Bb))>::of(order, a, b);                    \
  }
GPUOPT_EMU_COMPARE(<, LESS)
GPUOPT_EMU_COMPARE(>, MORE)
GPUOPT_EMU_COMPARE(<=, AT_MOST)
GPUOPT_EMU_COMPARE(>=, AT_LEAST)
GPUOPT_EMU_COMPARE(==, EQUAL)
GPUOPT_EMU_COMPARE(!=, UNEQUAL)
#undef GPUOPT_EMU_COMPARE
template <class Aa, GPUOPT_EMU_ONE(Aa)> static GPUOPT_EMU_QUICK Condition operator!(const Aa &a) { return negated(Condition(a)); }

// A branch that some threads may take, as long as this lives.
struct Narrow {
  const Box before;
  const unsigned depth, unsure;
  bool enters;
  explicit Narrow(const Condition &given);
  Narrow(const Narrow &) = delete;
  ~Narrow();
  explicit operator bool() const { return enters; }

 protected:
  Narrow();
  void narrow(const Condition &given);
};
// A loop that threads may leave one after the other.
struct Loop : Narrow {
  bool narrowed = false;
  Loop() {}
  ~Loop() { surveying->loops -= narrowed; }
  bool goes_on(const Condition &given) {
    enters = false;
    const Condition c = settled(given);
    if (c.unsure || c.kind == Condition::OUTSIDE) surveying->fail();
    else narrow(c);
    if (!narrowed && surveying->depth > depth) narrowed = true, ++surveying->loops;
    return enters;
  }
};

// a && b, a || b: the second one is asked for those threads that the first one leaves.
template <class Ff> static GPUOPT_EMU_QUICK Condition also(const Condition &a, const Ff &second) {
  const Condition first = settled(a);
  const Narrow some(first);
  return some ? both(first, settled(second())) : Condition::of(false);
}
template <class Ff> static GPUOPT_EMU_QUICK Condition either(const Condition &a, const Ff &second) {
  const Condition first = settled(negated(a));
  const Narrow others(first);
  return others ? negated(both(first, settled(negated(second())))) : Condition::of(true);
}

#define GPUOPT_EMU_UPDATE(name)                                                                      \
  template <class T, class Vv> static GPUOPT_EMU_QUICK Num<T> name(const Pointer<T> &p, const Vv &v) { \
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
  template <class Aa, GPUOPT_EMU_ONE(Aa)> static GPUOPT_EMU_QUICK Num<double> name(const Aa &a) { look(a); return {}; }
#define GPUOPT_EMU_TWO_OF(name) \
  template <class Aa, class Bb, GPUOPT_EMU_TWO(Aa, Bb)> static GPUOPT_EMU_QUICK Num<double> name(const Aa &a, const Bb &b) { look(a), look(b); return {}; }
#define GPUOPT_EMU_REAL(of, name) of(name) of(name##f) of(gpuopt_emu_##name) of(gpuopt_emu_##name##f)
#define GPUOPT_EMU_REALS(of, a, b, c, d) GPUOPT_EMU_REAL(of, a) GPUOPT_EMU_REAL(of, b) GPUOPT_EMU_REAL(of, c) GPUOPT_EMU_REAL(of, d)
GPUOPT_EMU_REALS(GPUOPT_EMU_ONE_OF, sqrt, rsqrt, exp, log) GPUOPT_EMU_REALS(GPUOPT_EMU_ONE_OF, sin, cos, fabs, tanh)
GPUOPT_EMU_REALS(GPUOPT_EMU_ONE_OF, floor, exp2, log2, log10) GPUOPT_EMU_REALS(GPUOPT_EMU_ONE_OF, ceil, tan, atan, erf)
GPUOPT_EMU_REALS(GPUOPT_EMU_ONE_OF, erfc, cbrt, round, rint) GPUOPT_EMU_REALS(GPUOPT_EMU_TWO_OF, pow, fmin, fmax, atan2)
GPUOPT_EMU_REAL(GPUOPT_EMU_TWO_OF, fmod)
GPUOPT_EMU_ONE_OF(gpuopt_emu_fast_expf) GPUOPT_EMU_ONE_OF(gpuopt_emu_fast_logf)
GPUOPT_EMU_ONE_OF(gpuopt_emu_fast_sinf) GPUOPT_EMU_ONE_OF(gpuopt_emu_fast_cosf) GPUOPT_EMU_TWO_OF(gpuopt_emu_fast_powf)
GPUOPT_EMU_ONE_OF(__fsqrt_rn) GPUOPT_EMU_ONE_OF(__frcp_rn)
GPUOPT_EMU_TWO_OF(__fdividef)
template <class Aa, class Bb, class Cc> static GPUOPT_EMU_QUICK Num<double> fma(const Aa &a, const Bb &b, const Cc &c) { look(a), look(b), look(c); return {}; }
template <class Aa, class Bb, class Cc> static GPUOPT_EMU_QUICK Num<float> fmaf(const Aa &a, const Bb &b, const Cc &c) { look(a), look(b), look(c); return {}; }
#undef GPUOPT_EMU_REALS
#undef GPUOPT_EMU_REAL
#undef GPUOPT_EMU_ONE_OF
#undef GPUOPT_EMU_TWO_OF

// The lesser or greater of two whole numbers.
template <class Rr, bool IsWhole = Whole<Rr>::value> struct Choose {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<Rr> of(const Aa &a, const Bb &b, bool) { look(a), look(b); return Num<Rr>(); }
};
template <class Rr> struct Choose<Rr, true> {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<Rr> of(const Aa &first, const Bb &second, bool least) {
    const State a = state<Rr>(first), b = state<Rr>(second);
    return Num<Rr>::of(chosen_of(compared(LESS, a, b), least ? a : b, least ? b : a));
  }
};
#define GPUOPT_EMU_CHOOSE(name, least)                                                                     \
  template <class Aa, class Bb, GPUOPT_EMU_TWO(Aa, Bb)>                                                        \
  static GPUOPT_EMU_QUICK auto name(const Aa &a, const Bb &b)->Num<decltype(GPUOPT_EMU_TYPE(Aa) + GPUOPT_EMU_TYPE(Bb))> { \
    return Choose<decltype(GPUOPT_EMU_TYPE(Aa) + GPUOPT_EMU_TYPE(Bb))>::of(a, b, least);                     \
  }
GPUOPT_EMU_CHOOSE(min, true)
GPUOPT_EMU_CHOOSE(max, false)
#undef GPUOPT_EMU_CHOOSE


template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<int> __mul24(const Aa &a, const Bb &b) { return Num<int>(a) * Num<int>(b); }
template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<unsigned> __umul24(const Aa &a, const Bb &b) { return Num<unsigned>(a) * Num<unsigned>(b); }
template <class Aa, GPUOPT_EMU_ONE(Aa)> static GPUOPT_EMU_QUICK auto abs(const Aa &a)->Num<decltype(+GPUOPT_EMU_TYPE(Aa))> { return max(a, -a); }

// What a function makes of its arguments.
template <class Rr, class... Aa> static GPUOPT_EMU_QUICK Num<Rr> computed(const Aa &...arguments) {
  const int all[] = {0, (look(arguments), 0)...};
  (void)all;
  return Num<Rr>();
}

// c ? first() : second(), each for the threads that it is for.
template <class T, bool IsWhole = Whole<T>::value> struct Result {
  template <class Aa> static State state_of(const Aa &a) { return state<T>(a); }
  static Num<T> make(const State &s) { return Num<T>::of(s); }
};
template <class T> struct Result<T, false> {
  template <class Aa> static State state_of(const Aa &a) { return look(a), unknown(); }
  static Num<T> make(const State &) { return Num<T>(); }
};
template <class Aa, class Bb, bool Pointers = Operand<Aa>::pointer> struct Chosen : Result<decltype(GPUOPT_EMU_TYPE(Aa) + GPUOPT_EMU_TYPE(Bb))> {
  typedef Num<decltype(GPUOPT_EMU_TYPE(Aa) + GPUOPT_EMU_TYPE(Bb))> type;
};
template <class Aa, class Bb> struct Chosen<Aa, Bb, true> {
  typedef Aa type;
  static State state_of(const Aa &a) { return a.now(); }
  static type make(const State &s) { return Aa(s); }
};
template <class Ff, class Ss>
static GPUOPT_EMU_QUICK auto chosen(const Condition &c, const Ff &first, const Ss &second)
    -> typename Chosen<decltype(first()), decltype(second())>::type {
  typedef Chosen<decltype(first()), decltype(second())> Both;
  State a = unknown(), b = unknown();
  {
    const Narrow some(c);
    if (some) a = Both::state_of(first());
  }
  {
    const Narrow others(negated(c));
    if (others) b = Both::state_of(second());
  }
  return Both::make(chosen_of(c, a, b));
}

}  // namespace surveys
}  // namespace gpuopt_emu

#undef GPUOPT_EMU_ONE
#undef GPUOPT_EMU_TWO
#undef GPUOPT_EMU_TYPE
#undef GPUOPT_EMU_QUICK

#endif
