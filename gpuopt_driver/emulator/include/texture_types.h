#ifndef GPUOPT_TEXTURE_TYPES_H
#define GPUOPT_TEXTURE_TYPES_H
#include "driver_types.h"
#endif
