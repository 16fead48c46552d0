#ifndef GPUOPT_CURAND_POISSON_H
#define GPUOPT_CURAND_POISSON_H
#include "curand_kernel.h"
#endif
