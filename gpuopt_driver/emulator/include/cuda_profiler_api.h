#ifndef GPUOPT_CUDA_PROFILER_API_H
#define GPUOPT_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
