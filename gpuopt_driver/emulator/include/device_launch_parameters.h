#ifndef GPUOPT_DEVICE_LAUNCH_PARAMETERS_H
#define GPUOPT_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"
#endif
