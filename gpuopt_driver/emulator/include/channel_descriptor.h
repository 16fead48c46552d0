#ifndef GPUOPT_CHANNEL_DESCRIPTOR_H
#define GPUOPT_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime.h"
#endif
