// From K<<<grid, block>>>(arguments) to the loop over a block's threads.
//
// A kernel is an ordinary function whose body was wrapped: called, it takes the configuration that the launch pushed
// and hands its body, a closure over its arguments, to the runtime, which calls it once per thread. Overloads,
// templates and pointers to kernels are thereby the host compiler's business. Asked to describe itself, the function
// returns before it touches its arguments: so everything about a kernel is reached through its address.
#ifndef GPUOPT_EMU_LAUNCH_H
#define GPUOPT_EMU_LAUNCH_H

#include <initializer_list>
#include <type_traits>

#include "alone.h"
#include "described.h"
#include "flushing.h"
#include "shared.h"
#include "survey.h"
#include "target.h"

namespace gpuopt_emu {

// Runs threads of the current block on the current fiber until none is left to start.
typedef void (*ThreadLoop)(const void *closure);

// What a kernel's body sees of its thread. The constants among it are the compiler's to make use of.
struct At {
  uint3 thread, block;
  dim3 block_size, grid_size;
  bool small;    // no sum of a block's start and threadIdx is too much for an int
  bool sure;     // the guards at the kernel's beginning let all threads of the block in
  bool *answer;  // null, or the guards are asked and nothing else is done
  surveys::Survey *survey;  // null, or accesses are told and nothing is done

