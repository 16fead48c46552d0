#ifndef GPUOPT_COMMON_FUNCTIONS_H
#define GPUOPT_COMMON_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
