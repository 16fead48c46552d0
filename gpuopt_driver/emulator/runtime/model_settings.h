// What the environment says about the model, read once.
#ifndef GPUOPT_EMU_MODEL_SETTINGS_H
#define GPUOPT_EMU_MODEL_SETTINGS_H

#include "model_gpu.h"

namespace gpuopt_emu {

struct ModelSettings {
  Issue issue;              // GPUOPT_EMU_SCHEDULER, else the GPU's
  Dispatch dispatch;        // GPUOPT_EMU_DISPATCH (or GPUOPT_EMU_CTA_MAPPING), else the GPU's
  unsigned window;          // GPUOPT_EMU_WINDOW: accesses that a thread runs ahead
  bool ahead;               // GPUOPT_EMU_AHEAD: multiprocessors go on alone while nobody else can notice
  int carveout;             // GPUOPT_EMU_CARVEOUT: percent of shared memory where a kernel has no wish; -1: none
  bool keep_l2;             // GPUOPT_EMU_L2: kept (default) or cold
  unsigned group;           // GPUOPT_EMU_GROUP: warps of high priority
  unsigned victims;         // GPUOPT_EMU_VICTIMS: lines that a warp remembers (CCWS)
  unsigned registers;       // GPUOPT_EMU_REGISTERS: of a thread, 0: estimated, or told by a file
  const char *told;         // GPUOPT_EMU_REGISTERS: what ptxas said, null where it is a number
  unsigned sample;          // GPUOPT_EMU_SAMPLE: blocks to model of a launch, 0: all
  unsigned launches;        // GPUOPT_EMU_LAUNCHES: of each kernel that are modelled, 0: all
  unsigned more_blocks;     // GPUOPT_EMU_SMM: beyond those of static shared memory, for kernels that take theirs
  int loads;                // GPUOPT_EMU_LOADS: 1 ca, 2 cg for all plain loads; 0: as compiled
  unsigned long seed;       // GPUOPT_EMU_SEED: of random dispatch
};

const ModelSettings &model_settings();

}  // namespace gpuopt_emu

#endif
