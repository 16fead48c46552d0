// The API of executable graphs: copies of graphs that are launched and updated.
#include <string.h>

#include "allocations.h"
#include "arrays.h"
#include "graph.h"
#include "streams.h"

struct CUuserObject_st {
  void *data;
  cudaHostFn_t destroy;
  unsigned references;
};

namespace gpuopt_emu {

// Values that kernels set for conditional nodes. Handles count from 1.
struct Condition {
  unsigned value, first, flags;
};
static std::vector<std::unique_ptr<Condition>> conditions;

unsigned *condition_value(cudaGraphConditionalHandle handle) {
  return handle && handle <= conditions.size() ? &conditions[handle - 1]->value : nullptr;
}

static void reset_conditions(const CUgraph_st &graph) {
  for (const auto &node : graph.nodes) {
    if (node->child) reset_conditions(*node->child);
    if (node->type != cudaGraphNodeTypeConditional) continue;
    Condition &condition = *conditions[node->handle - 1];
    if (condition.flags & cudaGraphCondAssignDefault) condition.value = condition.first;
    for (const auto &body : node->bodies) reset_conditions(*body);
  }
}

// The executable graph's own node for a node of the graph that it was made from.
static CUgraphNode_st *own(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type) {
  if (!exec || !node) return nullptr;
  const auto found = exec->copies.find(node);
  return found != exec->copies.end() && found->second->type == type ? found->second : nullptr;
}

// The first node in which two graphs differ in what an update may not change.
static cudaGraphExecUpdateResult compare(const CUgraph_st &old, const CUgraph_st &now, cudaGraphNode_t *where) {
  if (old.nodes.size() != now.nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  std::unordered_map<const CUgraphNode_st *, size_t> place;
  for (size_t i = 0; i < old.nodes.size(); ++i) place[old.nodes[i].get()] = place[now.nodes[i].get()] = i;
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    const CUgraphNode_st &a = *old.nodes[i], &b = *now.nodes[i];
    *where = now.nodes[i].get();
    if (a.type != b.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (a.needs.size() != b.needs.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t k = 0; k < a.needs.size(); ++k)
      if (place[a.needs[k]] != place[b.needs[k]]) return cudaGraphExecUpdateErrorTopologyChanged;
    if (a.child) {
      const cudaGraphExecUpdateResult inner = compare(*a.child, *b.child, where);
      if (inner != cudaGraphExecUpdateSuccess) return inner;
    }
  }
  *where = nullptr;
  return cudaGraphExecUpdateSuccess;
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
  GPUOPT_EMU_ENTER();
  std::vector<CUgraphNode_st *> order;
  if (!exec || !graph || !sorted(*graph, &order)) return record(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st;
  (*exec)->graph = copy_graph(*graph, &(*exec)->copies);
  (*exec)->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
  const cudaError_t error = cudaGraphInstantiateWithFlags(exec, graph, params ? params->flags : 0);
  if (params) params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  GPUOPT_EMU_ENTER();
  if (!exec) return record(cudaErrorInvalidValue);
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  GPUOPT_EMU_ENTER();
  if (!exec || !flags) return record(cudaErrorInvalidValue);
  *flags = exec->flags;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  GPUOPT_EMU_ENTER();
  return exec ? cudaSuccess : record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  GPUOPT_EMU_ENTER_QUIETLY();
  if (!exec) return record(cudaErrorInvalidValue);
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<CUgraph_st> graph = exec->graph;
  const auto run = [graph] {
    reset_conditions(*graph);
    return run_graph(*graph);
  };
  const auto fill = [&](CUgraphNode_st &node) { node.child = graph; };
  return submit(stream, cudaGraphNodeTypeGraph, run, fill, Beside{may_wait(*graph), 0});
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  GPUOPT_EMU_ENTER();
  if (!exec || !graph || !info) return record(cudaErrorInvalidValue);
  *info = cudaGraphExecUpdateResultInfo{cudaGraphExecUpdateSuccess, nullptr, nullptr};
  info->result = compare(*exec->graph, *graph, &info->errorNode);
  if (info->result != cudaGraphExecUpdateSuccess) return record(cudaErrorGraphExecUpdateFailure);
  const auto old = exec->graph;
  exec->copies.clear();
  exec->graph = copy_graph(*graph, &exec->copies);
  for (size_t i = 0; i < old->nodes.size(); ++i) exec->graph->nodes[i]->enabled = old->nodes[i]->enabled;
  return cudaSuccess;
}

GPUOPT_EXEC_PARAMETERS(Kernel, Kernel, cudaKernelNodeParams, set_kernel)
GPUOPT_EXEC_PARAMETERS(Memcpy, Memcpy, cudaMemcpy3DParms, set_copy)
GPUOPT_EXEC_PARAMETERS(Memset, Memset, cudaMemsetParams, set_fill)
GPUOPT_EXEC_PARAMETERS(Host, Host, cudaHostNodeParams, set_host)
#undef GPUOPT_EXEC_PARAMETERS

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = flat_copy(to, from, bytes, kind);
  return cudaGraphExecMemcpyNodeSetParams(exec, node, &params);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t graph) {
  GPUOPT_EMU_ENTER();
  CUgraphNode_st *const mine = own(exec, node, cudaGraphNodeTypeGraph);
  cudaGraphNode_t where;
  if (!mine || !graph) return record(cudaErrorInvalidValue);
  if (compare(*mine->child, *graph, &where) != cudaGraphExecUpdateSuccess) return record(cudaErrorGraphExecUpdateFailure);
  mine->child = copy_graph(*graph, &exec->copies);
  return cudaSuccess;
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  GPUOPT_EMU_ENTER();
  CUgraphNode_st *const mine = own(exec, node, cudaGraphNodeTypeEventRecord);
  if (!mine || !event) return record(cudaErrorInvalidValue);
  mine->event = event;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
  GPUOPT_EMU_ENTER();
  CUgraphNode_st *const mine = node ? own(exec, node, node->type) : nullptr;
  if (!mine || node->type > cudaGraphNodeTypeMemset) return record(cudaErrorInvalidValue);
  mine->enabled = enabled != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled) {
  GPUOPT_EMU_ENTER();
  const CUgraphNode_st *const mine = node ? own(exec, node, node->type) : nullptr;
  if (!mine || !enabled) return record(cudaErrorInvalidValue);
  *enabled = mine->enabled;
  return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int first,
                                             unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!handle || !graph) return record(cudaErrorInvalidValue);
  conditions.push_back(std::make_unique<Condition>(Condition{first, first, flags}));
  *handle = conditions.size();
  return cudaSuccess;
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                             cudaGraphNodeParams *p) {
  if (!p) return record(cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(made, graph, needs, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(made, graph, needs, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(made, graph, needs, count, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(made, graph, needs, count, &p->host);
    case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(made, graph, needs, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(made, graph, needs, count);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(made, graph, needs, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphAddEventRecordNode(made, graph, needs, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return cudaGraphAddMemAllocNode(made, graph, needs, count, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(made, graph, needs, count, p->free.dptr);
    case cudaGraphNodeTypeConditional: break;
    default: return record(cudaErrorNotSupported);
  }
  const cudaError_t error = cudaGraphAddEmptyNode(made, graph, needs, count);
  if (error != cudaSuccess) return error;
  CUgraphNode_st &node = **made;
  if (!condition_value(p->conditional.handle) || !p->conditional.size) return record(cudaErrorInvalidValue);
  node.type = cudaGraphNodeTypeConditional;
  node.handle = p->conditional.handle;
  node.condition = p->conditional.type;
  static std::vector<std::unique_ptr<std::vector<cudaGraph_t>>> answers;  // the program keeps pointers into them
  answers.push_back(std::make_unique<std::vector<cudaGraph_t>>());
  for (unsigned i = 0; i < p->conditional.size; ++i) {
    node.bodies.push_back(std::make_shared<CUgraph_st>());
    answers.back()->push_back(node.bodies.back().get());
  }
  p->conditional.phGraph_out = answers.back()->data();
  return cudaSuccess;
}

static void count_graph_memory(const Allocation &allocation, void *total) {
  if (allocation.flags == GRAPH_MEMORY && allocation.live) *static_cast<unsigned long long *>(total) += allocation.bytes;
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  if (!value || (unsigned)attribute > 3) return record(cudaErrorInvalidValue);
  unsigned long long *const total = static_cast<unsigned long long *>(value);
  *total = 0;
  each_allocation(count_graph_memory, total);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType, void *) {
  GPUOPT_EMU_ENTER();
  return device ? record(cudaErrorInvalidDevice) : cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  GPUOPT_EMU_ENTER();
  return device ? record(cudaErrorInvalidDevice) : cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned int references,
                                 unsigned int) {
  if (!object || !destroy || !references) return record(cudaErrorInvalidValue);
  *object = new CUuserObject_st{data, destroy, references};
  return cudaSuccess;
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  object->references += count;
  return cudaSuccess;
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  object->references -= count;
  if (object->references) return cudaSuccess;
  object->destroy(object->data);
  delete object;
  return cudaSuccess;
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags) {
  if (!graph || !object) return record(cudaErrorInvalidValue);
  if (!(flags & cudaGraphUserObjectMove)) object->references += count;
  graph->objects.insert(graph->objects.end(), count, object);
  return cudaSuccess;
}
}
