// The API that asks graphs what is in them, and gives their nodes other parameters.
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "allocations.h"
#include "arrays.h"
#include "graph.h"

namespace gpuopt_emu {

// The usual form of such answers: the number where there is no room, else as many as fit, and nulls behind them.
static cudaError_t answer(const std::vector<CUgraphNode_st *> &found, cudaGraphNode_t *nodes, size_t *count) {
  if (!count || (nodes && !*count)) return record(cudaErrorInvalidValue);
  if (nodes) {
    for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    *count = std::min(*count, found.size());
  } else {
    *count = found.size();
  }
  return cudaSuccess;
}

template <class Choose> static std::vector<CUgraphNode_st *> chosen(cudaGraph_t graph, Choose choose) {
  std::vector<CUgraphNode_st *> found;
  for (const auto &node : graph->nodes)
    if (choose(*node)) found.push_back(node.get());
  return found;
}

static bool needs(const CUgraphNode_st &node, const CUgraphNode_st *other) {
  return std::find(node.needs.begin(), node.needs.end(), other) != node.needs.end();
}

static cudaError_t is_of(cudaGraphNode_t node, cudaGraphNodeType type, const void *params) {
  GPUOPT_EMU_ENTER();
  return node && node->type == type && params ? cudaSuccess : record(cudaErrorInvalidValue);
}

// Parameters as they are told: without the width of what is copied from and to.
static cudaMemcpy3DParms as_told(cudaMemcpy3DParms copy) {
  copy.srcPtr.xsize = copy.dstPtr.xsize = 0;
  return copy;
}
static const cudaMemsetParams &as_told(const cudaMemsetParams &fill) { return fill; }
static const cudaHostNodeParams &as_told(const cudaHostNodeParams &host) { return host; }

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

// `TYPE *params` to and from the node's `member`.
#define GPUOPT_PARAMETERS(name, kind, TYPE, member, set)                              \
  cudaError_t cudaGraph##name##NodeGetParams(cudaGraphNode_t node, TYPE *params) {    \
    const cudaError_t error = is_of(node, cudaGraphNodeType##kind, params);           \
    if (error == cudaSuccess) *params = as_told(node->member);                        \
    return error;                                                                     \
  }                                                                                   \
  cudaError_t cudaGraph##name##NodeSetParams(cudaGraphNode_t node, const TYPE *params) { \
    const cudaError_t error = is_of(node, cudaGraphNodeType##kind, params);           \
    return error == cudaSuccess ? record(set(*node, *params)) : error;                \
  }

extern "C" {

GPUOPT_PARAMETERS(Memcpy, Memcpy, cudaMemcpy3DParms, copy, set_copy)
GPUOPT_PARAMETERS(Memset, Memset, cudaMemsetParams, fill, set_fill)
GPUOPT_PARAMETERS(Host, Host, cudaHostNodeParams, host, set_host)
#undef GPUOPT_PARAMETERS

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeKernel, params);
  if (error != cudaSuccess) return error;
  // What has not told of its arguments (references, parameters without a name) is kept whole.
  const Configuration &c = node->launch.configuration;
  *params = cudaKernelNodeParams{const_cast<void *>(node->function), c.grid, c.block, (unsigned)c.shared,
                                 node->function ? node->argument_pointers.data() : nullptr, nullptr};
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeKernel, params);
  return error == cudaSuccess ? record(set_kernel(*node, *params)) : error;
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = flat_copy(to, from, bytes, kind);
  return cudaGraphMemcpyNodeSetParams(node, &params);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams *params) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeMemAlloc, params);
  if (error == cudaSuccess) *params = node->memory;
  return error;
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeMemFree, pointer);
  if (error == cudaSuccess) *static_cast<void **>(pointer) = node->memory.dptr;
  return error;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeGraph, graph);
  if (error == cudaSuccess) *graph = node->child.get();
  return error;
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeEventRecord, event);
  if (error == cudaSuccess) *event = node->event;
  return error;
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeWaitEvent, event);
  if (error == cudaSuccess) *event = node->event;
  return error;
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeEventRecord, event);
  if (error == cudaSuccess) node->event = event;
  return error;
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  const cudaError_t error = is_of(node, cudaGraphNodeTypeWaitEvent, event);
  if (error == cudaSuccess) node->event = event;
  return error;
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone) {
  GPUOPT_EMU_ENTER();
  if (!found || !node || !clone) return record(cudaErrorInvalidValue);
  *found = nullptr;
  for (const auto &copy : clone->nodes)
    if (copy->original == node->number) *found = copy.get();
  return *found ? cudaSuccess : record(cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  GPUOPT_EMU_ENTER();
  if (!node || !type) return record(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph)) return record(cudaErrorInvalidValue);
  return answer(chosen(graph, [](const CUgraphNode_st &) { return true; }), nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph)) return record(cudaErrorInvalidValue);
  return answer(roots_of(*graph), nodes, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
  GPUOPT_EMU_ENTER();
  return node ? answer(node->needs, nodes, count) : record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
  GPUOPT_EMU_ENTER();
  if (!node) return record(cudaErrorInvalidValue);
  return answer(chosen(node->graph, [=](const CUgraphNode_st &other) { return needs(other, node); }), nodes, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph) || !count || !from != !to) return record(cudaErrorInvalidValue);
  std::vector<CUgraphNode_st *> starts, ends;
  for (const auto &node : graph->nodes)
    for (CUgraphNode_st *other : node->needs) {
      starts.push_back(other);
      ends.push_back(node.get());
    }
  size_t room = *count;
  const cudaError_t error = answer(starts, from, count);
  return error == cudaSuccess && to ? answer(ends, to, &room) : error;
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph) || !path) return record(cudaErrorInvalidValue);
  FILE *const file = fopen(path, "w");
  if (!file) return record(cudaErrorOperatingSystem);
  fputs("digraph graph_0 {\n", file);
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    fprintf(file, "\"%zu\" [label=\"%zu type %d\"];\n", i, i, (int)graph->nodes[i]->type);
    for (size_t j = 0; j < graph->nodes.size(); ++j)
      if (needs(*graph->nodes[i], graph->nodes[j].get())) fprintf(file, "\"%zu\" -> \"%zu\";\n", j, i);
  }
  fputs("}\n", file);
  fclose(file);
  return cudaSuccess;
}
}
