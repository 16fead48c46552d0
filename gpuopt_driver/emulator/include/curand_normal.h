#ifndef GPUOPT_CURAND_NORMAL_H
#define GPUOPT_CURAND_NORMAL_H
#include "curand_kernel.h"
#endif
