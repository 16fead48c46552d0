// Asynchronous copies to shared memory as C functions: made at once.
#ifndef GPUOPT_CUDA_PIPELINE_H
#define GPUOPT_CUDA_PIPELINE_H

#include "cuda_runtime.h"

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  memcpy(to, from, bytes - zeros);
  memset(static_cast<char *>(to) + bytes - zeros, 0, zeros);
}
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(size_t) {}

#endif
