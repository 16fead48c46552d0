#ifndef GPUOPT_CURAND_LOGNORMAL_H
#define GPUOPT_CURAND_LOGNORMAL_H
#include "curand_kernel.h"
#endif
