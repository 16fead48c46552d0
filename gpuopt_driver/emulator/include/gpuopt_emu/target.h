#ifndef GPUOPT_EMU_TARGET_H
#define GPUOPT_EMU_TARGET_H

// The loops that kernels are inlined into are compiled as kernels are (emulator/kernels.py, Dialect).
#ifdef GPUOPT_EMU_TARGET
#define GPUOPT_EMU_DEVICE __attribute__((target(GPUOPT_EMU_TARGET)))
#else
#define GPUOPT_EMU_DEVICE
#endif

// What templates for one number and for packs of them (packs.h) are, where that has to be said.
#ifndef GPUOPT_EMU_ALWAYS
#define GPUOPT_EMU_ALWAYS
#endif
#define GPUOPT_EMU_TEMPLATE inline GPUOPT_EMU_DEVICE GPUOPT_EMU_ALWAYS

namespace gpuopt_emu {

// 1 in the text that is compiled with instrumentation (emulator/objects.py): there every thread is known while it runs.
enum Instrumented { INSTRUMENTED = 0 };

}  // namespace gpuopt_emu

#endif
