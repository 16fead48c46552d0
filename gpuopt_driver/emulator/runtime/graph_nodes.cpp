// The API that builds graphs by hand: nodes, their parameters, and what comes before them.
#include <string.h>

#include <algorithm>

#include "allocations.h"
#include "arrays.h"
#include "graph.h"

namespace gpuopt_emu {

static cudaError_t check_needs(cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count) {
  if (!graph || (count && !needs)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!needs[i] || needs[i]->graph != graph) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// Adds a node where `fill` succeeds.
template <class Fill>
static cudaError_t add(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                       cudaGraphNodeType type, Fill fill) {
  GPUOPT_EMU_ENTER();
  if (!made) return record(cudaErrorInvalidValue);
  cudaError_t error = check_needs(graph, needs, count);
  if (error != cudaSuccess) return record(error);
  CUgraphNode_st *const node = add_node(graph, type, std::vector<cudaGraphNode_t>(needs, needs + count));
  error = fill(*node);
  if (error == cudaSuccess) *made = node;
  else graph->nodes.pop_back();
  return record(error);
}

cudaError_t set_kernel(CUgraphNode_st &node, const cudaKernelNodeParams &params) {
  if (!params.func || params.extra) return cudaErrorInvalidValue;
  Configuration configuration = {};
  configuration.grid = params.gridDim;
  configuration.block = params.blockDim;
  configuration.shared = params.sharedMemBytes;
  const cudaError_t error = record_launch(params.func, configuration, params.kernelParams, &node.launch);
  if (error != cudaSuccess) return error;
  const Kernel &kernel = *node.launch.kernel;
  node.function = params.func;
  node.arguments.resize(kernel.parameters);
  node.argument_pointers.resize(kernel.parameters);
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    const char *const value = static_cast<const char *>(params.kernelParams[i]);
    node.arguments[i].assign(value, value + kernel.parameter_bytes[i]);
    node.argument_pointers[i] = node.arguments[i].data();
  }
  return cudaSuccess;
}
cudaError_t set_copy(CUgraphNode_st &node, const cudaMemcpy3DParms &params) {
  const cudaError_t error = check_copy(params);
  if (error == cudaSuccess) node.copy = params;
  return error;
}
cudaError_t set_fill(CUgraphNode_st &node, const cudaMemsetParams &params) {
  const cudaError_t error = check_fill(params);
  if (error == cudaSuccess) node.fill = params;
  return error;
}
cudaError_t set_host(CUgraphNode_st &node, const cudaHostNodeParams &params) {
  if (!params.fn) return cudaErrorInvalidValue;
  node.host = params;
  return cudaSuccess;
}

cudaError_t place_graph_memory(CUgraphNode_st *node) {
  Allocation made;
  if (!node->memory.bytesize) return cudaErrorInvalidValue;
  const cudaError_t error = allocate(node->memory.bytesize, cudaMemoryTypeDevice, GRAPH_MEMORY, &made);
  if (error != cudaSuccess) return error;
  set_live(made.base, false);
  node->memory.dptr = made.base;
  node->graph->memory->pointers.push_back(made.base);
  return cudaSuccess;
}

static cudaError_t set_memory(CUgraphNode_st &node, cudaMemAllocNodeParams *params) {
  node.memory = *params;
  const cudaError_t error = place_graph_memory(&node);
  params->dptr = node.memory.dptr;
  return error;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

// Adds dependencies that are not there, or removes those that are.
static cudaError_t change_needs(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count,
                                bool add) {
  GPUOPT_EMU_ENTER();
  if (check_needs(graph, from, count) != cudaSuccess || check_needs(graph, to, count) != cudaSuccess)
    return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    auto &needs = to[i]->needs;
    const auto found = std::find(needs.begin(), needs.end(), from[i]);
    if ((found == needs.end()) != add || (add && from[i] == to[i])) return record(cudaErrorInvalidValue);
    if (add) needs.push_back(from[i]);
    else needs.erase(found);
  }
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!graph || flags) return record(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  GPUOPT_EMU_ENTER();
  if (!graph) return record(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  GPUOPT_EMU_ENTER();
  if (!clone || !graph) return record(cudaErrorInvalidValue);
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;
  const auto copy = copy_graph(*graph, &copies);
  *clone = new CUgraph_st;
  (*clone)->nodes.swap(copy->nodes);
  (*clone)->memory = copy->memory;
  for (const auto &node : (*clone)->nodes) node->graph = *clone;
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                   const cudaKernelNodeParams *params) {
  return add(node, graph, needs, count, cudaGraphNodeTypeKernel, [=](CUgraphNode_st &made) {
    return params ? set_kernel(made, *params) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                   const cudaMemcpy3DParms *params) {
  return add(node, graph, needs, count, cudaGraphNodeTypeMemcpy, [=](CUgraphNode_st &made) {
    return params ? set_copy(made, *params) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                     void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = flat_copy(to, from, bytes, kind);
  return cudaGraphAddMemcpyNode(node, graph, needs, count, &params);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                   const cudaMemsetParams *params) {
  return add(node, graph, needs, count, cudaGraphNodeTypeMemset, [=](CUgraphNode_st &made) {
    return params ? set_fill(made, *params) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                 const cudaHostNodeParams *params) {
  return add(node, graph, needs, count, cudaGraphNodeTypeHost, [=](CUgraphNode_st &made) {
    return params ? set_host(made, *params) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child) {
  return add(node, graph, needs, count, cudaGraphNodeTypeGraph, [=](CUgraphNode_st &made) {
    if (!child) return cudaErrorInvalidValue;
    std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;
    made.child = copy_graph(*child, &copies);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count) {
  return add(node, graph, needs, count, cudaGraphNodeTypeEmpty, [](CUgraphNode_st &) { return cudaSuccess; });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                        size_t count, cudaEvent_t event) {
  return add(node, graph, needs, count, cudaGraphNodeTypeEventRecord, [=](CUgraphNode_st &made) {
    made.event = event;
    return event ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                      size_t count, cudaEvent_t event) {
  return add(node, graph, needs, count, cudaGraphNodeTypeWaitEvent, [=](CUgraphNode_st &made) {
    made.event = event;
    return event ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                     cudaMemAllocNodeParams *params) {
  return add(node, graph, needs, count, cudaGraphNodeTypeMemAlloc, [=](CUgraphNode_st &made) {
    return params ? set_memory(made, params) : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                    void *pointer) {
  return add(node, graph, needs, count, cudaGraphNodeTypeMemFree, [=](CUgraphNode_st &made) {
    Allocation found;
    if (!allocation_at(pointer, &found) || found.flags != GRAPH_MEMORY) return cudaErrorInvalidValue;
    made.memory.dptr = pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count) {
  return change_needs(graph, from, to, count, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count) {
  return change_needs(graph, from, to, count, false);
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  GPUOPT_EMU_ENTER();
  if (!node) return record(cudaErrorInvalidValue);
  CUgraph_st &graph = *node->graph;
  for (const auto &other : graph.nodes)
    other->needs.erase(std::remove(other->needs.begin(), other->needs.end(), node), other->needs.end());
  const auto is_it = [=](const std::unique_ptr<CUgraphNode_st> &one) { return one.get() == node; };
  graph.nodes.erase(std::find_if(graph.nodes.begin(), graph.nodes.end(), is_it));
  return cudaSuccess;
}
}
