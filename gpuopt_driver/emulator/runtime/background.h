// Work that goes on while the program does.
//
// Launches are done when they are given, so that programs run alike each time. But a kernel may wait for what the program
// does after the launch: for a flag that the host sets, or for a kernel in another stream. Launches that may are run by OS
// threads of our own, and the caller waits for them; once their threads have done nothing but wait for a while, the
// caller goes on. What is then given to streams that are ordered with that launch's is kept, and done in its turn.
#ifndef GPUOPT_EMU_BACKGROUND_H
#define GPUOPT_EMU_BACKGROUND_H

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"

namespace gpuopt_emu {

typedef std::function<cudaError_t()> Job;

// Something that was given to a stream. All but the atomics belong to whoever holds the lock of background.cpp.
struct Task {
  Job work;
  unsigned long long stream = 0;  // its number
  bool legacy = false;            // in the default stream that waits for the others
  bool blocking = false;          // in one that the default stream waits for
  bool kept = false;              // given behind others, which have to end first
  bool known = false;             // the program goes on without it
  unsigned needed = 0;            // tasks that have to end before it begins
  std::vector<std::shared_ptr<Task>> followers;
  cudaError_t result = cudaSuccess;
  double ended = 0;               // as events note it
  std::atomic<bool> waits{false};  // its threads do nothing but wait
  std::atomic<bool> done{false};
};
typedef std::shared_ptr<Task> TaskPointer;

// Tasks that the program has gone on without and that have not ended. None in most programs: then nothing is ordered here.
extern std::atomic<unsigned> unfinished;
static inline bool any_unfinished() { return __builtin_expect(unfinished.load(std::memory_order_acquire) != 0, 0); }

// The task that this OS thread, or a launch by one of its device threads, works on; null for the program's own threads.
extern __thread Task *this_task;

// Keeps the work for later if something comes before it that has not ended, and `after`, where that is not null; null
// if nothing does.
TaskPointer defer(const CUstream_st &stream, Job work, const TaskPointer &after = nullptr);
// Does it on another OS thread. Returns its result, or success once all its threads wait or, where `patience` is not 0,
// so many seconds are over.
cudaError_t run_beside(const CUstream_st &stream, Job work, double patience);
// Any thread of the task's work: from here on nobody else need wait for it.
void say_that_it_waits(Task &task);

// Parts of the calling thread's task, which may wait for each other. The first returns when the part has ended or as
// run_beside does, the other when one of the parts has ended: until then the task itself waits.
TaskPointer run_part(Job work, double patience);
void wait_for_a_part(const std::vector<TaskPointer> &parts);

// These return when what was given before has ended; at once in a task, which must not wait for itself.
void join(const CUstream_st &stream);
void join(const TaskPointer &task);
void join_all();
bool has_ended(const CUstream_st &stream);
bool has_ended(const TaskPointer &task);

}  // namespace gpuopt_emu

#endif
