// Threads that wait for others in a loop of plain loads: now and then a signal makes them let the others run.
//
// From the first launch on whose threads may do so, a thread of our own looks at the workers every few milliseconds. One that
// has run the same device thread for a while gets a signal, whose handler switches threads as a call of yield() would, unless
// the runtime or a library is at work. What counts is the time that it had a processor: on a busy machine lanes of a warp
// would else be torn apart that do not wait.
#include <algorithm>
#include <condition_variable>
#include <link.h>
#include <mutex>
#include <signal.h>
#include <stdint.h>
#include <thread>
#include <time.h>
#include <ucontext.h>

#include "gpuopt_emu/block.h"
#include "model.h"
#include "worker.h"

namespace gpuopt_emu {

static const int SIGNAL = SIGURG;  // ignored by default, and hardly anybody uses it
static const auto TICK = std::chrono::milliseconds(5);
static const double PATIENCE = 10e-3;  // seconds
static const double BLOCKS_PATIENCE = 0.2;  // with a block whose threads take turns all the time: it may wait for another one
static const unsigned IDLE_TICKS = 100;  // then the watch sleeps until the next launch

namespace {
struct Watched {
  Worker *worker;
  const Fiber *fiber;  // seen last
  unsigned started;
  double since;  // processor time of the worker then
  unsigned turns;        // that it had given to blocks
  double turned;         // processor time when it gave the last one
};
}  // namespace

// Never destroyed: the watch outlives static objects, and destroying what it waits for would wait for it.
static std::mutex &watch_mutex = *new std::mutex;
static std::condition_variable &wake = *new std::condition_variable;
static bool watching, asleep;
static std::atomic<bool> launched;

static std::vector<Watched> &workers() {
  static std::vector<Watched> *all = new std::vector<Watched>;  // threads may outlive static objects
  return *all;
}

static uintptr_t program_counter(void *context) {
#if defined(__x86_64__)
  return (uintptr_t)static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)static_cast<ucontext_t *>(context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;  // never in a program's code: no preemption
#endif
}

// Whether both addresses lie in the code of the same program or library.
static bool in_one_object(uintptr_t a, uintptr_t b) {
  struct Question {
    uintptr_t a, b;
  } question = {a, b};
  const auto look = [](dl_phdr_info *object, size_t, void *wanted) -> int {
    const Question *q = static_cast<Question *>(wanted);
    bool has_a = false, has_b = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto &segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
      has_a = has_a || q->a - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
      has_b = has_b || q->b - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
    }
    return has_a && has_b;
  };
  return dl_iterate_phdr(look, &question) == 1;
}

static void on_signal(int, siginfo_t *, void *context) {
  Fiber *me = current;
  if (!me || !me->block || is_lane(me) || me == &me->block->room->worker->home || me->block->busy) return;
  const int error = errno;
  bool ours;
  {
    // Other signals that come meanwhile are not looked at: threads would be switched under the loader's lock, and those
    // that wait for it would get one signal on top of the other until their stacks are full.
    const Busy busy(me->block);
    ours = in_one_object(program_counter(context), (uintptr_t)me->block->grid->loop);
  }
  // Not in a library, whose locks the next thread may need. (The loader's own lock is a library's, too.)
  if (ours) {
#if defined(__x86_64__)
    set_arithmetic_mode(static_cast<ucontext_t *>(context)->uc_mcontext.fpregs->mxcsr);  // handlers begin with another one
#endif
    yield_to_other_blocks();
  }
  errno = error;
}

static double processor_time(pthread_t thread) {
  clockid_t clock;
  timespec time;
  if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &time)) return 0;
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void look_after(Watched &watched) {
  const Fiber *fiber = __atomic_load_n(watched.worker->running, __ATOMIC_RELAXED);
  if (!fiber) {
    watched.fiber = nullptr;
    return;
  }
  const unsigned begun = __atomic_load_n(&fiber->linear, __ATOMIC_RELAXED);
  const unsigned turns = __atomic_load_n(&watched.worker->turns, __ATOMIC_RELAXED);
  const double now = processor_time(watched.worker->thread);
  if (fiber != watched.fiber || begun != watched.started) {
    watched.fiber = fiber;
    watched.started = begun;
    watched.since = now;
  }
  if (turns != watched.turns) watched.turns = turns, watched.turned = now;
  if (now - watched.since >= PATIENCE || now - watched.turned >= BLOCKS_PATIENCE) pthread_kill(watched.worker->thread, SIGNAL);
}

static void keep_watch() {
  unsigned idle = 0;
  for (;;) {
    std::unique_lock<std::mutex> lock(watch_mutex);
    if (idle > IDLE_TICKS) {
      asleep = true;
      wake.wait(lock, [] { return launched.load(); });
      asleep = false;
      idle = 0;
    } else {
      wake.wait_for(lock, TICK);
    }
    idle = launched.exchange(false) ? 0 : idle + 1;
    for (Watched &watched : workers()) {
      look_after(watched);
      if (watched.fiber) idle = 0;
    }
  }
}

Unwatched::Unwatched() : lock_(watch_mutex) {}

void watch(Worker *worker) {
  std::lock_guard<std::mutex> lock(watch_mutex);
  workers().push_back(Watched{worker, nullptr, 0, 0, 0, 0});
}

void watch_no_more(Worker *worker) {
  std::lock_guard<std::mutex> lock(watch_mutex);
  auto &all = workers();
  all.erase(std::remove_if(all.begin(), all.end(), [=](const Watched &w) { return w.worker == worker; }), all.end());
}

static void begin_watch() {
  errno = 0;  // what the handler calls is looked up now: signals could come faster than the loader finds it within the handler
  in_one_object(0, 0);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigaction(SIGNAL, &action, nullptr);
  std::thread([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    keep_watch();
  }).detach();
}

void wake_watch() {
  if (launched.load(std::memory_order_relaxed)) return;
  launched.store(true, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(watch_mutex);
  if (asleep) wake.notify_one();
  if (!watching) begin_watch();
  watching = true;
}

}  // namespace gpuopt_emu
