/* The driver API beyond queries: contexts, memory, streams, events, and launches of kernels that the program holds.
   What would load GPU code is an error of the compiler's where it is called. */
#ifndef GPUOPT_EMU_DRIVER_API_H
#define GPUOPT_EMU_DRIVER_API_H

typedef CUdevice CUdevice_v1;
typedef CUdeviceptr CUdeviceptr_v2;
typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET = 9
} CUjit_option;
typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;
enum { CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8 };
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };

#if defined(__has_attribute)
#if __has_attribute(error)
#define GPUOPT_EMU_NO_CODE __attribute__((__error__("the emulator loads no GPU code (cubin, PTX, fatbin): compile the kernels with the program, or build with nvcc")))
#endif
#endif
#ifndef GPUOPT_EMU_NO_CODE
#define GPUOPT_EMU_NO_CODE
#endif

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxSynchronize(void);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags);
CUresult cuMemFree(CUdeviceptr at);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr at);
CUresult cuMemAllocHost(void **at, size_t bytes);
CUresult cuMemFreeHost(void *at);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count);

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

/* A function as cudaGetFuncBySymbol gives it. */
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **parameters, void **extra);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);

GPUOPT_EMU_NO_CODE CUresult cuModuleLoad(CUmodule *module, const char *file);
GPUOPT_EMU_NO_CODE CUresult cuModuleLoadData(CUmodule *module, const void *image);
GPUOPT_EMU_NO_CODE CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                                               CUjit_option *options, void **values);
GPUOPT_EMU_NO_CODE CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
GPUOPT_EMU_NO_CODE CUresult cuModuleUnload(CUmodule module);
GPUOPT_EMU_NO_CODE CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
GPUOPT_EMU_NO_CODE CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name);
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUlib_st *CUlibrary;
GPUOPT_EMU_NO_CODE CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state);
GPUOPT_EMU_NO_CODE CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values,
                                              unsigned int count, void *more, void **more_values, unsigned int more_count);
#ifdef __cplusplus
}
#endif

#include "driver_memory.h"

#endif
