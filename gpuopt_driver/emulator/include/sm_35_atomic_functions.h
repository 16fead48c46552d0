#ifndef GPUOPT_SM_35_ATOMIC_FUNCTIONS_H
#define GPUOPT_SM_35_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
