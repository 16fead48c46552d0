#ifndef GPUOPT_CUDA_DEVICE_RUNTIME_API_H
#define GPUOPT_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif
