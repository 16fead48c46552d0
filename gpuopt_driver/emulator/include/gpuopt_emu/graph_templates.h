// Graph functions that changed their parameters between CUDA 11, 12 and 13, as overloads.
#ifndef GPUOPT_EMU_GRAPH_TEMPLATES_H
#define GPUOPT_EMU_GRAPH_TEMPLATES_H

#include "../cuda_runtime_api.h"

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
// CUDA 11
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *text,
                                               size_t bytes) {
  if (node) *node = nullptr;
  if (text && bytes) *text = 0;
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                              cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (node) *node = info.errorNode;
  if (result) *result = info.result;
  return error;
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *number = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, number, nullptr, nullptr, nullptr);
}
static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                      unsigned long long *number = nullptr, cudaGraph_t *graph = nullptr,
                                                      const cudaGraphNode_t **needs = nullptr, size_t *count = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, number, graph, needs, count);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *number, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **needs = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, number, graph, needs, nullptr);
}
// CUDA 13 (and CUDA 12 under names of their own): with data of edges. All edges are plain here: their data are zeros.
namespace gpuopt_emu {
const cudaGraphEdgeData *plain_edges(size_t count);
static inline void fill_edges(cudaGraphEdgeData *edges, size_t count, cudaError_t error) {
  if (edges && error == cudaSuccess) __builtin_memset((void *)edges, 0, count * sizeof *edges);
}
}  // namespace gpuopt_emu
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *number, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **needs, const cudaGraphEdgeData **edges,
                                                   size_t *count) {
  size_t number_of_edges = 0;
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, status, number, graph, needs, &number_of_edges);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  if (count) *count = number_of_edges;
  if (edges) *edges = gpuopt_emu::plain_edges(number_of_edges);
  return error;
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs, size_t count) {
  return cudaStreamUpdateCaptureDependencies(stream, needs, count, 0);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs,
                                                              const cudaGraphEdgeData *, size_t count,
                                                              unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, needs, count, flags);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, const cudaGraphEdgeData *, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                                      size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, count);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                            cudaGraphEdgeData *edges, size_t *count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
  gpuopt_emu::fill_edges(edges, room, error);
  return error;
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                       cudaGraphEdgeData *edges, size_t *count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphNodeGetDependencies(node, nodes, count);
  gpuopt_emu::fill_edges(edges, room, error);
  return error;
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                         cudaGraphEdgeData *edges, size_t *count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphNodeGetDependentNodes(node, nodes, count);
  gpuopt_emu::fill_edges(edges, room, error);
  return error;
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                           const cudaGraphEdgeData *, size_t count, cudaGraphNodeParams *params) {
  return cudaGraphAddNode(node, graph, needs, count, params);
}
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaGraphAddNode_v2 cudaGraphAddNode

// Device code decides what conditional nodes do.
namespace gpuopt_emu {
unsigned *condition_value(cudaGraphConditionalHandle handle);
}
static inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  if (unsigned *const place = gpuopt_emu::condition_value(handle)) __atomic_store_n(place, value, __ATOMIC_SEQ_CST);
}

#endif
