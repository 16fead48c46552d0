// Registers of proposed hardware that programs may set: they do nothing outside model mode.
#ifndef GPUOPT_EMU_MODEL_REGISTERS_H
#define GPUOPT_EMU_MODEL_REGISTERS_H

#include "model_gpu.h"

namespace gpuopt_emu {

struct Kernel;

// What the program asked for, Dispatch::unset and 0 where it did not.
Dispatch mapping_of(const Kernel &kernel);
unsigned priority_group_of(const Kernel &kernel);

}  // namespace gpuopt_emu

extern "C" {
// The CTA mapping register (locality-aware CTA mapping, algorithm 3): how blocks of the kernel's launches from now on
// are shared out. 0: in turns, 1: along x, 2: along y. `kernel` as cudaLaunchKernel takes it; null: of all kernels.
void gpuopt_emu_cta_mapping(const void *kernel, int direction);
// The programmable warp scheduler: so many warps of a multiprocessor go first. 0: as the GPU does.
void gpuopt_emu_priority_group(const void *kernel, int warps);
}

#endif