  // blockIdx.x * blockDim.x + threadIdx.x and the like. Signed, so that compilers need not think of what wraps around.
  __attribute__((always_inline)) unsigned sum(unsigned start, unsigned thread_) const {
    return small ? (unsigned)((int)start + (int)thread_) : start + thread_;
  }
  // if (in) ... at the end of a kernel; if (out) return; before the rest of it (`last`: of the guards).
  __attribute__((always_inline)) bool enters(bool in) const {
    if (answer) *answer = in;
    return in && !answer;
  }
  __attribute__((always_inline)) bool leaves(bool last, bool out) const {
    if (answer && (out || last)) *answer = !out;
    return out || (answer && last);
  }
};
// The end of a loop's turn, `Turns` of which a device compiler makes one; see emulator/unrolling.py.
extern "C" void gpuopt_emu_turned(unsigned turns);
template <unsigned Turns>
#if __cplusplus >= 201402L
constexpr  // as functions with loops may be
#endif
inline __attribute__((always_inline)) void turned() {
  if (INSTRUMENTED) gpuopt_emu_turned(Turns);
}
// 1 where kernels have surveys there.
enum Surveying { SURVEYING = 0 };
// How a kernel's threads are run; see emulator/kernels.py.
// The others are added to those: it has a survey; its threads may wait for what happens outside the grid; its loops
// between barriers can be checked; it tells which arrays it only reads; it takes small numbers for 0; it has atomics.
enum LoopKind { GENERAL, PLAIN, GUARDED, SURVEYED = 4, WAITING = 8, LOOPS_CHECKED = 16, BASED = 32, FLUSHING = 64, UPDATING = 128 };

void push_configuration(dim3 grid, dim3 block, size_t shared, void *stream);
// `bytes`: of the closure, which may be copied byte by byte and kept.
void launch_grid(Kernel *kernel, ThreadLoop loop, const void *closure, size_t bytes);
// Where the arguments of the launch are that the calling kernel is about to make. Not inlined: see runtime/launch_told.cpp.
void tell(std::initializer_list<const void *> arguments);
// The kernel at an address, null where there is none.
Kernel *kernel_at(const void *function);

// A thread's own copy of a kernel's closure: its bytes, as a GPU gets the parameters. Constructors and destructors of
// parameters that have them are the host's affair.
template <class Body> struct Bytes {
  alignas(Body) unsigned char bytes[sizeof(Body)];
  explicit Bytes(const Body &body) { __builtin_memcpy(bytes, (const void *)&body, sizeof bytes); }
  operator const Body &() const { return *reinterpret_cast<const Body *>(bytes); }
  template <class... Aa> __attribute__((always_inline)) void operator()(const Aa &...given) {
    (*reinterpret_cast<Body *>(bytes))(given...);
  }
};
template <class Body>
using Mine = typename std::conditional<std::is_trivially_copyable<Body>::value, Body, Bytes<Body>>::type;

// The threads at the corners of a block behind the two of its first row; how many there are.
unsigned find_corners(const Block *block, uint3 (&more)[6]);
// Whether the guards let all threads of the block in: they do if they let in those at its corners.
template <class Body> GPUOPT_EMU_DEVICE static inline bool all_enter(const Body &body, Block *block) {
  const dim3 size = block->size;
  uint3 more[6];
  unsigned left = 2;
  if (__builtin_expect(size.y > 1 || size.z > 1, 0)) left += find_corners(block, more);
  while (left--) {
    bool answer = false;
    const At at = {left < 2 ? uint3{left ? size.x - 1 : 0, 0, 0} : more[left - 2], block->index, size, block->grid_size, true, false, &answer, nullptr};
    Mine<Body> mine(body);
    mine(at);
    if (!answer) return false;
  }
  return true;
}

// Threads that go through a kernel abreast: fission/abreast.py. Sums of a block's start and threadIdx are then small.
enum { ABREAST = 8 };
struct Sums {
  static __attribute__((always_inline)) unsigned sum(unsigned start, unsigned thread) {
    return (unsigned)((int)start + (int)thread);
  }
};
struct AnySums {
  static __attribute__((always_inline)) unsigned sum(unsigned start, unsigned thread) { return start + thread; }
};
// How far the numbers are apart that threads begin at: the same for all neighbours, or 0 (fission/strides.py).
template <class T> static inline T in_a_row(const T *numbers, unsigned threads) {
  if (INSTRUMENTED) return 0;  // there accesses come in the order of the threads
  if (threads < 2 || numbers[1] <= numbers[0]) return threads == 1;
  const unsigned long long apart = (unsigned long long)numbers[1] - (unsigned long long)numbers[0];
  unsigned long long others = 0;
  for (unsigned i = 1; i < threads; ++i)
    others |= (unsigned long long)numbers[i] - (unsigned long long)numbers[i - 1] ^ apart;
  return others || apart >> (sizeof(T) * 8 - 1) ? 0 : (T)apart;
}
template <class T> struct Few {
  alignas(32) T at[ABREAST];
  explicit Few(Block *) {}
  __attribute__((always_inline)) const T &get(int thread) const { return at[thread]; }
  __attribute__((always_inline)) void put(int thread, const T &value) { at[thread] = value; }
};
// Runs threads of a row abreast, from the first on; the first that is left.
template <class Strip> struct Abreast {
  const Strip &strip;
  GPUOPT_EMU_DEVICE int row(Block *block, int z, int y, int nx) const {
    int x = 0;
    for (; x + ABREAST <= nx; x += ABREAST) {
      Strip mine(strip);
      mine(block, z, y, x);
    }
    return x;
  }
};
struct OneByOne {
  GPUOPT_EMU_DEVICE int row(Block *, int, int, int) const { return 0; }
};

// A block whose threads never wait, where nothing is in the way of a mere loop. False: nothing has been done.
// Alone: is_alone(), of which the code of one thread then makes use.
template <class Body, bool Guarded, bool Alone, class Rows>
GPUOPT_EMU_DEVICE static inline bool run_plainly(const Body &body, Block *block, const Rows &rows) {
  const unsigned most = 1 << 20;  // times 1024 it is still far from what an int can hold
  if (__builtin_expect(block->index.x >= most || block->exact, 0)) return false;
  if (Guarded && !all_enter(body, block)) return false;
  const int nx = (int)block->size.x, ny = (int)block->size.y, nz = (int)block->size.z;
  At at = {{0, 0, 0}, block->index, block->size, block->grid_size, true, true, nullptr, nullptr};
  block->started = block->threads;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = rows.row(block, z, y, nx); x < nx; ++x) {
        at.thread = uint3{(unsigned)x, (unsigned)y, (unsigned)z};
        if (Alone && !is_alone()) __builtin_unreachable();
        Mine<Body> mine(body);
        mine(at);
      }
  block->live = 0;  // also where a thread was made to let others run, and counts as one that is still there
  return true;
}

