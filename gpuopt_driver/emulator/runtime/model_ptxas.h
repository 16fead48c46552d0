// Registers of kernels as nvcc's assembler told them, for those who have nvcc but not the GPU.
#ifndef GPUOPT_EMU_MODEL_PTXAS_H
#define GPUOPT_EMU_MODEL_PTXAS_H

namespace gpuopt_emu {

struct Kernel;

// Of a thread, by what `nvcc -Xptxas -v` printed into the file that GPUOPT_EMU_REGISTERS names. 0: there is no such file,
// or the kernel is not in it. Instantiations of one template count as the one that takes most.
unsigned registers_told(const Kernel &kernel);

}  // namespace gpuopt_emu

#endif
