// Graphs: nodes with what each does, and the nodes that come before it.
#ifndef GPUOPT_EMU_GRAPH_H
#define GPUOPT_EMU_GRAPH_H

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "launch_record.h"
#include "state.h"

// What a node does is in the member for its type, or in `work`, where a capture has no type for it.
struct CUgraphNode_st {
  cudaGraphNodeType type;
  CUgraph_st *graph;
  std::vector<CUgraphNode_st *> needs;
  bool enabled = true;
  std::function<cudaError_t()> work;
  gpuopt_emu::Launch launch = {};
  const void *function = nullptr;             // of a kernel node that was made by hand
  std::vector<std::vector<char>> arguments;   // and copies of its arguments
  std::vector<void *> argument_pointers;
  cudaMemcpy3DParms copy = {};
  cudaMemsetParams fill = {};
  cudaHostNodeParams host = {};
  std::shared_ptr<CUgraph_st> child;          // of child graph nodes
  std::vector<std::shared_ptr<CUgraph_st>> bodies;  // of conditional nodes
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType condition = cudaGraphCondTypeIf;
  cudaEvent_t event = nullptr;
  cudaMemAllocNodeParams memory = {};
  cudaLaunchAttributeValue attributes[16] = {};
};

namespace gpuopt_emu {
// Of memory allocation nodes; it lives as long as the graph or a copy of it.
struct GraphMemory {
  std::vector<void *> pointers;
  ~GraphMemory();
};
}  // namespace gpuopt_emu

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::shared_ptr<gpuopt_emu::GraphMemory> memory = std::make_shared<gpuopt_emu::GraphMemory>();
  std::vector<cudaUserObject_t> objects;
  ~CUgraph_st();
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;                                  // a copy
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;  // of the original's nodes
  unsigned long long flags;
};

namespace gpuopt_emu {

CUgraphNode_st *add_node(cudaGraph_t graph, cudaGraphNodeType type, std::vector<CUgraphNode_st *> needs);
std::shared_ptr<CUgraph_st> copy_graph(const CUgraph_st &graph,
                                       std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> *copies);
// Node after node, each after those it needs; false where they need each other in a circle.
bool sorted(const CUgraph_st &graph, std::vector<CUgraphNode_st *> *order);
cudaError_t run_graph(const CUgraph_st &graph);
bool may_wait(const CUgraph_st &graph);  // for what the program does meanwhile, or one node for another

// New parameters, checked, for nodes of a type.
cudaError_t set_kernel(CUgraphNode_st &node, const cudaKernelNodeParams &params);
cudaError_t set_copy(CUgraphNode_st &node, const cudaMemcpy3DParms &params);
cudaError_t set_fill(CUgraphNode_st &node, const cudaMemsetParams &params);
cudaError_t set_host(CUgraphNode_st &node, const cudaHostNodeParams &params);

// What nodes do, for streams too.
cudaError_t check_copy(const cudaMemcpy3DParms &copy);
cudaError_t do_copy(const cudaMemcpy3DParms &copy);
cudaError_t check_fill(const cudaMemsetParams &fill);
cudaError_t do_fill(const cudaMemsetParams &fill);
cudaError_t give_fill(const cudaMemsetParams &fill, cudaStream_t stream);

// Gives a memory allocation node its address, for good.
cudaError_t place_graph_memory(CUgraphNode_st *node);

unsigned *condition_value(cudaGraphConditionalHandle handle);

}  // namespace gpuopt_emu

#endif
