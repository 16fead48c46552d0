#ifndef GPUOPT_SURFACE_FUNCTIONS_H
#define GPUOPT_SURFACE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
