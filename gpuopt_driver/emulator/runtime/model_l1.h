// The memory side of one multiprocessor: L1, shared memory, constants, and the way to L2.
#ifndef GPUOPT_EMU_MODEL_L1_H
#define GPUOPT_EMU_MODEL_L1_H

#include "model_memory.h"
#include "model_window.h"

namespace gpuopt_emu {

struct ModelWarp;

// Told which lines warps lose, and which they miss.
class LineWatcher {
 public:
  virtual ~LineWatcher() = default;
  virtual void lost(const void *owner, uint64_t line) = 0;
  virtual void missed(ModelWarp *warp, uint64_t line) = 0;
};

class MemoryPath {
 public:
  void set_up(unsigned number, const ModelFigures &figures, size_t l1_bytes, DeviceMemory *device);
  // When the results of an instruction that begins now are there.
  uint64_t access(const WarpInstruction &instruction, const Part *parts, uint64_t now, Counters &counters);

  double l1_busy = 0, shared_busy = 0;  // cycles
  LineWatcher *watcher = nullptr;
  ModelWarp *who = nullptr;  // accesses

 private:
  uint64_t load(const WarpInstruction &instruction, const Part *parts, uint64_t now, Counters &counters);
  void store(const WarpInstruction &instruction, const Part *parts, uint64_t now, Counters &counters);
  uint64_t update(const WarpInstruction &instruction, const Part *parts, uint64_t now, Counters &counters);
  uint64_t load_part(const OperatorFigures &with, Part part, uint64_t now, Counters &counters);
  void drop(uint64_t line);
  uint64_t take_l1(const Part *parts, unsigned count, uint64_t now);
  uint64_t fetch(uint64_t line, unsigned sectors, uint64_t now, Counters &counters);

  const ModelFigures *figures_ = nullptr;
  DeviceMemory *device_ = nullptr;
  Cache l1_;
  bool has_l1_ = false;
  unsigned group_ = 0;
  double l1_free_ = 0, shared_free_ = 0, port_free_ = 0;
};

}  // namespace gpuopt_emu

#endif
