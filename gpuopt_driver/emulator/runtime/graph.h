// Graphs: nodes with what each does, and the nodes that come before it.
#ifndef GPUOPT_EMU_GRAPH_H
#define GPUOPT_EMU_GRAPH_H

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "living.h"
#include "launch_record.h"
#include "state.h"

// What a node does is in the member for its type, or in `work`, where a capture has no type for it.
struct CUgraphNode_st {
  cudaGraphNodeType type;
  CUgraph_st *graph;
  std::vector<CUgraphNode_st *> needs;
  unsigned long long number = 0, original = 0;  // counts nodes from 1; of the node that this one was copied from
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
  gpuopt_emu::Attributes attributes;
  unsigned long long root_since = 0, exit_since = 0;  // counts up: when it came to need none, and to be needed by none
};

namespace gpuopt_emu {
// Of memory allocation nodes; it lives as long as the graph or a copy of it.
struct GraphMemory {
  std::vector<void *> pointers;
  std::unordered_map<const void *, int> open;  // how many of the graph's own nodes allocate it, less those that free it
  bool instantiated = false;
  GraphMemory();
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
};
}  // namespace gpuopt_emu

struct CUgraph_st : gpuopt_emu::Living<CUgraph_st> {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::shared_ptr<gpuopt_emu::GraphMemory> memory = std::make_shared<gpuopt_emu::GraphMemory>();
  std::vector<cudaUserObject_t> objects;
  ~CUgraph_st();
};

struct CUgraphExec_st : gpuopt_emu::Living<CUgraphExec_st> {
  std::shared_ptr<CUgraph_st> graph;                               // a copy
  std::unordered_map<unsigned long long, CUgraphNode_st *> copies;  // of the original's nodes, by their numbers
  unsigned long long flags;
};

namespace gpuopt_emu {

// Whether all of these are nodes of the graph, each once.
cudaError_t check_needs(cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count);
CUgraphNode_st *add_node(cudaGraph_t graph, cudaGraphNodeType type, std::vector<CUgraphNode_st *> needs);
std::shared_ptr<CUgraph_st> copy_graph(const CUgraph_st &graph,
                                       std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> *copies);
void copy_graph(const CUgraph_st &graph, std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> *copies, CUgraph_st *to);
// Node after node, each after those it needs; false where they need each other in a circle.
bool sorted(const CUgraph_st &graph, std::vector<CUgraphNode_st *> *order);
CUgraphNode_st *in_a_circle(const CUgraph_st &graph);  // the last of those that cannot be sorted
cudaError_t run_graph(const CUgraph_st &graph);
bool may_wait(const CUgraph_st &graph);  // for what the program does meanwhile, or one node for another

// Copies of the arguments at these addresses; those that the captured kernel has told of.
void keep_arguments(CUgraphNode_st &node, const void *const *arguments);
void keep_told(CUgraphNode_st *node);

// New parameters, checked, for nodes of a type.
cudaError_t set_kernel(CUgraphNode_st &node, const cudaKernelNodeParams &params);
cudaError_t set_copy(CUgraphNode_st &node, const cudaMemcpy3DParms &params);
cudaError_t set_fill(CUgraphNode_st &node, const cudaMemsetParams &params);
cudaError_t set_host(CUgraphNode_st &node, const cudaHostNodeParams &params);

// A child graph node.
cudaError_t add_child(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                      const cudaChildGraphNodeParams &params);

// What nodes do, for streams too.
cudaError_t check_copy(const cudaMemcpy3DParms &copy);
cudaError_t do_copy(const cudaMemcpy3DParms &copy);
cudaError_t check_fill(const cudaMemsetParams &fill);
cudaError_t do_fill(const cudaMemsetParams &fill);
cudaError_t give_fill(const cudaMemsetParams &fill, cudaStream_t stream);

// Whether an executable graph's node can come to do this.
cudaError_t check_change(const CUgraphNode_st &node, const cudaMemcpy3DParms &now);
cudaError_t check_change(const CUgraphNode_st &node, const cudaMemsetParams &now);
// Lets the nodes of one graph do what those of another do, where that one differs only in what it may.
cudaGraphExecUpdateResult update(const CUgraph_st &old, const CUgraph_st &now, cudaGraphExecUpdateResultInfo *info);
std::vector<CUgraphNode_st *> roots_of(const CUgraph_st &graph);  // the latest first
unsigned long long next_moment();                                 // for `root_since` and `exit_since`

// Gives a memory allocation node its address, for good.
cudaError_t place_graph_memory(CUgraphNode_st *node);
// Whether a graph can have a node that frees this.
cudaError_t check_graph_free(const CUgraph_st &graph, const void *pointer);
void add_graph_free(CUgraphNode_st *node, void *pointer);
bool has_memory(const CUgraph_st &graph);
bool frees_others(const CUgraph_st &graph);  // memory of other graphs
// For a launch: the error where the memory is not as its nodes expect it. `frees`: what an earlier one has left is freed.
cudaError_t begin_memory(const CUgraph_st &graph, bool frees);
// cudaMallocAsync and cudaFreeAsync in a capturing stream.
cudaError_t capture_allocation(cudaStream_t stream, size_t bytes, void **pointer);
cudaError_t capture_free(cudaStream_t stream, void *pointer);

// The attributes that a captured launch was given, by itself and by its stream.
void keep_attributes(CUgraphNode_st *node, const CUstream_st &stream);

bool has_conditions(const CUgraph_st &graph);
bool has_unused_conditions(cudaGraph_t graph);  // handles without a node
void forget_conditions(cudaGraph_t graph);
void reset_conditions(const CUgraph_st &graph);
unsigned *condition_value(cudaGraphConditionalHandle handle);

}  // namespace gpuopt_emu

#endif
