// The driver API's queries, answered by the runtime API.
#include <stdio.h>

#include "cuda.h"

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { return (CUresult)cudaDriverGetVersion(version); }
CUresult cuDeviceGetCount(int *count) { return (CUresult)cudaGetDeviceCount(count); }
CUresult cuDeviceGet(CUdevice *device, int number) {
  if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) snprintf(name, (size_t)size, "%s", properties.name);
  return (CUresult)error;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { return (CUresult)cudaMemGetInfo(nullptr, bytes); }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return (CUresult)cudaDeviceGetAttribute(value, (cudaDeviceAttr)attribute, device);
}
CUresult cuMemGetInfo(size_t *available, size_t *total) { return (CUresult)cudaMemGetInfo(available, total); }
CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = cudaGetErrorString((cudaError_t)error);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = cudaGetErrorName((cudaError_t)error);
  return CUDA_SUCCESS;
}
}
