// Building, copying and running graphs.
#include "graph.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "allocations.h"
#include "settings.h"
#include "streams.h"

namespace gpuopt_emu {

static unsigned long long next_number() {
  static std::atomic<unsigned long long> numbers{0};
  return ++numbers;
}

unsigned long long next_moment() { return next_number(); }

CUgraphNode_st *add_node(cudaGraph_t graph, cudaGraphNodeType type, std::vector<CUgraphNode_st *> needs) {
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode_st *const node = graph->nodes.back().get();
  node->type = type;
  node->graph = graph;
  node->number = next_number();
  node->needs = std::move(needs);
  node->root_since = node->exit_since = node->number;
  return node;
}

void copy_graph(const CUgraph_st &graph, std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> *copies,
                CUgraph_st *result) {
  result->memory = graph.memory;
  for (const cudaUserObject_t object : graph.objects) cudaGraphRetainUserObject(result, object, 1, 0);
  for (const auto &node : graph.nodes) {
    result->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    CUgraphNode_st *const copy = result->nodes.back().get();
    copy->graph = result;
    copy->number = next_number();
    copy->original = node->number;
    for (size_t i = 0; i < copy->arguments.size(); ++i) copy->argument_pointers[i] = copy->arguments[i].data();
    if (copy->child) copy->child = copy_graph(*copy->child, copies);
    for (auto &body : copy->bodies) body = copy_graph(*body, copies);
    (*copies)[node.get()] = copy;
  }
  for (const auto &node : result->nodes)
    for (auto &other : node->needs) other = copies->at(other);
}

std::shared_ptr<CUgraph_st> copy_graph(const CUgraph_st &graph,
                                       std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> *copies) {
  const auto result = std::make_shared<CUgraph_st>();
  copy_graph(graph, copies, result.get());
  return result;
}

bool sorted(const CUgraph_st &graph, std::vector<CUgraphNode_st *> *order) {
  std::unordered_map<const CUgraphNode_st *, int> state;  // 1: entered, 2: done
  struct Step {
    CUgraphNode_st *node;
    size_t next;
  };
  for (const auto &root : graph.nodes) {
    if (state[root.get()]) continue;
    std::vector<Step> path{{root.get(), 0}};
    state[root.get()] = 1;
    while (!path.empty()) {
      Step &step = path.back();
      if (step.next == step.node->needs.size()) {
        state[step.node] = 2;
        order->push_back(step.node);
        path.pop_back();
        continue;
      }
      CUgraphNode_st *const other = step.node->needs[step.next++];
      int &known = state[other];
      if (known == 1) return false;
      if (known == 0) {
        known = 1;
        path.push_back({other, 0});
      }
    }
  }
  return true;
}

CUgraphNode_st *in_a_circle(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> left;
  for (const auto &node : graph.nodes) left.push_back(node.get());
  // Without those that need none of the others, and those that none of the others needs, again and again.
  for (size_t before = 0; before != left.size();) {
    before = left.size();
    const std::unordered_set<const CUgraphNode_st *> there(left.begin(), left.end());
    std::unordered_set<const CUgraphNode_st *> needed;
    for (const CUgraphNode_st *node : left) needed.insert(node->needs.begin(), node->needs.end());
    const auto is_end = [&](const CUgraphNode_st *node) {
      const auto is_there = [&](const CUgraphNode_st *other) { return there.count(other) != 0; };
      return !needed.count(node) || std::none_of(node->needs.begin(), node->needs.end(), is_there);
    };
    left.erase(std::remove_if(left.begin(), left.end(), is_end), left.end());
  }
  return left.empty() ? nullptr : left.back();
}

static cudaError_t run_condition(const CUgraphNode_st &node) {
  unsigned *const value = condition_value(node.handle);
  if (!value) return cudaErrorInvalidValue;
  if (node.condition == cudaGraphCondTypeSwitch)
    return *value < node.bodies.size() ? run_graph(*node.bodies[*value]) : cudaSuccess;
  if (node.condition == cudaGraphCondTypeIf) {
    if (!*value) return node.bodies.size() > 1 ? run_graph(*node.bodies[1]) : cudaSuccess;
    return run_graph(*node.bodies[0]);
  }
  while (*value) {
    const cudaError_t error = run_graph(*node.bodies[0]);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

static cudaError_t run_node(const CUgraphNode_st &node) {
  if (node.work) return node.work();
  switch (node.type) {
    case cudaGraphNodeTypeKernel:
      return run_launch(node.launch.kernel, node.launch.loop, node.launch.closure.memory(), node.launch.configuration);
    case cudaGraphNodeTypeMemcpy: return do_copy(node.copy);
    case cudaGraphNodeTypeMemset: return do_fill(node.fill);
    case cudaGraphNodeTypeHost: {
      const HostFunction inside;
      node.host.fn(node.host.userData);
      return cudaSuccess;
    }
    case cudaGraphNodeTypeGraph: return run_graph(*node.child);
    case cudaGraphNodeTypeEventRecord:
      node.event->task = nullptr;
      node.event->time = event_time();
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: set_live(node.memory.dptr, true); return cudaSuccess;
    case cudaGraphNodeTypeMemFree: set_live(node.memory.dptr, false); return cudaSuccess;
    case cudaGraphNodeTypeConditional: return run_condition(node);
    default: return cudaSuccess;
  }
}

static bool may_wait(const CUgraphNode_st &node) {
  if (node.type == cudaGraphNodeTypeHost || (node.type == cudaGraphNodeTypeKernel && may_wait(*node.launch.kernel))) return true;
  if (node.child && may_wait(*node.child)) return true;
  return std::any_of(node.bodies.begin(), node.bodies.end(), [](const auto &body) { return may_wait(*body); });
}

bool may_wait(const CUgraph_st &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) { return may_wait(*node); });
}

namespace {

// One after another too, but those that may wait as parts of the calling thread's task: while they do nothing else, nodes
// that do not need them go on.
class NodesApart {
 public:
  explicit NodesApart(const std::vector<CUgraphNode_st *> &order) : left_(order), open_(order.begin(), order.end()) {}

