#ifndef GPUOPT_CUDA_TEXTURE_TYPES_H
#define GPUOPT_CUDA_TEXTURE_TYPES_H
#include "cuda_runtime.h"
#endif
