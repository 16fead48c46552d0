#pragma once
#define __CUDA_FP16_H__  // the toolkit's other headers include their neighbour otherwise
#define __CUDA_FP16_HPP__
#include "gpuopt_cuda.h"
#pragma clang force_cuda_host_device begin
#include "gpuopt/small_float.h"

GPUOPT_SMALL_FLOAT(__half, __half2, half)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
unsigned short __half_as_ushort(half);
half __ushort_as_half(unsigned short);
short __half_as_short(half);
half __short_as_half(short);

#pragma clang force_cuda_host_device end
