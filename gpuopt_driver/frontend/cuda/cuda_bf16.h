#pragma once
#define __CUDA_BF16_H__  // the toolkit's other headers include their neighbour otherwise
#define __CUDA_BF16_HPP__
#include "gpuopt_cuda.h"
#pragma clang force_cuda_host_device begin
#include "gpuopt/small_float.h"

GPUOPT_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
unsigned short __bfloat16_as_ushort(__nv_bfloat16);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short);

#pragma clang force_cuda_host_device end
