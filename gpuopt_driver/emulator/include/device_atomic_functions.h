#ifndef GPUOPT_DEVICE_ATOMIC_FUNCTIONS_H
#define GPUOPT_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
