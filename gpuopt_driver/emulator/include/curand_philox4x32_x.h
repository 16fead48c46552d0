#ifndef GPUOPT_CURAND_PHILOX4X32_X_H
#define GPUOPT_CURAND_PHILOX4X32_X_H
#include "curand_kernel.h"
#endif
