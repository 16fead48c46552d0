#ifndef GPUOPT_BUILTIN_TYPES_H
#define GPUOPT_BUILTIN_TYPES_H
#include "cuda_runtime.h"
#endif
