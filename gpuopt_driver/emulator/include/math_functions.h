#ifndef GPUOPT_MATH_FUNCTIONS_H
#define GPUOPT_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
