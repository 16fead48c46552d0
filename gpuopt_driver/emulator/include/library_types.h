#ifndef GPUOPT_LIBRARY_TYPES_H
#define GPUOPT_LIBRARY_TYPES_H
#include "cuda_runtime.h"
#endif
