#ifndef GPUOPT_DEVICE_DOUBLE_FUNCTIONS_H
#define GPUOPT_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
