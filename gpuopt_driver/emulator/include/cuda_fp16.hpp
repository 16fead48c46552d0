#ifndef GPUOPT_CUDA_FP16_HPP
#define GPUOPT_CUDA_FP16_HPP
#include "cuda_fp16.h"
#endif
