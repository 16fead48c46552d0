// How many blocks of a kernel an SM holds.
#ifndef GPUOPT_EMU_OCCUPANCY_H
#define GPUOPT_EMU_OCCUPANCY_H

#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

size_t static_shared(const Kernel &kernel);         // bytes, with those of device functions
int registers(const Kernel &kernel);                // per thread: an estimate, there is no device compiler
size_t dynamic_shared_limit(const Kernel &kernel);  // bytes that a launch may ask for
int resident_blocks_with(const Kernel &kernel, int threads, size_t shared);  // bytes of a block, all in all
unsigned largest_cluster(const Kernel &kernel);     // blocks that a launch's clusters may have
size_t parameter_offset(const Kernel &kernel, unsigned number);  // in bytes, where parameters lie one after the other
int resident_blocks(const Kernel &kernel, int threads, size_t dynamic_shared);  // per SM

}  // namespace gpuopt_emu

#endif
