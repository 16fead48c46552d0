// CPU time that launches take, by kernel: for GPUOPT_EMU_TIMES.
#ifndef GPUOPT_EMU_LAUNCH_TIMES_H
#define GPUOPT_EMU_LAUNCH_TIMES_H

#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

// Adds the time of all OS threads while it lives to the kernel's. Of launches at the same time each counts all.
class LaunchTime {
 public:
  explicit LaunchTime(const Kernel &kernel);
  ~LaunchTime();

 private:
  const Kernel &kernel_;
  double start_;
};

}  // namespace gpuopt_emu

#endif
