#include "launch_times.h"

#include <errno.h>
#include <map>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <time.h>

namespace gpuopt_emu {

namespace {

struct Taken {
  unsigned long long launches;
  double seconds;
};

// The file that GPUOPT_EMU_TIMES names: kernel, launches, seconds; one line for each kernel, written at the end.
class Times {
 public:
  static Times &get() {
    static Times *times = new Times;
    return *times;
  }
  bool wanted() const { return path_ != nullptr; }
  void add(const Kernel &kernel, double seconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    Taken &taken = taken_[kernel.name];
    ++taken.launches;
    taken.seconds += seconds;
  }

 private:
  Times() : path_(getenv("GPUOPT_EMU_TIMES")) {
    if (path_ && !*path_) path_ = nullptr;
    if (path_) atexit([] { get().write(); });
  }
  void write() {
    std::lock_guard<std::mutex> lock(mutex_);
    FILE *file = fopen(path_, "w");
    if (!file) {
      fprintf(stderr, "gpuopt emulator: GPUOPT_EMU_TIMES=%s: cannot be written: %s\n", path_, strerror(errno));
      return;
    }
    for (const auto &one : taken_) fprintf(file, "%s\t%llu\t%.9f\n", one.first.c_str(), one.second.launches, one.second.seconds);
    fclose(file);
  }

  const char *path_;
  std::mutex mutex_;
  std::map<std::string, Taken> taken_;
};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

}  // namespace

LaunchTime::LaunchTime(const Kernel &kernel) : kernel_(kernel), start_(Times::get().wanted() ? processor_seconds() : 0) {}
LaunchTime::~LaunchTime() {
  if (Times::get().wanted()) Times::get().add(kernel_, processor_seconds() - start_);
}

}  // namespace gpuopt_emu
