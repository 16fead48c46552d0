// The API that builds graphs by hand: nodes, their parameters, and what comes before them.
#include <algorithm>

#include "allocations.h"
#include "arrays.h"
#include "graph.h"

namespace gpuopt_emu {

static cudaError_t check_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count) {
  if (!lives(graph) || (count && !nodes)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!nodes[i] || nodes[i]->graph != graph) return cudaErrorInvalidValue;
  return cudaSuccess;
}
cudaError_t check_needs(cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count) {
  const cudaError_t error = check_nodes(graph, needs, count);
  for (size_t i = 0; i < count && error == cudaSuccess; ++i)
    if (std::find(needs, needs + i, needs[i]) != needs + i) return cudaErrorInvalidValue;
  return error;
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

void keep_arguments(CUgraphNode_st &node, const void *const *arguments) {
  const Kernel &kernel = *node.launch.kernel;
  node.arguments.resize(kernel.parameters);
  node.argument_pointers.resize(kernel.parameters);
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    const char *const value = static_cast<const char *>(arguments[i]);
    node.arguments[i].assign(value, value + kernel.parameter_bytes[i]);
    node.argument_pointers[i] = node.arguments[i].data();
  }
}

cudaError_t set_kernel(CUgraphNode_st &node, const cudaKernelNodeParams &params) {
  if (!params.func) return cudaErrorInvalidDeviceFunction;
  if (params.extra) return cudaErrorInvalidValue;
  Configuration configuration = {};
  configuration.cooperative = node.launch.configuration.cooperative;
  configuration.cluster = node.launch.configuration.cluster;
  configuration.grid = params.gridDim;
  configuration.block = params.blockDim;
  configuration.shared = params.sharedMemBytes;
  const cudaError_t error = record_launch(params.func, configuration, params.kernelParams, &node.launch);
  if (error != cudaSuccess) return error;
  node.function = params.func;
  keep_arguments(node, params.kernelParams);
  return cudaSuccess;
}
// One side's rows are no longer than its pitch, where that is said.
static bool has_room(const cudaPitchedPtr &side, const cudaMemcpy3DParms &params) {
  return !side.ptr || !side.pitch || params.srcArray || params.dstArray || params.extent.width <= side.pitch;
}
cudaError_t set_copy(CUgraphNode_st &node, const cudaMemcpy3DParms &params) {
  if (!params.extent.width || !params.extent.height || !params.extent.depth) return cudaErrorInvalidValue;
  if (!has_room(params.srcPtr, params) || !has_room(params.dstPtr, params)) return cudaErrorInvalidValue;
  cudaMemcpy3DParms checked = params;  // where memory is is known by its address
  if (!params.srcArray && !params.dstArray && params.kind >= cudaMemcpyHostToHost && params.kind <= cudaMemcpyDefault)
    checked.kind = cudaMemcpyDefault;
  const cudaError_t error = check_copy(checked);
  if (error == cudaSuccess) node.copy = params;
  return error;
}
cudaError_t set_fill(CUgraphNode_st &node, const cudaMemsetParams &params) {
  const unsigned size = params.elementSize;
  if (!params.width || !params.height || !size) return cudaErrorInvalidValue;
  if (reinterpret_cast<size_t>(params.dst) % size || (params.height > 1 && params.pitch % size)) return cudaErrorInvalidValue;
  const cudaError_t error = check_fill(params);
  if (error == cudaSuccess) node.fill = params;
  return error;
}
cudaError_t set_host(CUgraphNode_st &node, const cudaHostNodeParams &params) {
  if (!params.fn) return cudaErrorInvalidValue;
  node.host = params;
  return cudaSuccess;
}

static cudaError_t set_memory(CUgraphNode_st &node, cudaMemAllocNodeParams *params) {
  node.memory = *params;
  const cudaError_t error = place_graph_memory(&node);
  params->dptr = node.memory.dptr;
  return error;
}

cudaError_t add_child(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                      const cudaChildGraphNodeParams &params) {
  std::shared_ptr<CUgraph_st> child;  // as it is before the node is there: it may be the same graph
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;
  const bool moves = params.ownership == cudaGraphChildGraphOwnershipMove;
  if (params.graph && !moves) child = copy_graph(*params.graph, &copies);
  return add(node, graph, needs, count, cudaGraphNodeTypeGraph, [&](CUgraphNode_st &made) {
    if (!params.graph || (moves && params.graph == graph)) return cudaErrorInvalidValue;
    if (!moves && (has_memory(*params.graph) || has_conditions(*params.graph))) return cudaErrorNotSupported;
    made.child = moves ? std::shared_ptr<CUgraph_st>(params.graph) : child;
    return cudaSuccess;
  });
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

// After an edge was removed: when its ends came to be an exit and a root.
static void note_ends(CUgraphNode_st *from, CUgraphNode_st *to) {
  const auto needs = [=](const std::unique_ptr<CUgraphNode_st> &node) {
    return std::find(node->needs.begin(), node->needs.end(), from) != node->needs.end();
  };
  const auto &nodes = from->graph->nodes;
  if (to->needs.empty()) to->root_since = next_moment();
  if (std::none_of(nodes.begin(), nodes.end(), needs)) from->exit_since = next_moment();
}

// Adds dependencies that are not there, or removes those that are.
static cudaError_t change_needs(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count,
                                bool add) {
  GPUOPT_EMU_ENTER();
  if (check_nodes(graph, from, count) != cudaSuccess || check_nodes(graph, to, count) != cudaSuccess)
    return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    auto &needs = to[i]->needs;
    const auto found = std::find(needs.begin(), needs.end(), from[i]);
    if ((found == needs.end()) != add || (add && from[i] == to[i])) return record(cudaErrorInvalidValue);
    if (add) {
      needs.push_back(from[i]);
      continue;
    }
    if (has_memory(*graph)) return record(cudaErrorNotSupported);
    needs.erase(found);
    note_ends(from[i], to[i]);
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
  if (!lives(graph)) return record(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  GPUOPT_EMU_ENTER();
  if (!clone || !lives(graph)) return record(cudaErrorInvalidValue);
  if (has_memory(*graph) || has_conditions(*graph)) return record(cudaErrorNotSupported);
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;
  *clone = new CUgraph_st;
  copy_graph(*graph, &copies, *clone);
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
  cudaChildGraphNodeParams params = {child, cudaGraphChildGraphOwnershipClone};
  return add_child(node, graph, needs, count, params);
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
    const cudaError_t error = check_graph_free(*graph, pointer);
    if (error != cudaSuccess) return error;
    add_graph_free(&made, pointer);
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
  if (has_memory(graph)) return record(cudaErrorNotSupported);
  for (const auto &other : graph.nodes) {
    const auto found = std::find(other->needs.begin(), other->needs.end(), node);
    if (found == other->needs.end()) continue;
    other->needs.erase(found);
    if (other->needs.empty()) other->root_since = next_moment();
  }
  const auto needs = std::move(node->needs);
  node->needs.clear();
  for (CUgraphNode_st *other : needs) note_ends(other, node);
  const auto is_it = [=](const std::unique_ptr<CUgraphNode_st> &one) { return one.get() == node; };
  graph.nodes.erase(std::find_if(graph.nodes.begin(), graph.nodes.end(), is_it));
  return cudaSuccess;
}
}
