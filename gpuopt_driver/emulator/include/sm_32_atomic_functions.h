#ifndef GPUOPT_SM_32_ATOMIC_FUNCTIONS_H
#define GPUOPT_SM_32_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
