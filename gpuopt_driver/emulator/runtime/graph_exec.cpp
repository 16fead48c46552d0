// The API of executable graphs: copies of graphs that are launched and updated.
#include "allocations.h"
#include "arrays.h"
#include "graph.h"
#include "streams.h"

namespace gpuopt_emu {

// The executable graph's own node for a node of the graph that it was made from.
static CUgraphNode_st *own(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type) {
  if (!lives(exec) || !node) return nullptr;
  const auto found = exec->copies.find(node->number);
  return found != exec->copies.end() && found->second->type == type ? found->second : nullptr;
}

typedef std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> Copies;

static void keep(cudaGraphExec_t exec, const Copies &copies) {
  for (const auto &copy : copies) exec->copies[copy.first->number] = copy.second;
}

// Nodes that graphs launched by kernels cannot have.
static bool is_for_the_host(const CUgraphNode_st &node) {
  switch (node.type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty: return false;
    default: return true;
  }
}

static bool is_on_device(const void *pointer) {
  Allocation found;
  return allocation_at(pointer, &found) && found.type != cudaMemoryTypeHost;
}

// What bodies of conditional nodes cannot have.
static cudaGraphInstantiateResult check_bodies(const CUgraph_st &graph) {
  for (const auto &node : graph.nodes)
    for (const auto &body : node->bodies) {
      for (const auto &inside : body->nodes) {
        const cudaMemcpy3DParms &copy = inside->copy;
        if (inside->type == cudaGraphNodeTypeMemcpy && !(is_on_device(copy.srcPtr.ptr) && is_on_device(copy.dstPtr.ptr)))
          return cudaGraphInstantiateMultipleDevicesNotSupported;
        if (is_for_the_host(*inside) && inside->type != cudaGraphNodeTypeConditional)
          return cudaGraphInstantiateNodeOperationNotSupported;
      }
      const cudaGraphInstantiateResult inner = check_bodies(*body);
      if (inner != cudaGraphInstantiateSuccess) return inner;
    }
  return cudaGraphInstantiateSuccess;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
  GPUOPT_EMU_ENTER();
  params->result_out = cudaGraphInstantiateError;
  params->errNode_out = nullptr;
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  const unsigned long long flags = params->flags;
  if (!exec || !lives(graph) || flags >> 4) return record(cudaErrorInvalidValue);
  std::vector<CUgraphNode_st *> order;
  if (!sorted(*graph, &order)) {
    params->result_out = cudaGraphInstantiateInvalidStructure;
    params->errNode_out = in_a_circle(*graph);
    return record(cudaErrorInvalidValue);
  }
  for (const auto &node : graph->nodes)
    if (flags & cudaGraphInstantiateFlagDeviceLaunch && is_for_the_host(*node)) {
      params->result_out = cudaGraphInstantiateNodeOperationNotSupported;
      params->errNode_out = node.get();
      return record(cudaErrorInvalidValue);
    }
  const cudaGraphInstantiateResult bodies =
      has_unused_conditions(graph) ? cudaGraphInstantiateConditionalHandleUnused : check_bodies(*graph);
  if (bodies != cudaGraphInstantiateSuccess) {
    params->result_out = bodies;
    return record(cudaErrorInvalidValue);
  }
  const bool frees = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
  if (has_memory(*graph) && (graph->memory->instantiated || (frees && frees_others(*graph))))
    return record(cudaErrorNotSupported);
  *exec = new CUgraphExec_st;
  Copies copies;
  (*exec)->graph = copy_graph(*graph, &copies);
  (*exec)->flags = flags;
  graph->memory->instantiated = has_memory(*graph);
  keep(*exec, copies);
  params->result_out = cudaGraphInstantiateSuccess;
  return cudaSuccess;
}

// What can be switched off.
static bool is_switched(cudaGraphNode_t node) { return node && node->type <= cudaGraphNodeTypeMemset; }

static cudaError_t change_kernel(CUgraphNode_st &node, const cudaKernelNodeParams &params) { return set_kernel(node, params); }
static cudaError_t change_host(CUgraphNode_st &node, const cudaHostNodeParams &params) { return set_host(node, params); }
static cudaError_t change_copy(CUgraphNode_st &node, const cudaMemcpy3DParms &params) {
  const cudaError_t error = check_change(node, params);
  return error == cudaSuccess ? set_copy(node, params) : error;
}
static cudaError_t change_fill(CUgraphNode_st &node, const cudaMemsetParams &params) {
  const cudaError_t error = check_change(node, params);
  return error == cudaSuccess ? set_fill(node, params) : error;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

#define GPUOPT_EXEC_PARAMETERS(name, kind, TYPE, set)                                                             \
  cudaError_t cudaGraphExec##name##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const TYPE *params) { \
    GPUOPT_EMU_ENTER();                                                                                           \
    CUgraphNode_st *const mine = own(exec, node, cudaGraphNodeType##kind);                                        \
    return mine && params ? record(set(*mine, *params)) : record(cudaErrorInvalidValue);                          \
  }

extern "C" {

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  cudaGraphInstantiateParams params = {};
  params.flags = flags;
  const auto with_params = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch;
  return flags & with_params ? record(cudaErrorInvalidValue) : instantiate(exec, graph, &params);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
  return params ? instantiate(exec, graph, params) : record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  GPUOPT_EMU_ENTER();
  if (!lives(exec)) return record(cudaErrorInvalidValue);
  if (has_memory(*exec->graph)) exec->graph->memory->instantiated = false;
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  GPUOPT_EMU_ENTER();
  if (!lives(exec) || !flags) return record(cudaErrorInvalidValue);
  *flags = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  return lives(exec) ? refuse_capturing(stream) : record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!lives(exec)) return record(cudaErrorInvalidValue);
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  Copies copies;  // a copy, where it may be updated before it has ended
  const bool stays = !any_unfinished() && !may_wait(*exec->graph);
  const std::shared_ptr<CUgraph_st> graph = stays ? exec->graph : copy_graph(*exec->graph, &copies);
  const cudaError_t error = begin_memory(*graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
  if (error != cudaSuccess) return record(error);
  const auto run = [graph] {
    reset_conditions(*graph);
    return run_graph(*graph);
  };
  return record(give_work(stream, run, Beside{may_wait(*graph), 0}));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  GPUOPT_EMU_ENTER();
  if (!lives(exec) || !lives(graph)) return record(cudaErrorInvalidValue);
  cudaGraphExecUpdateResultInfo result;
  update(*exec->graph, *graph, &result);
  if (info) *info = result;
  return result.result == cudaGraphExecUpdateSuccess ? cudaSuccess : record(cudaErrorGraphExecUpdateFailure);
}

GPUOPT_EXEC_PARAMETERS(Kernel, Kernel, cudaKernelNodeParams, change_kernel)
GPUOPT_EXEC_PARAMETERS(Memcpy, Memcpy, cudaMemcpy3DParms, change_copy)
GPUOPT_EXEC_PARAMETERS(Memset, Memset, cudaMemsetParams, change_fill)
GPUOPT_EXEC_PARAMETERS(Host, Host, cudaHostNodeParams, change_host)
#undef GPUOPT_EXEC_PARAMETERS

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = flat_copy(to, from, bytes, kind);
  return cudaGraphExecMemcpyNodeSetParams(exec, node, &params);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t graph) {
  GPUOPT_EMU_ENTER();
  CUgraphNode_st *const mine = own(exec, node, cudaGraphNodeTypeGraph);
  if (!mine || !lives(graph)) return record(cudaErrorInvalidValue);
  cudaGraphExecUpdateResultInfo result;
  update(*mine->child, *graph, &result);
  return result.result == cudaGraphExecUpdateSuccess ? cudaSuccess : record(cudaErrorGraphExecUpdateFailure);
}
static cudaError_t set_event(CUgraphNode_st *node, cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  if (!node || !event) return record(cudaErrorInvalidValue);
  node->event = event;
  return cudaSuccess;
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return set_event(own(exec, node, cudaGraphNodeTypeEventRecord), event);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return set_event(own(exec, node, cudaGraphNodeTypeWaitEvent), event);
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
  GPUOPT_EMU_ENTER();
  CUgraphNode_st *const mine = node ? own(exec, node, node->type) : nullptr;
  if (!mine || !is_switched(node)) return record(cudaErrorInvalidValue);
  mine->enabled = enabled != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled) {
  GPUOPT_EMU_ENTER();
  const CUgraphNode_st *const mine = node ? own(exec, node, node->type) : nullptr;
  if (!mine || !enabled || !is_switched(node)) return record(cudaErrorInvalidValue);
  *enabled = mine->enabled;
  return cudaSuccess;
}
}