// A block in its fast form, after a survey of what its threads will access. False: nothing has been done.
template <int Kind, class Body>
GPUOPT_EMU_DEVICE static bool run_surveyed(const Body &body, Block *block, const void *closure) {
  surveys::Survey survey;
  const At at = {{0, 0, 0}, block->index, block->size, block->grid_size, false, false, nullptr, &survey};
  if ((Kind & BASED) && begin_bases(block, &survey)) {
    Mine<Body> mine(body);
    mine(at);
    end_bases(block, &survey);
  }
  if (!(Kind & SURVEYED)) return false;
  Surveyed next;
  while ((next = next_survey(block, &survey, closure)) == Surveyed::again) {
    Mine<Body> mine(body);
    mine(at);
  }
  return next == Surveyed::done;
}
// The same where there are surveys; elsewhere nothing is compiled.
template <int Kind, bool There = SURVEYING && (Kind & (SURVEYED | BASED))> struct BySurvey {
  template <class Body> static __attribute__((always_inline)) bool runs(const Body &, Block *, const void *) { return false; }
};
template <int Kind> struct BySurvey<Kind, true> {
  template <class Body> GPUOPT_EMU_DEVICE static __attribute__((always_inline)) bool runs(const Body &body, Block *block, const void *closure) {
    return run_surveyed<Kind>(body, block, closure);
  }
};

// Threads in the order of their numbers, a row (of equal y and z) at a time, so that what depends on the row alone can
// be computed once. After the first thread that had to wait, fibers take threads one by one.
template <class Body> GPUOPT_EMU_DEVICE __attribute__((always_inline)) static inline void run_in_order(const Body &body, Block *block) {
  Fiber *const me = current;
  const dim3 size = block->size;
  At at = {{0, 0, 0}, block->index, size, block->grid_size, false, false, nullptr, nullptr};
  while (block->first_thread(me)) {
    unsigned number = me->linear;
    const unsigned count = block->threads;
    at.thread = me->thread;
    for (;;) {
      const unsigned row_end = number - at.thread.x + size.x;
      for (;;) {
        Mine<Body> mine(body);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        block->busy = false;
        mine(at);
        block->busy = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (__builtin_expect(block->suspended, 0)) break;
        if (++number == row_end) break;
        me->thread.x = ++at.thread.x;
        me->linear = number;
        block->started = number + 1;
      }
      if (__builtin_expect(block->suspended, 0)) {
        thread_exited(block, me);
        break;
      }
      if (number == count) return;
      at.thread.x = 0;
      if (++at.thread.y == size.y) {
        at.thread.y = 0;
        ++at.thread.z;
      }
      me->thread = at.thread;
      me->linear = number;
      block->started = number + 1;
    }
  }
}
// Block::first_thread, not inlined.
bool find_thread(Block *block, Fiber *fiber);
// The same for the few blocks of a plain kernel that are not: not worth a second copy of the kernel at full optimisation,
// nor much of a compiler's time.
template <class Body> GPUOPT_EMU_DEVICE static __attribute__((noinline, cold)) void run_rarely(const Body &body, Block *block) {
  Fiber *const me = current;
  const dim3 size = block->size;
  At at = {{0, 0, 0}, block->index, size, block->grid_size, false, false, nullptr, nullptr};
  while (find_thread(block, me)) {
    at.thread = me->thread;
    for (;;) {
      Mine<Body> mine(body);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      block->busy = false;
      mine(at);
      block->busy = true;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      if (__builtin_expect(block->suspended, 0)) {
        thread_exited(block, me);
        break;
      }
      if (++at.thread.x == size.x) break;
      me->thread.x = at.thread.x;
      block->started = ++me->linear + 1;
    }
  }
}

