#ifndef GPUOPT_CUDA_BF16_HPP
#define GPUOPT_CUDA_BF16_HPP
#include "cuda_bf16.h"
#endif
