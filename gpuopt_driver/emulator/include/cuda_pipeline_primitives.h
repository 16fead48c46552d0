#ifndef GPUOPT_CUDA_PIPELINE_PRIMITIVES_H
#define GPUOPT_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_pipeline.h"
#endif
