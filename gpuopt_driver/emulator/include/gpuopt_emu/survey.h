// What a block's threads will access, found for all of them at once: emulator/survey.py, runtime/check_survey.cpp.
//
// A survey is a kernel's text in which numbers are sums `at + by * threadIdx`, where that can be said, and arrays are their
// addresses. Running it once tells the accesses of all threads of a block. What cannot be told makes it fail, which means
// that the threads have to be looked at one by one.
#ifndef GPUOPT_EMU_SURVEY_H
#define GPUOPT_EMU_SURVEY_H

#include "block.h"
#include "spot.h"

#define GPUOPT_EMU_QUICK inline __attribute__((always_inline))

namespace gpuopt_emu {
namespace surveys {

enum { AXES = 6, BLOCKS = 3 };  // threadIdx.x, y, z, and from BLOCKS on blockIdx.x, y, z

// at + by[0] * threadIdx.x + ... + by[5] * blockIdx.z
struct Affine {
  long long at, by[AXES];
};
// Threads and blocks from `low` to `high`, both included.
struct Box {
  int low[AXES], high[AXES];
};
enum How { READ, WRITE, UPDATE };  // UPDATE: an atomic operation

struct Survey {
  enum { SCOPES = 32 };
  enum Stage { START, GRID, BLOCK, BASES };  // BASES: only where arrays are is told
  Stage stage;
  Box box;                  // the threads that come here
  unsigned depth;           // of branches and loops that only some threads are in
  unsigned scopes[SCOPES];  // which these are; 0 above `depth`
  unsigned last_scope;
  unsigned unsure;          // how many of those some threads that seem to come here may not take: they may do less than is told
  unsigned loops;           // how many of them are loops
  bool failed;
  bool few_blocks;          // what `box` says of blocks is small
  int axis, cuts[2];        // where to cut the grid's blocks so that a condition is clear in each part; axis 0: nowhere
  const Spot *place;
  unsigned ordinal;         // of the next access there
  Block *block;
  void *work;               // the runtime's

  Survey() : stage(START) {}
  unsigned scope() const { return scopes[depth]; }

