"""The traffic reduction graph (definition 1) and its two solvers: integer programming (section V-B) and algorithm 1.

A node is a load, weighted with the L2 traffic that caching it saves; an edge is what two loads save or cost each other.
The set of nodes with the largest total weight is cached, the others go past L1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpuopt_driver.api import dataclass

from .metrics import Metrics

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Solution:
    """The loads that are cached, the traffic (bytes) that this saves against bypassing all, and who found it."""

    cached: frozenset[int]
    saved: float
    method: str  # "trivial", "exact", "heuristic", "cache-all", "bypass-all"
    note: str = ""  # why the exact solution was not used


def traffic_graph(metrics: Metrics) -> nx.Graph:
    """Definition 1: W(v_i) = T_off - T_on, W(e_ij) = gain_ij times the bytes that a miss brings."""
    import networkx as nx  # noqa: PLC0415  # start-up time: most kernels need no graph

    graph = nx.Graph()
    for load in metrics.loads:
        graph.add_node(load.index, weight=metrics.traffic_off(load.index) - metrics.traffic_on(load.index))
    for first, second in metrics.together:
        graph.add_edge(first, second, weight=metrics.gain(first, second) * metrics.fetch_bytes)
    return graph


def reduction(graph: nx.Graph, cached: frozenset[int]) -> float:
    """T(G'): the traffic saved by caching these loads and no others."""
    nodes = math.fsum(graph.nodes[node]["weight"] for node in cached)
    both = (data["weight"] for a, b, data in graph.edges(data=True) if a in cached and b in cached)
    return nodes + math.fsum(both)


def fixed(graph: nx.Graph, cached: frozenset[int], method: str) -> Solution:
    """A choice that somebody else made, with what it saves."""
    return Solution(cached, reduction(graph, cached), method)


def heuristic(graph: nx.Graph) -> Solution:
    """Algorithm 1. Of nodes with equal T_other the last one is looked at first, as in the printed comparison."""
    remaining = sorted(graph.nodes)
    others = {node: math.fsum(data["weight"] for _, _, data in graph.edges(node, data=True)) for node in remaining}
    cached: set[int] = set()
    while remaining:
        chosen = remaining[0]
        for node in remaining:
            if others[node] <= others[chosen]:
                chosen = node
        remaining.remove(chosen)
        if others[chosen] + graph.nodes[chosen]["weight"] > 0:
            cached.add(chosen)
            continue
        for neighbour, data in graph[chosen].items():
            others[neighbour] -= data["weight"]
    return fixed(graph, frozenset(cached), "heuristic")


def exact(graph: nx.Graph, seconds: float) -> Solution | None:
    """Section V-B as a mixed integer program; None where no optimum was proved within the time limit.

    A product M_ij = N_i N_j needs its upper bounds where the edge is positive and its lower bound where it is negative.
    """
    import highspy  # noqa: PLC0415  # start-up time

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", float(seconds))
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    scale = _scale(graph)
    picks = {node: solver.addBinary(obj=-graph.nodes[node]["weight"] / scale) for node in sorted(graph.nodes)}
    for a, b, data in sorted(graph.edges(data=True), key=lambda edge: (edge[0], edge[1])):
        if not data["weight"]:
            continue
        both = solver.addVariable(0, 1, -data["weight"] / scale)
        if data["weight"] > 0:
            solver.addConstr(both <= picks[a])
            solver.addConstr(both <= picks[b])
        else:
            solver.addConstr(both >= picks[a] + picks[b] - 1)
    solver.minimize()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    values = solver.getSolution().col_value
    return fixed(graph, frozenset(node for node, pick in picks.items() if values[pick.index] > 0.5), "exact")


def _scale(graph: nx.Graph) -> float:
    """The largest weight: a solver's tolerances are absolute."""
    weights = [abs(data["weight"]) for _, data in graph.nodes(data=True)]
    weights += [abs(data["weight"]) for _, _, data in graph.edges(data=True)]
    return max([*weights, 0.0]) or 1.0


def trivial(graph: nx.Graph) -> Solution | None:
    """The optimum where no two weights contradict each other, None where they do."""
    weights = [data["weight"] for _, data in graph.nodes(data=True)]
    weights += [data["weight"] for _, _, data in graph.edges(data=True)]
    if all(weight >= 0 for weight in weights):
        return fixed(graph, frozenset(graph.nodes), "trivial")
    if all(weight <= 0 for weight in weights):
        return fixed(graph, frozenset(), "trivial")
    return None


def solve(graph: nx.Graph, method: str, seconds: float) -> Solution:
    """The chosen loads: exact where asked for ("exact", "auto") and found in time, else by algorithm 1."""
    if method == "heuristic":
        return heuristic(graph)
    found = trivial(graph)
    if found is not None:
        return found
    try:
        found = exact(graph, seconds)
    except ImportError:
        return _instead(heuristic(graph), "highspy is not installed")
    return found if found is not None else _instead(heuristic(graph), f"no proof within {seconds:g} s")


def every_method(graph: nx.Graph, mine: Solution, seconds: float) -> dict[str, frozenset[int]]:
    """The loads that every method would have cached, `mine` among them ("exact" only where proved in time)."""
    found = {"cache-all": frozenset(graph.nodes), "bypass-all": frozenset[int](), "heuristic": heuristic(graph).cached}
    optimum = mine if mine.method != "heuristic" else solve(graph, "heuristic" if mine.note else "exact", seconds)
    if optimum.method != "heuristic":
        found["exact"] = optimum.cached
    return found


def _instead(solution: Solution, note: str) -> Solution:
    return Solution(solution.cached, solution.saved, solution.method, note)
