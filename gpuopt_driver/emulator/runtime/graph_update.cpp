// Updates of executable graphs: which nodes of two graphs belong together, and what may differ between them.
#include <string.h>

#include <algorithm>
#include <unordered_set>

#include "graph.h"

namespace gpuopt_emu {

std::vector<CUgraphNode_st *> roots_of(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> found;
  for (const auto &node : graph.nodes)
    if (node->needs.empty()) found.push_back(node.get());
  const auto later = [](const CUgraphNode_st *a, const CUgraphNode_st *b) { return a->root_since > b->root_since; };
  std::sort(found.begin(), found.end(), later);
  return found;
}

// Nodes that no other one needs, the latest first.
static std::vector<CUgraphNode_st *> exits_of(const CUgraph_st &graph) {
  std::unordered_set<const CUgraphNode_st *> needed;
  for (const auto &node : graph.nodes) needed.insert(node->needs.begin(), node->needs.end());
  std::vector<CUgraphNode_st *> found;
  for (const auto &node : graph.nodes)
    if (!needed.count(node.get())) found.push_back(node.get());
  const auto later = [](const CUgraphNode_st *a, const CUgraphNode_st *b) { return a->exit_since > b->exit_since; };
  std::sort(found.begin(), found.end(), later);
  return found;
}

static bool is_flat(const cudaMemcpy3DParms &copy) {
  return !copy.srcArray && !copy.dstArray && copy.extent.height <= 1 && copy.extent.depth <= 1;
}

cudaError_t check_change(const CUgraphNode_st &node, const cudaMemcpy3DParms &now) {
  const bool same = is_flat(node.copy) && is_flat(now) && node.copy.kind == now.kind;
  return same ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check_change(const CUgraphNode_st &node, const cudaMemsetParams &now) {
  const cudaMemsetParams &old = node.fill;
  if (old.height <= 1) return now.height <= 1 ? cudaSuccess : cudaErrorInvalidValue;
  const bool same = old.height == now.height && old.pitch == now.pitch && old.width == now.width && old.elementSize == now.elementSize;
  return same ? cudaSuccess : cudaErrorInvalidValue;
}

// Nodes of two graphs that belong together: exits in their order, and then what they need in its order.
class Pairing {
 public:
  cudaGraphExecUpdateResult pair(const CUgraph_st &old, const CUgraph_st &now, cudaGraphExecUpdateResultInfo *info) {
    if (old.nodes.size() != now.nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    const auto old_exits = exits_of(old), exits = exits_of(now);
    if (exits.size() > old_exits.size()) info->errorNode = exits[old_exits.size()];
    if (exits.size() != old_exits.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < exits.size(); ++i) add(old_exits[i], exits[i]);
    for (size_t i = 0; i < pairs_.size(); ++i)
      if (!pair_needs(*pairs_[i].first, *pairs_[i].second, info)) return cudaGraphExecUpdateErrorTopologyChanged;
    return cudaGraphExecUpdateSuccess;
  }
  const std::vector<std::pair<CUgraphNode_st *, CUgraphNode_st *>> &pairs() const { return pairs_; }

 private:
  void add(CUgraphNode_st *old, CUgraphNode_st *now) {
    pairs_.emplace_back(old, now);
    partner_[old] = now;
    partner_[now] = old;
  }
  bool pair_needs(const CUgraphNode_st &old, CUgraphNode_st &now, cudaGraphExecUpdateResultInfo *info) {
    info->errorNode = &now;
    if (old.needs.size() != now.needs.size()) return false;
    for (size_t i = 0; i < old.needs.size(); ++i) {
      CUgraphNode_st *const a = old.needs[i], *const b = now.needs[i];
      const auto found = partner_.find(a);
      if (found == partner_.end() && !partner_.count(b)) add(a, b);
      else if (found == partner_.end() || found->second != b) {
        info->errorFromNode = b;
        return false;
      }
    }
    info->errorNode = nullptr;
    return true;
  }

  std::vector<std::pair<CUgraphNode_st *, CUgraphNode_st *>> pairs_;
  std::unordered_map<CUgraphNode_st *, CUgraphNode_st *> partner_;
};

static cudaGraphExecUpdateResult compare(const CUgraph_st &old, const CUgraph_st &now, bool assigns,
                                         cudaGraphExecUpdateResultInfo *info);

static cudaGraphExecUpdateResult compare_nodes(const CUgraphNode_st &a, const CUgraphNode_st &b, bool assigns,
                                               cudaGraphExecUpdateResultInfo *info) {
  if (a.type != b.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
  switch (a.type) {
    case cudaGraphNodeTypeKernel:
      if (a.launch.configuration.cooperative != b.launch.configuration.cooperative)
        return cudaGraphExecUpdateErrorAttributesChanged;
      break;
    case cudaGraphNodeTypeMemcpy:
      if (memcmp(&a.copy, &b.copy, sizeof a.copy) != 0 && check_change(a, b.copy) != cudaSuccess)
        return cudaGraphExecUpdateErrorParametersChanged;
      break;
    case cudaGraphNodeTypeMemset:
      if (check_change(a, b.fill) != cudaSuccess) return cudaGraphExecUpdateErrorParametersChanged;
      break;
    case cudaGraphNodeTypeGraph: return compare(*a.child, *b.child, assigns, info);
    case cudaGraphNodeTypeConditional:
      if (a.condition != b.condition || a.bodies.size() != b.bodies.size()) return cudaGraphExecUpdateErrorParametersChanged;
      for (size_t i = 0; i < a.bodies.size(); ++i) {
        const cudaGraphExecUpdateResult inner = compare(*a.bodies[i], *b.bodies[i], assigns, info);
        if (inner != cudaGraphExecUpdateSuccess) return inner;
      }
      break;
    default: break;
  }
  return cudaGraphExecUpdateSuccess;
}

// What the node does from now on; it stays where it is.
static void assign(CUgraphNode_st *node, const CUgraphNode_st &now) {
  CUgraphNode_st made = now;
  made.graph = node->graph;
  made.needs = std::move(node->needs);
  made.number = node->number;
  made.original = node->original;
  made.root_since = node->root_since;
  made.exit_since = node->exit_since;
  made.enabled = node->enabled;
  made.child = node->child;
  made.bodies = node->bodies;
  *node = std::move(made);
  for (size_t i = 0; i < node->arguments.size(); ++i) node->argument_pointers[i] = node->arguments[i].data();
}

// With `assigns`, graphs that were compared before.
static cudaGraphExecUpdateResult compare(const CUgraph_st &old, const CUgraph_st &now, bool assigns,
                                         cudaGraphExecUpdateResultInfo *info) {
  Pairing pairing;
  const cudaGraphExecUpdateResult result = pairing.pair(old, now, info);
  if (result != cudaGraphExecUpdateSuccess) return result;
  for (const auto &pair : pairing.pairs()) {
    const cudaGraphExecUpdateResult different = compare_nodes(*pair.first, *pair.second, assigns, info);
    if (different != cudaGraphExecUpdateSuccess) {
      const bool is_inside = pair.first->type == pair.second->type && (pair.first->child || !pair.first->bodies.empty());
      if (!is_inside) info->errorNode = pair.second;
      return different;
    }
    if (assigns) assign(pair.first, *pair.second);
  }
  return cudaGraphExecUpdateSuccess;
}

cudaGraphExecUpdateResult update(const CUgraph_st &old, const CUgraph_st &now, cudaGraphExecUpdateResultInfo *info) {
  *info = cudaGraphExecUpdateResultInfo{cudaGraphExecUpdateSuccess, nullptr, nullptr};
  info->result = compare(old, now, false, info);
  if (info->result == cudaGraphExecUpdateSuccess) compare(old, now, true, info);
  return info->result;
}

}  // namespace gpuopt_emu
