// The runtime API's C++ overloads: typed pointers, kernels by name, symbols by reference.
#ifndef GPUOPT_EMU_RUNTIME_TEMPLATES_H
#define GPUOPT_EMU_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return cudaMalloc((void **)(void *)pointer, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
static inline cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(pointer, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
  return cudaMemAdvise_v2(pointer, bytes, advice, place);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation place, unsigned int flags,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync_v2(pointer, bytes, place, flags, stream);
}
// As in CUDA 12.8: the number of the copy that was wrong is not told.
static inline cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t count,
                                               cudaMemcpyAttributes *attributes, size_t *first, size_t kinds, size_t *failed,
                                               cudaStream_t stream) {
  if (failed) *failed = (size_t)-1;
  return cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first, kinds, stream);
}
static inline cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *wanted, size_t *failed,
                                                 unsigned long long flags, cudaStream_t stream) {
  if (failed) *failed = (size_t)-1;
  return cudaMemcpy3DBatchAsync(count, wanted, flags, stream);
}

// Variables live in host memory under their own address. The runtime is told of managed ones where they are declared
// (qualifiers.py), of the others when something is asked of them.
namespace gpuopt_emu {
struct ManagedVariable {
  const void *address;
  size_t bytes;
  const ManagedVariable *next;
  ManagedVariable(const void *address, size_t bytes);
};
// Notes the variable; which error answers a copy of `bytes` at `offset` of it in this direction.
cudaError_t check_symbol(const void *address, size_t size, size_t bytes, size_t offset, cudaMemcpyKind kind, bool to_symbol);
template <class T> static inline cudaError_t check_address_of(const T &symbol) {
  return check_symbol((const void *)&symbol, sizeof(T), 0, 0, cudaMemcpyDefault, true);
}
template <class T>
static inline cudaError_t check_copy_of(const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, bool to_symbol) {
  if (!bytes && !offset) return cudaSuccess;  // whatever it is a copy of
  return check_symbol((const void *)&symbol, sizeof(T), bytes, offset, kind, to_symbol);
}
}  // namespace gpuopt_emu

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  const cudaError_t error = gpuopt_emu::check_copy_of(symbol, bytes, offset, kind, true);
  return error == cudaSuccess ? cudaMemcpy((char *)(void *)&symbol + offset, from, bytes, kind) : error;
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  const cudaError_t error = gpuopt_emu::check_copy_of(symbol, bytes, offset, kind, false);
  return error == cudaSuccess ? cudaMemcpy(to, (const char *)(const void *)&symbol + offset, bytes, kind) : error;
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  const cudaError_t error = gpuopt_emu::check_copy_of(symbol, bytes, offset, kind, true);
  return error == cudaSuccess ? cudaMemcpyAsync((char *)(void *)&symbol + offset, from, bytes, kind, stream) : error;
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  const cudaError_t error = gpuopt_emu::check_copy_of(symbol, bytes, offset, kind, false);
  return error == cudaSuccess ? cudaMemcpyAsync(to, (const char *)(const void *)&symbol + offset, bytes, kind, stream) : error;
}
namespace gpuopt_emu {
cudaError_t record(cudaError_t error);
static inline bool not_to_symbol(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost; }
static inline bool not_from_symbol(cudaMemcpyKind kind) { return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost; }
static inline cudaError_t wrong_direction() { return record(cudaErrorInvalidMemcpyDirection); }
}  // namespace gpuopt_emu
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *needs, size_t count, const T &symbol,
                                                         const void *from, size_t bytes, size_t offset,
                                                         cudaMemcpyKind kind) {
  if (gpuopt_emu::not_to_symbol(kind)) return gpuopt_emu::wrong_direction();
  char *const to = (char *)(void *)&symbol + offset;
  return cudaGraphAddMemcpyNode1D(node, graph, needs, count, offset + bytes > sizeof(T) ? nullptr : to, from, bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *needs, size_t count, void *to,
                                                           const T &symbol, size_t bytes, size_t offset,
                                                           cudaMemcpyKind kind) {
  if (gpuopt_emu::not_from_symbol(kind)) return gpuopt_emu::wrong_direction();
  const char *const from = (const char *)(const void *)&symbol + offset;
  return cudaGraphAddMemcpyNode1D(node, graph, needs, count, to, offset + bytes > sizeof(T) ? nullptr : from, bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *from,
                                                               size_t bytes, size_t offset, cudaMemcpyKind kind) {
  if (gpuopt_emu::not_to_symbol(kind)) return gpuopt_emu::wrong_direction();
  char *const to = (char *)(void *)&symbol + offset;
  return cudaGraphMemcpyNodeSetParams1D(node, offset + bytes > sizeof(T) ? nullptr : to, from, bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const T &symbol,
                                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
  if (gpuopt_emu::not_from_symbol(kind)) return gpuopt_emu::wrong_direction();
  const char *const from = (const char *)(const void *)&symbol + offset;
  return cudaGraphMemcpyNodeSetParams1D(node, to, offset + bytes > sizeof(T) ? nullptr : from, bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                   const T &symbol, const void *from, size_t bytes,
                                                                   size_t offset, cudaMemcpyKind kind) {
  if (gpuopt_emu::not_to_symbol(kind)) return gpuopt_emu::wrong_direction();
  char *const to = (char *)(void *)&symbol + offset;
  return cudaGraphExecMemcpyNodeSetParams1D(exec, node, offset + bytes > sizeof(T) ? nullptr : to, from, bytes, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                                     const T &symbol, size_t bytes, size_t offset,
                                                                     cudaMemcpyKind kind) {
  if (gpuopt_emu::not_from_symbol(kind)) return gpuopt_emu::wrong_direction();
  const char *const from = (const char *)(const void *)&symbol + offset;
  return cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, offset + bytes > sizeof(T) ? nullptr : from, bytes, kind);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  const cudaError_t error = pointer ? gpuopt_emu::check_address_of(symbol) : cudaErrorInvalidValue;
  if (error == cudaSuccess) *pointer = (void *)&symbol;
  return error;
}
template <class Pp, class T> static inline cudaError_t cudaGetSymbolAddress(Pp **pointer, const T &symbol) {
  return cudaGetSymbolAddress((void **)(void *)pointer, symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  const cudaError_t error = bytes ? gpuopt_emu::check_address_of(symbol) : cudaErrorInvalidValue;
  if (error == cudaSuccess) *bytes = sizeof(T);
  return error;
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                           cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                      size_t shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *symbol) {
  return cudaGetFuncBySymbol(function, (const void *)symbol);
}
template <class... Pp, class... Aa>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Pp...), Aa &&...arguments) {
  return [&](Pp... converted) {
    void *pointers[] = {(void *)&converted..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(static_cast<Aa &&>(arguments)...);
}
template <class T> static inline cudaError_t cudaLaunch(T *function) { return cudaLaunch((const void *)function); }
template <class T> static inline cudaError_t cudaSetupArgument(T argument, size_t offset) {
  return cudaSetupArgument((const void *)&argument, sizeof(T), offset);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
  return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size,
                                                                        size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size, shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
                                                                                 size_t shared, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block_size, shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks,
                                                                    int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, block_size);
}

template <class... Pp>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(Pp...), const cudaLaunchConfig_t *config) {
  return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <class... Pp>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*kernel)(Pp...), const cudaLaunchConfig_t *config) {
  return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}

// The block size that fills an SM best, and the grid that then fills the GPU.
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function,
                                                                         SharedOf shared_of, int limit = 0) {
  cudaFuncAttributes attributes;
  int device = 0, sms = 0, most = 0;
  if (!grid || !block) return cudaErrorInvalidValue;
  cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)function);
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  int size = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < size) size = limit;
  for (size = (size + 31) / 32 * 32; size > 0; size -= 32) {
    const int threads = size < attributes.maxThreadsPerBlock ? size : attributes.maxThreadsPerBlock;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads, shared_of(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads > most) {
      most = blocks * threads;
      *block = threads;
      *grid = blocks * sms;
    }
  }
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared = 0,
                                                             int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, [shared](int) { return shared; }, limit);
}
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T function,
                                                                                  SharedOf shared_of, int limit = 0,
                                                                                  unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, shared_of, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T function,
                                                                      size_t shared = 0, int limit = 0,
                                                                      unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, function, shared, limit);
}

#endif
