#ifndef GPUOPT_CURAND_UNIFORM_H
#define GPUOPT_CURAND_UNIFORM_H
#include "curand_kernel.h"
#endif