  cudaError_t run() {
    while (!left_.empty() || !going_.empty()) {
      take_ended();
      if (error_ != cudaSuccess || has_failed()) left_.clear();  // a kernel's error ends the graph
      const auto next = std::find_if(left_.begin(), left_.end(), [this](const CUgraphNode_st *node) { return is_next(*node); });
      if (next != left_.end()) {
        const CUgraphNode_st *const node = *next;
        left_.erase(next);
        begin(*node);
      } else if (!going_.empty()) {
        std::vector<TaskPointer> parts;
        for (const auto &part : going_) parts.push_back(part.second);
        wait_for_a_part(parts);
      }
    }
    return error_;
  }

 private:
  bool is_next(const CUgraphNode_st &node) const {
    return std::none_of(node.needs.begin(), node.needs.end(), [this](const CUgraphNode_st *other) { return open_.count(other); });
  }
  void end(const CUgraphNode_st *node, cudaError_t result) {
    open_.erase(node);
    if (error_ == cudaSuccess) error_ = result;
  }
  void begin(const CUgraphNode_st &node) {
    if (!node.enabled) return end(&node, cudaSuccess);
    if (!may_wait(node)) return end(&node, run_node(node));
    const double patience = node.type == cudaGraphNodeTypeHost ? HOST_FUNCTION.patience : 0;
    going_[&node] = run_part([&node] { return run_node(node); }, patience);
  }
  void take_ended() {
    for (auto part = going_.begin(); part != going_.end();) {
      if (!part->second->done) {
        ++part;
        continue;
      }
      end(part->first, part->second->result);
      part = going_.erase(part);
    }
  }

  std::vector<CUgraphNode_st *> left_;                             // that have not begun
  std::unordered_set<const CUgraphNode_st *> open_;                // that have not ended
  std::unordered_map<const CUgraphNode_st *, TaskPointer> going_;  // that have begun
  cudaError_t error_ = cudaSuccess;
};

}  // namespace

cudaError_t run_graph(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> order;
  if (!sorted(graph, &order)) return cudaErrorInvalidValue;
  if (this_task && may_wait(graph)) return NodesApart(order).run();
  for (const CUgraphNode_st *node : order) {
    if (!node->enabled) continue;
    const cudaError_t error = run_node(*node);
    if (error != cudaSuccess) return error;
    if (has_failed()) break;  // a kernel's error ends the graph
  }
  return cudaSuccess;
}

}  // namespace gpuopt_emu
