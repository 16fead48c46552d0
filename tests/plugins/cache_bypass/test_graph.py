"""The traffic reduction graph: the paper's figure 4, exact against heuristic, time limit, and table IV's times."""

from __future__ import annotations

import itertools
import random

import networkx as nx
import pytest
from gpuopt_plugins.cache_bypass import graph as trg
from gpuopt_plugins.cache_bypass.metrics import (
    Load,
    Metrics,
    shared_efficiency,
    strided_efficiency,
    uniform_efficiency,
)

from gpuopt_driver.api import Shape, coalescing, expr


def weighted(nodes: dict[int, float], edges: dict[tuple[int, int], float]) -> nx.Graph:
    graph = nx.Graph()
    for node, weight in nodes.items():
        graph.add_node(node, weight=weight)
    for (a, b), weight in edges.items():
        graph.add_edge(a, b, weight=weight)
    return graph


def random_graph(size: int, seed: int) -> nx.Graph:
    choose = random.Random(seed)
    nodes = {node: choose.randint(-10, 10) for node in range(size)}
    return weighted(nodes, {pair: choose.randint(-6, 6) for pair in itertools.combinations(range(size), 2)})


def best_by_trying(graph: nx.Graph) -> float:
    nodes = sorted(graph.nodes)
    sets = itertools.chain.from_iterable(itertools.combinations(nodes, size) for size in range(len(nodes) + 1))
    return max(trg.reduction(graph, frozenset(chosen)) for chosen in sets)


def test_figure_4() -> None:
    """V3 costs 5, 5 and 4 with the others and saves 1 alone: it goes first, then V4 is cached, and the others too."""
    graph = weighted({1: 4, 2: 5, 3: 1, 4: 3}, {(1, 2): 3, (1, 3): -5, (2, 3): -5, (3, 4): -4, (1, 4): 2, (2, 4): -1})
    assert sum(data["weight"] for _, _, data in graph.edges(3, data=True)) == -14
    found = trg.heuristic(graph)
    assert found.cached == {1, 2, 4}
    assert found.saved == 4 + 5 + 3 + 3 + 2 - 1
    exact = trg.exact(graph, 10.0)
    assert exact is not None
    assert exact.cached == found.cached
    assert best_by_trying(graph) == found.saved


def test_a_bypassed_load_no_longer_counts_against_the_others() -> None:
    graph = weighted({0: 1, 1: 2}, {(0, 1): -10})
    assert trg.heuristic(graph).cached in ({0}, {1})
    exact = trg.exact(graph, 10.0)
    assert exact is not None
    assert exact.cached == {1}


def test_exact_is_the_best_of_all_sets_and_heuristic_is_close() -> None:
    equal, worst = 0, 1.0
    for seed in range(30):
        graph = random_graph(8, seed)
        best = best_by_trying(graph)
        exact, heuristic = trg.exact(graph, 10.0), trg.heuristic(graph)
        assert exact is not None
        assert exact.saved == best
        assert heuristic.saved <= best
        equal += heuristic.saved == best
        worst = min(worst, heuristic.saved / best if best else 1.0)
    assert (equal, round(worst, 2)) == (15, 0.5)


def test_larger_graphs() -> None:
    shares = []
    for seed in range(6):
        graph = random_graph(16, seed)
        exact, heuristic = trg.exact(graph, 20.0), trg.heuristic(graph)
        assert exact is not None
        shares.append(heuristic.saved / exact.saved)
    assert max(shares) == 1.0
    assert min(shares) > 0.7


def test_time_limit_falls_back_to_the_heuristic() -> None:
    graph = random_graph(40, 1)
    found = trg.solve(graph, "auto", 0.01)
    assert found.method == "heuristic"
    assert found.note == "no proof within 0.01 s"
    assert found.cached == trg.heuristic(graph).cached


def test_what_needs_no_solver() -> None:
    gains = weighted({0: 1, 1: 0}, {(0, 1): 2})
    assert trg.solve(gains, "auto", 1.0) == trg.Solution(frozenset({0, 1}), 3.0, "trivial")
    costs = weighted({0: -1, 1: 0}, {(0, 1): -2})
    assert trg.solve(costs, "auto", 1.0) == trg.Solution(frozenset(), 0.0, "trivial")
    assert trg.solve(costs, "heuristic", 1.0).method == "heuristic"


def test_graphs_of_the_sizes_of_table_iv() -> None:
    """The paper's slowest benchmark took 35 s; a graph of 60 loads (heuristic) and one of 14 (exact, PFFL) here."""
    assert trg.heuristic(random_graph(60, 3)).method == "heuristic"
    exact = trg.exact(random_graph(14, 3), 20.0)  # None once its time is up
    assert exact is not None


def metrics() -> Metrics:
    loads = (
        Load(0, "a", 1, 1, access=1000, hit=900, efficiency_on=1.0, efficiency_off=1.0),
        Load(1, "b", 2, 1, access=1000, hit=0, efficiency_on=0.125, efficiency_off=0.5),
        Load(2, "c", 3, 1, access=500, hit=100, efficiency_on=0.5, efficiency_off=1.0),
    )
    return Metrics("static", loads, 128, 128, {(0, 1): 700.0, (0, 2): 1200.0})


def test_traffic_and_gain() -> None:
    """Section IV-C: T_on, T_off, gain_ij, and definition 1."""
    found = metrics()
    assert found.traffic_on(1) == 1000 * 128
    assert found.traffic_off(1) == 1000 * 128 * 0.25
    assert found.gain(0, 1) == -200
    assert found.gain(2, 0) == 200
    assert found.gain(1, 2) == 0
    graph = trg.traffic_graph(found)
    assert graph.nodes[0]["weight"] == 1000 * 128 - 100 * 128
    assert graph.nodes[1]["weight"] == -1000 * 96
    assert graph.edges[0, 1]["weight"] == -200 * 128
    assert trg.solve(graph, "exact", 5.0).cached == trg.heuristic(graph).cached == {0, 2}


@pytest.mark.parametrize(
    ("offset", "element", "data", "formula"),
    [
        ({"x": 4}, 4, 4, lambda b: strided_efficiency(b, 4, 4, 1)),
        ({"x": 8}, 4, 4, lambda b: strided_efficiency(b, 4, 4, 2)),
        ({"x": 64}, 4, 4, lambda b: strided_efficiency(b, 4, 4, 16)),
        ({"x": 256}, 4, 4, lambda b: strided_efficiency(b, 4, 4, 64)),
        ({"x": 32}, 32, 4, lambda b: strided_efficiency(b, 32, 4, 1)),
        ({"x": 0}, 4, 4, lambda b: uniform_efficiency(b, 4)),
        ({"x/16": 4}, 4, 4, lambda b: shared_efficiency(b, 4, 4, 16)),
    ],
)
@pytest.mark.parametrize("block", [128, 32])
def test_table_ii_is_what_counting_gives(offset, element, data, formula, block) -> None:
    """Useful bytes over bytes moved, by enumerating the lanes of a warp, for transfers of L1's and of L2's size."""
    x = expr.Sym("threadIdx.x", expr.SymKind.THREAD)
    (name, factor), *_ = offset.items()
    address = expr.mul(expr.Const(factor), x if name == "x" else expr.op("/", x, expr.Const(16)))
    starts = coalescing.addresses(address, Shape(32), {}, range(32))
    assert starts is not None
    useful = coalescing.distinct(starts, data, 1, 1).lines
    moved = coalescing.distinct(starts, data, block, block).lines * block
    assert useful / moved == pytest.approx(formula(block))
