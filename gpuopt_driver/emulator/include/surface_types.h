#ifndef GPUOPT_SURFACE_TYPES_H
#define GPUOPT_SURFACE_TYPES_H
#include "cuda_runtime.h"
#endif
