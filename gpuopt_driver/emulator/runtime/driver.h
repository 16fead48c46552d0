// The driver API's functions ask whether it was initialized, and whether the calling thread has a context.
#ifndef GPUOPT_EMU_DRIVER_H
#define GPUOPT_EMU_DRIVER_H

#include <stdint.h>

#include "cuda.h"
#include "state.h"

namespace gpuopt_emu {

bool driver_started();        // by cuInit, or because the program has called the runtime API
CUcontext current_context();  // of this thread; null: none
inline void *address(CUdeviceptr at) { return reinterpret_cast<void *>((uintptr_t)at); }

// While it lives, calls of the runtime API make no context current and leave no error for cudaGetLastError.
class Unnoticed {
 public:
  Unnoticed();
  ~Unnoticed();

 private:
  bool used_;
  cudaError_t last_;
};

}  // namespace gpuopt_emu

#define GPUOPT_EMU_STARTED() \
  if (!gpuopt_emu::driver_started()) return CUDA_ERROR_NOT_INITIALIZED
#define GPUOPT_EMU_IN_CONTEXT() \
  GPUOPT_EMU_STARTED();         \
  if (!gpuopt_emu::current_context()) return CUDA_ERROR_INVALID_CONTEXT; \
  const gpuopt_emu::Unnoticed gpuopt_calls

#endif
