// Memory of graphs: the nodes that take it and give it back, and what the device says of it.
#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "allocations.h"
#include "graph.h"
#include "streams.h"

namespace gpuopt_emu {

// What launches have mapped, in steps; it stays until somebody trims it.
static const size_t STEP = 32 << 20;  // bytes
static std::mutex mapped_mutex;
static std::vector<GraphMemory *> memories;
static unsigned long long mapped, mapped_high, reserved_high;

static bool is_live(const void *pointer) {
  Allocation found;
  return allocation_at(pointer, &found) && found.live;
}

// Bytes of those graphs that have some of their memory, and of this one.
static unsigned long long in_use(const GraphMemory *launched) {
  unsigned long long sum = 0;
  for (const GraphMemory *memory : memories)
    if (memory == launched || std::any_of(memory->pointers.begin(), memory->pointers.end(), is_live)) {
      unsigned long long bytes = 0;
      for (void *pointer : memory->pointers) {
        Allocation found;
        if (allocation_at(pointer, &found)) bytes += found.bytes;
      }
      sum += (bytes + STEP - 1) / STEP * STEP;
    }
  return sum;
}

GraphMemory::GraphMemory() {
  std::lock_guard<std::mutex> lock(mapped_mutex);
  memories.push_back(this);
}
GraphMemory::~GraphMemory() {
  std::lock_guard<std::mutex> lock(mapped_mutex);
  memories.erase(std::find(memories.begin(), memories.end(), this));
  for (void *pointer : pointers)
    if (!is_live(pointer)) release(pointer, Wanted::device_or_managed);
}

bool has_memory(const CUgraph_st &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    return node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree ||
           (node->child && has_memory(*node->child));
  });
}

static bool owns(const CUgraph_st &graph, const void *pointer) {
  const auto &pointers = graph.memory->pointers;
  return std::find(pointers.begin(), pointers.end(), pointer) != pointers.end();
}

bool frees_others(const CUgraph_st &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto &node) {
    return node->type == cudaGraphNodeTypeMemFree && !owns(graph, node->memory.dptr);
  });
}

cudaError_t begin_memory(const CUgraph_st &graph, bool frees) {
  if (!has_memory(graph)) return cudaSuccess;
  // What is given behind unfinished work is not judged: it is not known yet what will be there.
  for (const auto &node : graph.nodes) {
    if (any_unfinished()) break;
    void *const pointer = node->memory.dptr;
    if (node->type == cudaGraphNodeTypeMemFree && !owns(graph, pointer) && !is_live(pointer)) return cudaErrorInvalidValue;
    if (node->type != cudaGraphNodeTypeMemAlloc || !is_live(pointer)) continue;
    if (!frees) return cudaErrorInvalidValue;
    set_live(pointer, false);
  }
  std::lock_guard<std::mutex> lock(mapped_mutex);
  mapped = std::max(mapped, in_use(graph.memory.get()));
  mapped_high = std::max(mapped_high, mapped);
  reserved_high = std::max(reserved_high, mapped);
  return cudaSuccess;
}

// As much memory of the graph, which a node before this one gives back and none takes again.
static void *freed_before(const CUgraphNode_st &node) {
  std::unordered_set<const CUgraphNode_st *> before;
  std::vector<const CUgraphNode_st *> rest(node.needs.begin(), node.needs.end());
  while (!rest.empty()) {
    const CUgraphNode_st *const other = rest.back();
    rest.pop_back();
    if (before.insert(other).second) rest.insert(rest.end(), other->needs.begin(), other->needs.end());
  }
  for (const CUgraphNode_st *other : before) {
    void *const pointer = other->memory.dptr;
    Allocation found;
    if (other->type != cudaGraphNodeTypeMemFree || !owns(*node.graph, pointer) || node.graph->memory->open[pointer]) continue;
    const auto frees_later = [&](const std::unique_ptr<CUgraphNode_st> &one) {
      return one->type == cudaGraphNodeTypeMemFree && one->memory.dptr == pointer && !before.count(one.get());
    };
    const auto &nodes = node.graph->nodes;
    const bool is_free = std::none_of(nodes.begin(), nodes.end(), frees_later);
    if (is_free && allocation_at(pointer, &found) && found.bytes == node.memory.bytesize) return pointer;
  }
  return nullptr;
}

