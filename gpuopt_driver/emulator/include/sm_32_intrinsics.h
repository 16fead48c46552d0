#ifndef GPUOPT_SM_32_INTRINSICS_H
#define GPUOPT_SM_32_INTRINSICS_H
#include "cuda_runtime.h"
#endif
