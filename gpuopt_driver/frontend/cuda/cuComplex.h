#pragma once
#include "gpuopt_cuda.h"
#pragma clang force_cuda_host_device begin

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define GPUOPT_COMPLEX(C, T, SUFFIX) \
    T cuCreal##SUFFIX(C); \
    T cuCimag##SUFFIX(C); \
    T cuCabs##SUFFIX(C); \
    C cuConj##SUFFIX(C); \
    C cuCadd##SUFFIX(C, C); \
    C cuCsub##SUFFIX(C, C); \
    C cuCmul##SUFFIX(C, C); \
    C cuCdiv##SUFFIX(C, C); \
    C cuCfma##SUFFIX(C, C, C);
GPUOPT_COMPLEX(cuDoubleComplex, double, )
GPUOPT_COMPLEX(cuFloatComplex, float, f)
cuComplex make_cuComplex(float, float);
cuFloatComplex make_cuFloatComplex(float, float);
cuDoubleComplex make_cuDoubleComplex(double, double);

#pragma clang force_cuda_host_device end
