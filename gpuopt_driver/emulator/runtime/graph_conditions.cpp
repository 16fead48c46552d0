// Conditional nodes: the values that kernels set for them, and nodes of any kind by cudaGraphAddNode.
#include <algorithm>

#include "graph.h"

namespace gpuopt_emu {

// Handles count from 1.
struct Condition {
  unsigned value, first, flags;
  cudaGraph_t graph;
  bool has_node;
};
static std::vector<std::unique_ptr<Condition>> conditions;

unsigned *condition_value(cudaGraphConditionalHandle handle) {
  return handle && handle <= conditions.size() ? &conditions[handle - 1]->value : nullptr;
}

void reset_conditions(const CUgraph_st &graph) {
  for (const auto &node : graph.nodes) {
    if (node->child) reset_conditions(*node->child);
    if (node->type != cudaGraphNodeTypeConditional) continue;
    Condition &condition = *conditions[node->handle - 1];
    if (condition.flags & cudaGraphCondAssignDefault) condition.value = condition.first;
    for (const auto &body : node->bodies) reset_conditions(*body);
  }
}

bool has_conditions(const CUgraph_st &graph) {
  const auto is_its = [&](const auto &condition) { return condition->graph == &graph; };
  if (std::any_of(conditions.begin(), conditions.end(), is_its)) return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    return node->type == cudaGraphNodeTypeConditional || (node->child && has_conditions(*node->child));
  });
}

bool has_unused_conditions(cudaGraph_t graph) {
  return std::any_of(conditions.begin(), conditions.end(), [=](const auto &condition) {
    return condition->graph == graph && !condition->has_node;
  });
}

// Another graph may come to be where this one was.
void forget_conditions(cudaGraph_t graph) {
  for (const auto &condition : conditions)
    if (condition->graph == graph) condition->graph = nullptr;
}

// How many bodies a node of a kind can have.
static bool is_size(cudaGraphConditionalNodeType type, unsigned size) {
  switch (type) {
    case cudaGraphCondTypeIf: return size == 1 || size == 2;
    case cudaGraphCondTypeWhile: return size == 1;
    case cudaGraphCondTypeSwitch: return size >= 1;
    default: return false;
  }
}

static cudaError_t add_conditional(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                   cudaConditionalNodeParams &params) {
  if (!condition_value(params.handle) || !is_size(params.type, params.size)) return record(cudaErrorInvalidValue);
  Condition &condition = *conditions[params.handle - 1];
  if (condition.has_node) return record(cudaErrorInvalidValue);
  const cudaError_t error = cudaGraphAddEmptyNode(made, graph, needs, count);
  if (error != cudaSuccess) return error;
  condition.has_node = true;
  CUgraphNode_st &node = **made;
  node.type = cudaGraphNodeTypeConditional;
  node.handle = params.handle;
  node.condition = params.type;
  static std::vector<std::unique_ptr<std::vector<cudaGraph_t>>> answers;  // the program keeps pointers into them
  answers.push_back(std::make_unique<std::vector<cudaGraph_t>>());
  for (unsigned i = 0; i < params.size; ++i) {
    node.bodies.push_back(std::make_shared<CUgraph_st>());
    answers.back()->push_back(node.bodies.back().get());
  }
  params.phGraph_out = answers.back()->data();
  return cudaSuccess;
}

// What is to be zero is.
static bool is_clear(const cudaGraphNodeParams &p) {
  return !p.reserved0[0] && !p.reserved0[1] && !p.reserved0[2] && !p.reserved2;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int first,
                                             unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!handle || !lives(graph) || flags > cudaGraphCondAssignDefault) return record(cudaErrorInvalidValue);
  conditions.push_back(std::make_unique<Condition>(Condition{first, first, flags, graph, false}));
  *handle = conditions.size();
  return cudaSuccess;
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                             cudaGraphNodeParams *p) {
  GPUOPT_EMU_ENTER();
  if (!p || !is_clear(*p)) return record(cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(made, graph, needs, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(made, graph, needs, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(made, graph, needs, count, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(made, graph, needs, count, &p->host);
    case cudaGraphNodeTypeGraph: return add_child(made, graph, needs, count, p->graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(made, graph, needs, count);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(made, graph, needs, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphAddEventRecordNode(made, graph, needs, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return cudaGraphAddMemAllocNode(made, graph, needs, count, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(made, graph, needs, count, p->free.dptr);
    case cudaGraphNodeTypeConditional: return add_conditional(made, graph, needs, count, p->conditional);
    default: return record(cudaErrorInvalidValue);
  }
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *p) {
  GPUOPT_EMU_ENTER();
  if (!p || !node || node->type != p->type) return record(cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphKernelNodeSetParams(node, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &p->host);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    default: return record(cudaErrorInvalidValue);
  }
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams *p) {
  GPUOPT_EMU_ENTER();
  if (!p || !node || node->type != p->type) return record(cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphExecKernelNodeSetParams(exec, node, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphExecMemsetNodeSetParams(exec, node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(exec, node, &p->host);
    case cudaGraphNodeTypeGraph: return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphExecEventWaitNodeSetEvent(exec, node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphExecEventRecordNodeSetEvent(exec, node, p->eventRecord.event);
    default: return record(cudaErrorInvalidValue);
  }
}
}