// Blocks of a plain kernel, one behind the other. Inlined, so that compilers see that the caller's copy of the closure
// is no array's memory.
template <class Body, bool Guarded, bool Alone> GPUOPT_EMU_DEVICE static inline __attribute__((always_inline)) void run_blocks(const Body &body, Block *block) {
  do
    if (!run_plainly<Body, Guarded, Alone>(body, block, OneByOne())) run_rarely(body, block);
  while (block->becomes_next());
}

// While a kernel's threads run; as long as one is left, where they take turns.
template <bool Flushes> struct Flushing {};
template <> struct Flushing<true> {
  const unsigned before;
  Flushing() : before(arithmetic_mode()) { set_arithmetic_mode(before | FLUSH_BITS); }
  Flushing(const Flushing &) = delete;
  ~Flushing() {
    if (!current->block->suspended) set_arithmetic_mode(before);
  }
};

template <class Body, int Kind> GPUOPT_EMU_DEVICE static void run_threads(const void *closure) {
  Block *const block = current->block;
  const Flushing<(Kind & FLUSHING) != 0> mode;
  (void)mode;
  const Mine<Body> own(*static_cast<const Body *>(closure));
  const Body &body = own;
  if (BySurvey<Kind>::runs(body, block, closure)) return;
  if ((Kind & 3) == GENERAL || INSTRUMENTED) return run_in_order(body, block);
  if ((Kind & UPDATING) && is_alone()) return run_blocks<Body, (Kind & 3) == GUARDED, true>(body, block);
  run_blocks<Body, (Kind & 3) == GUARDED, false>(body, block);
}

// Which threads of a split kernel have returned.
struct Gone : Spread<bool> {
  unsigned left;
  explicit Gone(Block *b) : Spread<bool>(b), left(b->threads) { __builtin_memset(at, 0, b->threads); }
  void set(int thread) {
    at[thread] = true;
    --left;
  }
  bool all() const { return left == 0; }
};

// In check mode such a kernel's loops can be run as they are, where it is LOOPS_CHECKED: each turn says whose it is,
// and lets no access be moved to another one.
static inline __attribute__((always_inline)) void take_turn(int thread, int x, int y, int z) {
  Fiber *const me = current;
  me->linear = (unsigned)thread;
  me->thread = uint3{(unsigned)x, (unsigned)y, (unsigned)z};
  asm volatile("" ::: "memory");
}
bool checks_loops(const Block *block);           // now
void check_loops_barrier(Block *block, unsigned live);  // between two of them
static inline __attribute__((always_inline)) void loops_barrier(Block *block, const Gone *gone = nullptr) {
  int thread = 0;
  while (gone && gone->get(thread)) ++thread;
  current->linear = (unsigned)thread;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // tells where it is: runtime/check_events.cpp
  check_loops_barrier(block, gone ? gone->left : block->threads);
}

// What threads that part take along: values; what is no value, where it is.
template <class T>
using Carried = typename std::conditional<std::is_trivially_copyable<T>::value && !std::is_array<T>::value, T, T &>::type;
template <class T> struct PerThread {
  T *at;
  const T &get(int thread) const { return at[thread]; }
};
template <class T> static inline PerThread<T> kept_in(const Spread<T> &spread) { return {spread.at}; }
// Threads of a block that have parted, one after another, as in run_in_order.
static inline void run_apart(Block *block) {
  Fiber *const me = current;
  while (block->first_thread(me)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    block->busy = false;
    block->run_rest(block->rest, (int)me->linear, me->thread);
    block->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (block->suspended) thread_exited(block, me);
  }
}
// Until now the block's threads were run in loops: from here on each does the rest by itself (fission/parting.py), which
// lies on the stack of the fiber that ran the loops. So that fiber is not left before all have ended.
template <class Rest> GPUOPT_EMU_DEVICE static __attribute__((noinline)) void go_apart(Block *block, Rest &rest) {
  block->rest = &rest;
  block->run_rest = [](void *all, int number, const uint3 &thread) { (*static_cast<Rest *>(all))(number, thread); };
  block->started = 0;
  run_apart(block);
  if (block->suspended) switch_fiber(current, next_fiber(block));  // for good
  block->rest = nullptr;
}

