#ifndef GPUOPT_TEXTURE_FETCH_FUNCTIONS_H
#define GPUOPT_TEXTURE_FETCH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
