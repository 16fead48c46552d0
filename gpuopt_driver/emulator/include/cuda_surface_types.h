#ifndef GPUOPT_CUDA_SURFACE_TYPES_H
#define GPUOPT_CUDA_SURFACE_TYPES_H
#include "cuda_runtime.h"
#endif