// A kernel with barriers, twice: thread by thread, and whole blocks in loops between barriers.
template <class Body, class Whole> struct Both {
  Body body;
  Whole whole;
};
template <class Body, class Whole, int Kind> GPUOPT_EMU_DEVICE static void run_split(const void *closure) {
  const Both<Body, Whole> &both = *static_cast<const Both<Body, Whole> *>(closure);
  Block *const block = current->block;
  const Flushing<(Kind & FLUSHING) != 0> mode;
  (void)mode;
  if (block->rest) return run_apart(block);
  if (BySurvey<Kind>::runs(both.body, block, closure)) return;
  do {
    const bool in_loops = INSTRUMENTED ? SURVEYING && (Kind & LOOPS_CHECKED) && checks_loops(block) : !block->exact;
    if (!in_loops) {
      run_threads<Body, GENERAL>(&both.body);
      continue;
    }
    block->started = block->threads;
    Mine<Whole> whole(both.whole);
    whole(block);
    block->live = 0;
  } while (block->becomes_next());
}

template <class Body, class Strip, int Kind> GPUOPT_EMU_DEVICE static void run_abreast(const void *closure) {
  const Both<Body, Strip> &both = *static_cast<const Both<Body, Strip> *>(closure);
  Block *const block = current->block;
  const Flushing<(Kind & FLUSHING) != 0> mode;
  (void)mode;
  if (BySurvey<Kind>::runs(both.body, block, closure)) return;
  const Abreast<Strip> rows = {both.whole};
  do
    if (INSTRUMENTED || !run_plainly<Body, (Kind & 3) == GUARDED, false>(both.body, block, rows)) run_threads<Body, GENERAL>(&both.body);
  while (block->becomes_next());
}

template <class Tag, int Kind, class Body> static inline void launch(const Body &body) {
  KernelOf<Tag>::kernel.may_wait = (Kind & WAITING) != 0;
  KernelOf<Tag>::kernel.never_waits = (Kind & 3) != GENERAL;
  launch_grid(&KernelOf<Tag>::kernel, &run_threads<Body, Kind>, &body, sizeof body);
}

template <bool Fits> struct Splitting {
  template <class Tag, int Kind, class Body, class Whole> static void launch(const Body &body, const Whole &whole) {
    const Both<Body, Whole> both = {body, whole};
    KernelOf<Tag>::kernel.never_waits = true;
    launch_grid(&KernelOf<Tag>::kernel, &run_split<Body, Whole, Kind>, &both, sizeof both);
  }
};
template <> struct Splitting<false> {
  template <class Tag, int Kind, class Body, class Whole> static void launch(const Body &body, const Whole &) {
    gpuopt_emu::launch<Tag, GENERAL | (Kind & FLUSHING)>(body);
  }
};
// Fits: variables that live across barriers can be kept byte by byte.
template <class Tag, int Kind, bool Fits, class Body, class Whole>
static inline void launch_split(const Body &body, const Whole &whole) {
  Splitting<Fits>::template launch<Tag, Kind>(body, whole);
}

// Fits: variables that live from one turn to the next can be kept byte by byte.
template <class Tag, int Kind, bool Fits, class Body, class Strip>
static inline void launch_abreast(const Body &body, const Strip &strip) {
  if (!Fits) return launch<Tag, Kind>(body);
  const Both<Body, Strip> both = {body, strip};
  KernelOf<Tag>::kernel.never_waits = true;
  launch_grid(&KernelOf<Tag>::kernel, &run_abreast<Body, Strip, Kind>, &both, sizeof both);
}

// K<<<grid, block, shared, stream>>>: false, so that `push_call(...) ? (void)0 : K(arguments)` calls K.
template <class Stream> static inline bool push_call(dim3 grid, dim3 block, size_t shared, Stream stream) {
  push_configuration(grid, block, shared, (void *)stream);
  return false;
}
static inline bool push_call(dim3 grid, dim3 block, size_t shared = 0) {
  push_configuration(grid, block, shared, nullptr);
  return false;
}

}  // namespace gpuopt_emu

#endif