  void access(const Affine &address, unsigned bytes, How how);
  void barrier();
  void reads(const volatile void *array);   // and nothing else
  void stores(const volatile void *array);  // perhaps
  GPUOPT_EMU_QUICK bool bases() const { return stage == BASES; }
  GPUOPT_EMU_QUICK void at(const Spot *spot) { place = spot, ordinal = 0; }
  GPUOPT_EMU_QUICK void fail() { failed = true; }
};

// The survey that runs on this OS thread.
extern __thread Survey *surveying __attribute__((tls_model("initial-exec")));

template <class T> struct Whole { static constexpr bool value = false; };
#define GPUOPT_EMU_WHOLE(T) template <> struct Whole<T> { static constexpr bool value = true; };
GPUOPT_EMU_WHOLE(bool) GPUOPT_EMU_WHOLE(char) GPUOPT_EMU_WHOLE(signed char) GPUOPT_EMU_WHOLE(unsigned char)
GPUOPT_EMU_WHOLE(short) GPUOPT_EMU_WHOLE(unsigned short) GPUOPT_EMU_WHOLE(int) GPUOPT_EMU_WHOLE(unsigned)
GPUOPT_EMU_WHOLE(long) GPUOPT_EMU_WHOLE(unsigned long) GPUOPT_EMU_WHOLE(long long) GPUOPT_EMU_WHOLE(unsigned long long)
#undef GPUOPT_EMU_WHOLE

// A whole number of each thread, if it is known; if it is another sum for some threads, by layers (check_layers.cpp),
// of which the first one that has the thread in its box counts.
struct State {
  Affine value;
  bool known;
  bool wrapped;  // only known but for multiples of 2^32: unsigned, and as an int it may be known again
  unsigned layers, first;
  GPUOPT_EMU_QUICK bool same() const {
    return !(value.by[0] | value.by[1] | value.by[2] | value.by[3] | value.by[4] | value.by[5]);
  }
};
static GPUOPT_EMU_QUICK State unknown() { return State{{0, {}}, false, false, 0, 0}; }
static GPUOPT_EMU_QUICK State constant(long long value) { return State{{value, {}}, true, false, 0, 0}; }

template <class T> struct IsBool { static constexpr bool value = false; };
template <> struct IsBool<bool> { static constexpr bool value = true; };

// In which branch something was assigned: known there and in branches inside, and lost behind.
struct Scope {
  unsigned depth, number;
  GPUOPT_EMU_QUICK Scope() : depth(surveying->depth), number(surveying->scope()) {}
  GPUOPT_EMU_QUICK bool lasts() const { return surveying->scopes[depth] == number; }
};

// What a variable holds. A value that only some threads get is one more layer, where it is sure which they are; in loops
// that threads leave one after the other it is lost behind them.
struct Held {
  State state;
  Scope set, born;
  GPUOPT_EMU_QUICK Held(const State &s) : state(s) {}
  GPUOPT_EMU_QUICK State now() const { return set.lasts() ? state : unknown(); }
  GPUOPT_EMU_QUICK void become(const State &value) {
    if (surveying->depth == born.depth || surveying->unsure || surveying->loops) state = value, set = Scope();
    else become_of_some(value);
  }
  void become_of_some(const State &value);
};

// A type of whole numbers: bytes, and 16 more if it is signed.
template <class T> struct Width { static constexpr int value = (int)sizeof(T) + ((T)-1 < (T)0 ? 16 : 0); };

struct Condition;
enum Operation { PLUS, MINUS, TIMES, OVER, REST, LEFT, RIGHT, AND, OR, XOR };
enum Order { LESS, MORE, AT_MOST, AT_LEAST, EQUAL, UNEQUAL };

// Arithmetic is done in the runtime, once for all kernels. Numbers of all threads must be as they are, not wrapped
// around, in the type of that width; far beyond memory is too much as well.
State fitted(const State &s, int width);
State combined(Operation operation, const State &a, const State &b, int width);
State moved(const State &address, const State &index, long long bytes);  // by so many elements
bool steady(const State &s, long long *value);  // the same for all threads that come here
State truth(const Condition &c);                 // 1 where it holds, and 0
State truth_of(const State &s);                  // 1 where it is not 0, and 0
State chosen_of(const Condition &c, const State &a, const State &b);
void access_layers(const State &address, unsigned bytes, How how);

template <class T> struct Ref;
template <class T> struct Pointer;
template <class T> struct Local;

// A number of each thread; of others than whole numbers, nothing is known.
template <class T, bool IsWhole = Whole<T>::value> struct Num;

// Of an operand: the type that it has in the kernel.
template <class Aa> struct Operand { typedef Aa type; static constexpr bool number = 0, pointer = 0; };
template <class T, bool Ww> struct Operand<Num<T, Ww>> { typedef T type; static constexpr bool number = 1, pointer = 0; };
template <class T> struct Operand<Ref<T>> { typedef T type; static constexpr bool number = 1, pointer = 0; };
template <class T> struct Operand<Ref<const T>> { typedef T type; static constexpr bool number = 1, pointer = 0; };
template <class T> struct Operand<Local<T>> { typedef T type; static constexpr bool number = 1, pointer = 0; };
template <> struct Operand<Condition> { typedef bool type; static constexpr bool number = 1, pointer = 0; };
template <class T> struct Operand<Pointer<T>> { typedef T *type; static constexpr bool number = 0, pointer = 1; };
template <bool Yes> struct Enable {};
template <> struct Enable<true> { typedef int type; };
#define GPUOPT_EMU_ONE(Aa) typename Enable<Operand<Aa>::number>::type = 0
#define GPUOPT_EMU_TWO(Aa, Bb)                                                                                             \
  typename Enable<(Operand<Aa>::number || Operand<Bb>::number) && !Operand<Aa>::pointer && !Operand<Bb>::pointer>::type = 0
#define GPUOPT_EMU_TYPE(Aa) typename Operand<Aa>::type()

// Reads the operand.
template <class Aa> static GPUOPT_EMU_QUICK void look(const Aa &) {}
template <class T> static GPUOPT_EMU_QUICK void look(const Ref<T> &ref) { ref.access(READ); }

// The operand's value, converted to C.
template <class Cc, class Aa> static GPUOPT_EMU_QUICK State state(const Aa &native) { return constant((long long)(Cc)native); }
template <class Cc, class T> static GPUOPT_EMU_QUICK State state(const Num<T, true> &number) {
  const bool from_signed = (T)-1 < (T)0, to_signed = (Cc)-1 < (Cc)0;
  const State now = number.now();
  if (IsBool<Cc>::value) return IsBool<T>::value ? now : truth_of(now);
  if (sizeof(Cc) >= sizeof(T) && (to_signed == from_signed || (to_signed && sizeof(Cc) > sizeof(T)))) return now;
  return fitted(now, Width<Cc>::value);
}
template <class Cc, class T> static GPUOPT_EMU_QUICK State state(const Num<T, false> &) { return unknown(); }
template <class Cc, class T> static GPUOPT_EMU_QUICK State state(const Local<T> &) { return unknown(); }
template <class Cc, class T> static GPUOPT_EMU_QUICK State state(const Ref<T> &ref) {
  ref.access(READ);
  return unknown();
}
template <class Cc> static GPUOPT_EMU_QUICK State state(const Condition &c) { return truth(c); }

#define GPUOPT_EMU_CHANGES                                                                        \
  template <class Vv> GPUOPT_EMU_QUICK Num &operator+=(const Vv &v) { return *this = *this + v; }  \
  template <class Vv> GPUOPT_EMU_QUICK Num &operator-=(const Vv &v) { return *this = *this - v; }  \
  template <class Vv> GPUOPT_EMU_QUICK Num &operator*=(const Vv &v) { return *this = *this * v; }  \
  template <class Vv> GPUOPT_EMU_QUICK Num &operator/=(const Vv &v) { return *this = *this / v; }  \
  GPUOPT_EMU_QUICK Num &operator++() { return *this = *this + 1; }                               \
  GPUOPT_EMU_QUICK Num &operator--() { return *this = *this - 1; }                               \
  GPUOPT_EMU_QUICK Num operator++(int) { const Num before(*this); ++*this; return before; }      \
  GPUOPT_EMU_QUICK Num operator--(int) { const Num before(*this); --*this; return before; }

template <class T, bool IsWhole> struct Num {
  GPUOPT_EMU_QUICK Num() {}
  template <class Vv> GPUOPT_EMU_QUICK Num(const Vv &v) { look(v); }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator=(const Vv &v) { look(v); return *this; }
  GPUOPT_EMU_CHANGES
};

template <class T> struct Num<T, true> {
  Held held;
  GPUOPT_EMU_QUICK Num() : held(unknown()) {}
  GPUOPT_EMU_QUICK Num(const Num &other) : held(other.now()) {}
  template <class Vv> GPUOPT_EMU_QUICK Num(const Vv &v) : held(surveys::state<T>(v)) {}
  GPUOPT_EMU_QUICK State now() const { return held.now(); }
  static GPUOPT_EMU_QUICK Num of(const State &value) {
    Num number;
    number.held.state = value;
    return number;
  }
  GPUOPT_EMU_QUICK Num &operator=(const Num &other) {
    held.become(other.now());
    return *this;
  }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator=(const Vv &v) { return *this = Num(v); }
  GPUOPT_EMU_CHANGES
  template <class Vv> GPUOPT_EMU_QUICK Num &operator%=(const Vv &v) { return *this = *this % v; }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator<<=(const Vv &v) { return *this = *this << v; }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator>>=(const Vv &v) { return *this = *this >> v; }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator&=(const Vv &v) { return *this = *this & v; }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator|=(const Vv &v) { return *this = *this | v; }
  template <class Vv> GPUOPT_EMU_QUICK Num &operator^=(const Vv &v) { return *this = *this ^ v; }
};

// Elements of an array of the thread's own, about which nothing is known.
template <class T> struct Local {
  template <class Ii> GPUOPT_EMU_QUICK Local &operator[](const Ii &i) { look(i); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK Local &operator=(const Vv &v) { look(v); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK Local &operator+=(const Vv &v) { look(v); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK Local &operator-=(const Vv &v) { look(v); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK Local &operator*=(const Vv &v) { look(v); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK Local &operator/=(const Vv &v) { look(v); return *this; }
  GPUOPT_EMU_QUICK Local &operator++() { return *this; }
  GPUOPT_EMU_QUICK Local &operator++(int) { return *this; }
};

// Arithmetic of whole numbers of type R, and of others.
template <class Rr, Operation Oo, bool IsWhole = Whole<Rr>::value> struct Compute {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<Rr> of(const Aa &a, const Bb &b) {
    look(a), look(b);
    return Num<Rr>();
  }
};
template <class Rr, Operation Oo> struct Compute<Rr, Oo, true> {
  template <class Aa, class Bb> static GPUOPT_EMU_QUICK Num<Rr> of(const Aa &first, const Bb &second) {
    return Num<Rr>::of(combined(Oo, state<Rr>(first), state<Rr>(second), Width<Rr>::value));
  }
};
#define GPUOPT_EMU_OPERATOR(op, name)                                                                       \
  template <class Aa, class Bb, GPUOPT_EMU_TWO(Aa, Bb)>                                                         \
  static GPUOPT_EMU_QUICK auto operator op(const Aa &a, const Bb &b)->Num<decltype(GPUOPT_EMU_TYPE(Aa) op GPUOPT_EMU_TYPE(Bb))> { \
    return Compute<decltype(GPUOPT_EMU_TYPE(Aa) op GPUOPT_EMU_TYPE(Bb)), name>::of(a, b);                     \
  }
GPUOPT_EMU_OPERATOR(+, PLUS)
GPUOPT_EMU_OPERATOR(-, MINUS)
GPUOPT_EMU_OPERATOR(*, TIMES)
GPUOPT_EMU_OPERATOR(/, OVER)
GPUOPT_EMU_OPERATOR(%, REST)
GPUOPT_EMU_OPERATOR(<<, LEFT)
GPUOPT_EMU_OPERATOR(>>, RIGHT)
GPUOPT_EMU_OPERATOR(&, AND)
GPUOPT_EMU_OPERATOR(|, OR)
GPUOPT_EMU_OPERATOR(^, XOR)
#undef GPUOPT_EMU_OPERATOR
template <class Aa, GPUOPT_EMU_ONE(Aa)> static GPUOPT_EMU_QUICK auto operator-(const Aa &a)->Num<decltype(-GPUOPT_EMU_TYPE(Aa))> {
  typedef decltype(-GPUOPT_EMU_TYPE(Aa)) Rr;
  return Compute<Rr, MINUS>::of((Rr)0, a);
}
template <class Aa, GPUOPT_EMU_ONE(Aa)> static GPUOPT_EMU_QUICK auto operator+(const Aa &a)->Num<decltype(+GPUOPT_EMU_TYPE(Aa))> {
  return a;
}

// Elements in memory.
template <class T> struct Ref {
  State address;
  GPUOPT_EMU_QUICK void access(How how) const {
    if (address.known) surveying->access(address.value, sizeof(T), how);
    else access_layers(address, sizeof(T), how);
  }
  GPUOPT_EMU_QUICK void change() const { access(READ), access(WRITE); }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator=(const Vv &v) const { look(v), access(WRITE); return *this; }
  GPUOPT_EMU_QUICK const Ref &operator=(const Ref &v) const { look(v), access(WRITE); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator+=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator-=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator*=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator/=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator&=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator|=(const Vv &v) const { look(v), change(); return *this; }
  template <class Vv> GPUOPT_EMU_QUICK const Ref &operator^=(const Vv &v) const { look(v), change(); return *this; }
  GPUOPT_EMU_QUICK const Ref &operator++() const { change(); return *this; }
  GPUOPT_EMU_QUICK const Ref &operator--() const { change(); return *this; }
  GPUOPT_EMU_QUICK Num<typename Operand<Ref>::type> operator++(int) const { change(); return {}; }
  GPUOPT_EMU_QUICK Num<typename Operand<Ref>::type> operator--(int) const { change(); return {}; }
  GPUOPT_EMU_QUICK Pointer<T> operator&() const { return Pointer<T>(address); }
};

// What is at a place of an array: an element, or an array again.
template <class T> struct Element {
  static GPUOPT_EMU_QUICK Ref<T> at(const State &address) { return Ref<T>{address}; }
};
template <class T, size_t Nn> struct Element<T[Nn]> {
  static GPUOPT_EMU_QUICK Pointer<T> at(const State &address) { return Pointer<T>(address); }
};

template <class T> struct Pointer {
  Held held;
  explicit GPUOPT_EMU_QUICK Pointer(const State &at) : held(at) {}
  GPUOPT_EMU_QUICK Pointer(const Pointer &other) : held(other.now()) {}
  template <class Uu> GPUOPT_EMU_QUICK Pointer(const Pointer<Uu> &other) : held(other.now()) {
    static_assert(sizeof(T) == sizeof(Uu), "another type");
  }
  GPUOPT_EMU_QUICK State now() const { return held.now(); }
  GPUOPT_EMU_QUICK Pointer &operator=(const Pointer &other) {
    held.become(other.now());
    return *this;
  }
  template <class Ii> GPUOPT_EMU_QUICK Pointer moved(const Ii &i, int direction) const {
    return Pointer(surveys::moved(now(), state<long long>(i), direction * (long long)sizeof(T)));
  }
  template <class Ii> GPUOPT_EMU_QUICK auto operator[](const Ii &i) const -> decltype(Element<T>::at(State())) {
    return Element<T>::at(surveys::moved(now(), state<long long>(i), (long long)sizeof(T)));
  }
  GPUOPT_EMU_QUICK auto operator*() const -> decltype(Element<T>::at(State())) { return Element<T>::at(now()); }
  template <class Ii> GPUOPT_EMU_QUICK Pointer &operator+=(const Ii &i) { return *this = moved(i, 1); }
  template <class Ii> GPUOPT_EMU_QUICK Pointer &operator-=(const Ii &i) { return *this = moved(i, -1); }
  GPUOPT_EMU_QUICK Pointer &operator++() { return *this = moved(1, 1); }
  GPUOPT_EMU_QUICK Pointer operator++(int) { const Pointer before(*this); ++*this; return before; }
};
template <class T, class Ii> static GPUOPT_EMU_QUICK Pointer<T> operator+(const Pointer<T> &p, const Ii &i) { return p.moved(i, 1); }
template <class T, class Ii> static GPUOPT_EMU_QUICK Pointer<T> operator-(const Pointer<T> &p, const Ii &i) { return p.moved(i, -1); }

// What parameters, shared arrays and variables outside of functions are in a survey.
template <class T> static GPUOPT_EMU_QUICK State address_of(T *pointer) { return constant((long long)(size_t)pointer); }
template <class T> static GPUOPT_EMU_QUICK Num<T> parameter(const T &value) { return value; }
template <class T> static GPUOPT_EMU_QUICK Pointer<T> parameter(T *const &pointer) { return Pointer<T>(address_of(pointer)); }
template <class T> static GPUOPT_EMU_QUICK Ref<T> variable(T &value) { return Ref<T>{address_of(__builtin_addressof(value))}; }
template <class T, size_t Nn> static GPUOPT_EMU_QUICK Pointer<T> variable(T (&array)[Nn]) { return Pointer<T>(address_of(array)); }
template <class T> static GPUOPT_EMU_QUICK Pointer<T> variable(T (&array)[]) { return Pointer<T>(address_of(&array[0])); }

struct ThreadIndex {
  Num<unsigned> x, y, z;
  static GPUOPT_EMU_QUICK Num<unsigned> along(int d, unsigned size) {
    State s = constant(0);
    s.value.by[d] = size > 1;
    return Num<unsigned>::of(s);
  }
  explicit ThreadIndex(dim3 size) : x(along(0, size.x)), y(along(1, size.y)), z(along(2, size.z)) {}
};
// blockIdx, of one block or of many.
struct BlockIndex {
  Num<unsigned> x, y, z;
  static GPUOPT_EMU_QUICK Num<unsigned> along(int d, unsigned size, unsigned one) {
    if (surveying->stage == Survey::BLOCK) return Num<unsigned>::of(constant(one));
    return ThreadIndex::along(BLOCKS + d, size);
  }
  BlockIndex(dim3 size, uint3 one) : x(along(0, size.x, one.x)), y(along(1, size.y, one.y)), z(along(2, size.z, one.z)) {}
};

}  // namespace surveys

// What is to be done next: one thread after the other, a survey, or nothing, since all threads of the block have been run
// in their fast form. First of the whole grid, in parts; where that tells nothing, of each block.
enum class Surveyed { threads, again, done };
Surveyed next_survey(Block *block, surveys::Survey *survey, const void *closure);
// Around what tells which arrays a kernel only reads: once in a launch, then the first is true.
bool begin_bases(Block *block, surveys::Survey *survey);
void end_bases(Block *block, surveys::Survey *survey);

}  // namespace gpuopt_emu

#include "survey_branches.h"

#endif
