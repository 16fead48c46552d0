#ifndef GPUOPT_SM_20_ATOMIC_FUNCTIONS_H
#define GPUOPT_SM_20_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