cudaError_t place_graph_memory(CUgraphNode_st *node) {
  const cudaMemPoolProps &props = node->memory.poolProps;
  if (!node->memory.bytesize || props.allocType != cudaMemAllocationTypePinned ||
      props.location.type != cudaMemLocationTypeDevice || props.location.id)
    return cudaErrorInvalidValue;
  if (props.handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
  for (size_t i = 0; i < node->memory.accessDescCount; ++i)
    if (node->memory.accessDescs[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorNotSupported;
  node->memory.dptr = freed_before(*node);
  if (node->memory.dptr) {
    ++node->graph->memory->open[node->memory.dptr];
    return cudaSuccess;
  }
  Allocation made;
  const cudaError_t error = allocate(node->memory.bytesize, cudaMemoryTypeDevice, GRAPH_MEMORY, &made);
  if (error != cudaSuccess) return error;
  set_live(made.base, false);
  node->memory.dptr = made.base;
  node->graph->memory->pointers.push_back(made.base);
  node->graph->memory->open[made.base] = 1;
  return cudaSuccess;
}

cudaError_t check_graph_free(const CUgraph_st &graph, const void *pointer) {
  Allocation found;
  if (!allocation_at(pointer, &found) || found.flags != GRAPH_MEMORY || found.base != pointer) return cudaErrorInvalidValue;
  for (const auto &node : graph.nodes)
    if (node->type == cudaGraphNodeTypeMemFree && node->memory.dptr == pointer && !owns(graph, pointer)) return cudaErrorInvalidValue;
  std::lock_guard<std::mutex> lock(mapped_mutex);
  for (const GraphMemory *memory : memories) {
    const auto found = memory->open.find(pointer);
    if (found != memory->open.end() && !found->second) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

void add_graph_free(CUgraphNode_st *node, void *pointer) {
  node->memory.dptr = pointer;
  if (owns(*node->graph, pointer)) --node->graph->memory->open[pointer];
}

cudaError_t capture_allocation(cudaStream_t stream, size_t bytes, void **pointer) {
  const cudaGraphNode_t node = capture_node(stream, cudaGraphNodeTypeMemAlloc);
  if (!node) return record(cudaErrorStreamCaptureInvalidated);
  node->memory.bytesize = bytes;
  node->memory.poolProps.allocType = cudaMemAllocationTypePinned;
  node->memory.poolProps.location.type = cudaMemLocationTypeDevice;
  const cudaError_t error = place_graph_memory(node);
  *pointer = node->memory.dptr;
  return record(error);
}

cudaError_t capture_free(cudaStream_t stream, void *pointer) {
  const Capture &capture = *stream_object(stream)->capture;
  if (capture.invalid) return record(cudaErrorStreamCaptureInvalidated);
  const cudaError_t error = check_graph_free(*capture.graph, pointer);
  if (error != cudaSuccess) return record(error);
  const cudaGraphNode_t node = capture_node(stream, cudaGraphNodeTypeMemFree);
  if (!node) return record(cudaErrorStreamCaptureInvalidated);
  add_graph_free(node, pointer);
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(mapped_mutex);
  unsigned long long *const answer = static_cast<unsigned long long *>(value);
  *answer = attribute == cudaGraphMemAttrUsedMemHigh       ? mapped_high
            : attribute == cudaGraphMemAttrReservedMemHigh ? reserved_high
                                                           : mapped;
  return cudaSuccess;
}
// High marks can be reset, and nothing else.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  if (!value || *static_cast<unsigned long long *>(value)) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(mapped_mutex);
  if (attribute == cudaGraphMemAttrUsedMemHigh) mapped_high = mapped;
  else if (attribute == cudaGraphMemAttrReservedMemHigh) reserved_high = mapped;
  else return record(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  GPUOPT_EMU_ENTER();
  if (device) return record(cudaErrorInvalidDevice);
  std::lock_guard<std::mutex> lock(mapped_mutex);
  mapped = in_use(nullptr);
  return cudaSuccess;
}
}
