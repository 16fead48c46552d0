/* The driver API, as far as it needs no GPU code: versions, types, device queries; the rest is in gpuopt_emu/driver_api.h. */
#ifndef GPUOPT_CUDA_H
#define GPUOPT_CUDA_H

#include "cuda_runtime_api.h"

#define CUDA_VERSION 12080
#define CUDAAPI
#define CUDA_CB

typedef enum cudaError_enum {
#define GPUOPT_DRIVER_ERROR(name, value) name = value,
#include "gpuopt_emu/driver_errors.def"
#undef GPUOPT_DRIVER_ERROR
} CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef enum cudaStreamCaptureMode CUstreamCaptureMode;
typedef enum cudaStreamCaptureStatus CUstreamCaptureStatus;

/* Attributes have the runtime API's values. */
typedef enum CUdevice_attribute_enum {
#define GPUOPT_DRIVER_ATTRIBUTE(name, value) CU_DEVICE_ATTRIBUTE_##name = value,
#include "gpuopt_emu/driver_attributes.def"
#undef GPUOPT_DRIVER_ATTRIBUTE
  CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int number);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuMemGetInfo(size_t *available, size_t *total);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuGetErrorName(CUresult error, const char **text);
#ifdef __cplusplus
}
#endif

#include "gpuopt_emu/driver_api.h"

#endif
