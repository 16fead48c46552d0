#include "background.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "model.h"
#include "settings.h"
#include "streams.h"
#include "turns.h"

namespace gpuopt_emu {

std::atomic<unsigned> unfinished{0};
__thread Task *this_task = nullptr;

static const double SPIN = 20e-6;  // seconds that an OS thread looks for a change before it sleeps
static const auto LOOK = std::chrono::milliseconds(5);

// Looks until it is true, for a short while. Sleeping and waking takes longer than most small launches.
template <class Question> static bool soon(Question question) {
  if (settings().workers == 1) return question();
  const double start = seconds();
  do {
    for (int i = 0; i < 32; ++i) {
      if (question()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (seconds() - start < SPIN);
  return false;
}

namespace {

// The tasks, and OS threads that do them: as many as there are tasks at once, since any of them may wait for another.
class Background {
 public:
  static Background &get() {
    static Background *background = new Background;  // never destroyed: the threads may outlive static objects
    return *background;
  }

  std::mutex mutex;
  std::condition_variable changed;  // a task has ended, or waits
  std::vector<TaskPointer> known;   // that have not ended, in the order in which they were given

  // With the lock held.
  void begin(const TaskPointer &task) {
    ready_.push_back(task);
    queued_.fetch_add(1, std::memory_order_release);
    if (idle_ >= ready_.size()) return offered_.notify_one();
    std::thread([this] { serve(); }).detach();
  }
  void remember(const TaskPointer &task) {
    task->known = true;
    known.push_back(task);
    unfinished.fetch_add(1, std::memory_order_release);
  }

 private:
  TaskPointer take() {
    std::unique_lock<std::mutex> lock(mutex);
    ++idle_;
    lock.unlock();
    soon([this] { return queued_.load(std::memory_order_acquire) != 0; });
    lock.lock();
    offered_.wait(lock, [this] { return !ready_.empty(); });
    --idle_;
    const TaskPointer task = ready_.front();
    ready_.pop_front();
    queued_.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  void serve() {
    for (;;) {
      const TaskPointer task = take();
      this_task = task.get();
      // Behind a launch that failed nothing is done.
      const cudaError_t result = task->kept && has_failed() ? cudaSuccess : task->work();
      this_task = nullptr;
      end(task, result);
    }
  }

  void end(const TaskPointer &task, cudaError_t result) {
    Job work;  // destroyed without the lock: it may hold the last of a graph
    std::lock_guard<std::mutex> lock(mutex);
    work.swap(task->work);
    task->result = result;
    task->ended = event_time();
    task->done.store(true, std::memory_order_release);
    for (const TaskPointer &next : task->followers)
      if (--next->needed == 0) begin(next);
    task->followers.clear();
    if (task->known) {
      known.erase(std::find(known.begin(), known.end(), task));
      unfinished.fetch_sub(1, std::memory_order_release);
    }
    changed.notify_all();
  }

  std::deque<TaskPointer> ready_;
  std::condition_variable offered_;
  std::atomic<unsigned> queued_{0};
  unsigned idle_ = 0;
};

TaskPointer new_task(const CUstream_st &stream, Job work) {
  const TaskPointer task = std::make_shared<Task>();
  task->work = std::move(work);
  task->stream = stream.number;
  task->legacy = &stream == stream_object(nullptr);
  task->blocking = !task->legacy && !(stream.flags & cudaStreamNonBlocking);
  return task;
}

// Tasks that whoever waits for the stream waits for; and, where more is `given` to it, those that come before that.
std::vector<TaskPointer> tasks_of(const CUstream_st &stream, bool given) {
  const bool legacy = &stream == stream_object(nullptr), blocking = !legacy && !(stream.flags & cudaStreamNonBlocking);
  std::vector<TaskPointer> found;
  for (const TaskPointer &task : Background::get().known)
    if (task->stream == stream.number || (legacy && task->blocking) || (given && blocking && task->legacy))
      found.push_back(task);
  return found;
}

void wait_for(const std::vector<TaskPointer> &tasks, std::unique_lock<std::mutex> &lock) {
  for (const TaskPointer &task : tasks) Background::get().changed.wait(lock, [&] { return task->done.load(); });
}

}  // namespace

TaskPointer defer(const CUstream_st &stream, Job work, const TaskPointer &after) {
  Background &background = Background::get();
  std::lock_guard<std::mutex> lock(background.mutex);
  std::vector<TaskPointer> needs = tasks_of(stream, true);
  if (after && !after->done) needs.push_back(after);
  if (needs.empty()) return nullptr;
  const TaskPointer task = new_task(stream, std::move(work));
  for (const TaskPointer &other : needs) other->followers.push_back(task);
  task->needed = (unsigned)needs.size();
  task->kept = true;
  background.remember(task);
  return task;
}

// Hands the task to another OS thread; returns when it has ended, its threads wait or, where `patience` is not 0, so many
// seconds are over. The lock is held afterwards where it has not ended.
static std::unique_lock<std::mutex> begin_and_look(const TaskPointer &task, double patience) {
  Background &background = Background::get();
  std::unique_lock<std::mutex> lock(background.mutex);
  background.begin(task);
  lock.unlock();
  if (soon([&] { return task->done.load(std::memory_order_acquire); })) return lock;
  const double start = patience > 0 ? seconds() : 0;
  lock.lock();
  while (!task->done) {
    if (modelling && stands_still(*task)) task->waits = true;
    if (task->waits || (patience > 0 && seconds() - start > patience)) return lock;
    background.changed.wait_for(lock, LOOK);
  }
  lock.unlock();
  return lock;
}

cudaError_t run_beside(const CUstream_st &stream, Job work, double patience) {
  const TaskPointer task = new_task(stream, std::move(work));
  const std::unique_lock<std::mutex> lock = begin_and_look(task, patience);
  if (!lock.owns_lock()) return task->result;
  Background::get().remember(task);
  return cudaSuccess;
}

TaskPointer run_part(Job work, double patience) {
  const TaskPointer task = std::make_shared<Task>();
  task->work = std::move(work);
  begin_and_look(task, patience);
  return task;
}

void wait_for_a_part(const std::vector<TaskPointer> &parts) {
  const auto ended = [&] { return std::any_of(parts.begin(), parts.end(), [](const TaskPointer &p) { return p->done.load(); }); };
  if (!ended()) say_that_it_waits(*this_task);
  std::unique_lock<std::mutex> lock(Background::get().mutex);
  Background::get().changed.wait(lock, ended);
}

void say_that_it_waits(Task &task) {
  Background &background = Background::get();
  std::lock_guard<std::mutex> lock(background.mutex);
  task.waits = true;
  background.changed.notify_all();
}

void join(const CUstream_st &stream) {
  if (!any_unfinished() || this_task) return;
  std::unique_lock<std::mutex> lock(Background::get().mutex);
  wait_for(tasks_of(stream, false), lock);
}

void join(const TaskPointer &task) {
  if (!task || task->done || this_task) return;
  std::unique_lock<std::mutex> lock(Background::get().mutex);
  wait_for({task}, lock);
}

void join_all() {
  if (!any_unfinished() || this_task) return;
  std::unique_lock<std::mutex> lock(Background::get().mutex);
  wait_for(std::vector<TaskPointer>(Background::get().known), lock);
}

bool has_ended(const CUstream_st &stream) {
  if (!any_unfinished()) return true;
  std::lock_guard<std::mutex> lock(Background::get().mutex);
  return tasks_of(stream, false).empty();
}

bool has_ended(const TaskPointer &task) { return !task || task->done.load(std::memory_order_acquire); }

}  // namespace gpuopt_emu
