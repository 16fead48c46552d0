// One launch's trace on its way to a file, in one of two formats.
#ifndef GPUOPT_EMU_TRACE_FILE_H
#define GPUOPT_EMU_TRACE_FILE_H

#include <stdio.h>

#include <memory>
#include <string>

#include "events.h"
#include "model_gpu.h"
#include "model_sites.h"
#include "trace_stream.h"
#include "worker.h"

namespace gpuopt_emu {

// An instruction of the kernel that accesses memory.
struct TracedPlace {
  Space space;
  Access kind;
  Operator with;
  unsigned bytes;
  unsigned before;  // most arithmetic instructions that came before it
  const Spot *spot;
};

struct TracedLaunch {
  const Grid *grid;
  unsigned number;     // of the launch, from 1
  unsigned stream;     // 0: the default one
  unsigned registers;  // of a thread
  size_t shared;       // bytes of a block
};

struct TracedWarp {
  Chain chain;
  uint64_t instructions;  // with the arithmetic ones
};

class TraceFile {
 public:
  virtual ~TraceFile();
  // Blocks come in ascending order.
  virtual void block(unsigned long long number, const std::vector<TracedWarp> &warps, const Spool &spool) = 0;
  virtual void end() = 0;

 protected:
  TraceFile(const std::string &path, const TracedLaunch &launch, const std::vector<TracedPlace> &places);
  void close();

  FILE *file_;
  TracedLaunch launch_;
  const std::vector<TracedPlace> &places_;  // by number, from Traced::FIRST_PLACE on
};

// `directory`: where traces go. The place table may grow until the end of the launch.
std::unique_ptr<TraceFile> accel_sim_trace(const std::string &directory, const TracedLaunch &launch,
                                           const std::vector<TracedPlace> &places);
std::unique_ptr<TraceFile> compact_trace(const std::string &directory, const TracedLaunch &launch,
                                         const std::vector<TracedPlace> &places);
const char *trace_opcode(const TracedPlace &place);  // in SASS, of the GPU that is played

}  // namespace gpuopt_emu

#endif
