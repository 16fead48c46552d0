// The driver API's streams, events and launches of kernels that the program holds.
#include <algorithm>
#include <vector>

#include "cuda_runtime.h"
#include "driver.h"
#include "occupancy.h"

using namespace gpuopt_emu;

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  return stream ? (CUresult)cudaStreamCreateWithFlags(stream, flags) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  GPUOPT_EMU_IN_CONTEXT();
  return stream ? (CUresult)cudaStreamCreateWithPriority(stream, flags, priority) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamDestroy(CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamDestroy(stream);
}
CUresult cuStreamSynchronize(CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamSynchronize(stream);
}
CUresult cuStreamQuery(CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamQuery(stream);
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamGetFlags(stream, flags);
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamGetPriority(stream, priority);
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  if (flags > cudaEventWaitExternal) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)cudaStreamWaitEvent(stream, event, flags);
}
CUresult cuEventDestroy(CUevent event) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaEventDestroy(event);
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaEventRecord(event, stream);
}
CUresult cuEventQuery(CUevent event) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaEventQuery(event);
}
CUresult cuEventSynchronize(CUevent event) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaEventSynchronize(event);
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaEventElapsedTime(milliseconds, start, end);
}
CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  GPUOPT_EMU_IN_CONTEXT();
  return event ? (CUresult)cudaEventCreateWithFlags(event, flags) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaStreamIsCapturing(stream, status);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaThreadExchangeStreamCaptureMode(mode);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaLaunchHostFunc(stream, function, data);
}

// Parameters one after the other, as `extra` has them: CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE.
static bool unpacked(const Kernel &kernel, void **extra, std::vector<void *> &parameters) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char *>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<size_t *>(extra[1]);
    else return false;
  }
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    const size_t at = parameter_offset(kernel, i);
    if (!buffer || at + kernel.parameter_bytes[i] > bytes) return false;
    parameters.push_back(buffer + at);
  }
  return true;
}


CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **parameters, void **extra) {
  GPUOPT_EMU_IN_CONTEXT();
  const Kernel *const kernel = kernel_at(reinterpret_cast<const void *>(function));
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (parameters && extra) return CUDA_ERROR_INVALID_VALUE;
  std::vector<void *> copies;
  if (extra && !unpacked(*kernel, extra, copies)) return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)cudaLaunchKernel(reinterpret_cast<const void *>(function), dim3(grid_x, grid_y, grid_z),
                                 dim3(block_x, block_y, block_z), extra ? copies.data() : parameters, shared, stream);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                                   CUstream stream, void **parameters) {
  GPUOPT_EMU_IN_CONTEXT();
  if (!kernel_at(reinterpret_cast<const void *>(function))) return CUDA_ERROR_INVALID_HANDLE;
  return (CUresult)cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(function), dim3(grid_x, grid_y, grid_z),
                                            dim3(block_x, block_y, block_z), parameters, shared, stream);
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  GPUOPT_EMU_STARTED();
  cudaFuncAttributes a;
  if (!attributes_of(reinterpret_cast<const void *>(function), a)) return CUDA_ERROR_INVALID_HANDLE;
  const int all[] = {a.maxThreadsPerBlock, (int)a.sharedSizeBytes, (int)a.constSizeBytes, (int)a.localSizeBytes, a.numRegs,
                     a.ptxVersion, a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout,
                     a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth,
                     a.nonPortableClusterSizeAllowed, a.clusterSchedulingPolicyPreference};
  if (!value || (unsigned)attribute >= sizeof(all) / sizeof(all[0])) return CUDA_ERROR_INVALID_VALUE;
  *value = all[attribute];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaFuncSetAttribute(reinterpret_cast<const void *>(function), (cudaFuncAttribute)attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaFuncSetCacheConfig(reinterpret_cast<const void *>(function), (cudaFuncCache)config);
}
CUresult cuFuncGetName(const char **name, CUfunction function) {
  GPUOPT_EMU_STARTED();
  const Unnoticed calls;
  return (CUresult)cudaFuncGetName(name, reinterpret_cast<const void *>(function));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) {
  GPUOPT_EMU_IN_CONTEXT();
  return (CUresult)cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(function), threads, shared);
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  GPUOPT_EMU_IN_CONTEXT();
  const auto of = [=](int threads) { return shared_of ? shared_of(threads) : shared; };
  return (CUresult)cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, reinterpret_cast<const void *>(function), of, limit);
}
}
