"""The choice for one kernel: the launch where most is to be gained, its traffic reduction graph, and the baselines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpuopt_driver.api import Arch, Context, Kernel, Site, dataclass, l1_reuse, loop_loads, sites

from .graph import Solution, every_method, fixed, solve, traffic_graph
from .metrics import Metrics
from .options import Options
from .static import Loads, metrics, streams, total

if TYPE_CHECKING:
    import networkx as nx


BASELINES = ("cache-all", "bypass-all", "fixed")  # methods that ask no model
# What a loop must hold, relative to L1: on an H200 one at 0.93 lost 1 % by bypassing, two at 0.985 won 10 %.
LEAST_OVERFLOW = 0.95


@dataclass(frozen=True, slots=True)
class Choice:
    """What is done about a kernel's loads: those that go past L1, and what every method would have done.

    `gain` is L2 traffic with all loads cached over L2 traffic with this choice; `held` and `kept` are the bytes of L1
    that all loads, and the cached ones, hold between two iterations. `cached_by` and `bytes_from_l2` are by method.
    """

    bypassed: frozenset[int]
    metrics: Metrics
    solution: Solution
    gain: float
    held: int
    kept: int
    cache: l1_reuse.Cache
    blocks: int
    warps: int
    cached_by: Mapping[str, frozenset[int]]  # "choice": this one
    bytes_from_l2: Mapping[str, float]
    exact_numbers: bool


def forced(graph: nx.Graph, always: frozenset[int]) -> nx.Graph:
    """The graph of the loads that may go past L1: what the others, always cached, save with them joins their nodes."""
    smaller = graph.copy()
    for node in always:
        for neighbour, data in graph[node].items():
            if neighbour not in always:
                smaller.nodes[neighbour]["weight"] += data["weight"]
        smaller.remove_node(node)
    return smaller


def choose(graph: nx.Graph, free: frozenset[int], options: Options) -> tuple[Solution, dict[str, frozenset[int]]]:
    """The cached loads by the policy's method, and by every method, with those that must be cached among them."""
    stay = frozenset(graph.nodes) - free
    smaller = forced(graph, stay)
    found = solve(smaller, options.method, options.seconds)
    whole = fixed(graph, found.cached | stay, found.method)
    by_method = every_method(smaller, found, options.seconds)
    return (
        Solution(whole.cached, whole.saved, whole.method, found.note),
        {name: cached | stay for name, cached in by_method.items()},
    )


@dataclass(frozen=True, slots=True)
class At:
    """A launch (or a residency that it may have) with the terms of all loops."""

    site: Site
    blocks: int
    cache: l1_reuse.Cache
    counted: tuple[loop_loads.Counted, ...]
    free: frozenset[int]  # the loads that may go past L1 here, numbered through the loops

    @property
    def overflow(self) -> float:
        """The most that any loop holds, relative to L1."""
        return max(held(found, self.cache) for found in self.counted) / self.cache.l1


def held(found: loop_loads.Counted, cache: l1_reuse.Cache) -> int:
    """Bytes of L1 that all loads of a loop hold."""
    return l1_reuse.footprint(found.terms, range(len(found.terms)), cache)


def candidates(
    kernel: Kernel, context: Context, options: Options, loops: Sequence[Loads], *, divided: bool = False
) -> Iterator[At]:
    """Every launch with the residency that it has, or each that it may have where its grid is not known.

    `divided`: beside every division of L1 and shared memory that another plugin may choose, not beside the driver's.
    """
    arch = context.arch
    given = context.resources
    for site in sites(
        kernel,
        context.launches,
        arch,
        registers=given.registers,
        static_shared_bytes=given.static_shared_bytes,
    ):
        if not site.occupancy.blocks:
            continue
        rooms = list(_rooms(arch, options, site, divided=divided))
        if not rooms:
            continue
        values = loop_loads.guessed([item.made for item in loops], site.values)
        counted = [loop_loads.count(item.made, site.shape, values, loop_loads.cache_of(arch, 1)) for item in loops]
        if any(found is None for found in counted):
            continue
        most = site.occupancy.blocks
        for l1, fit in rooms:
            for blocks in (min(most, fit),) if site.known else range(min(most, fit), 0, -1):
                both = [
                    (item, found.resident(item.made, blocks))
                    for found, item in zip(counted, loops, strict=True)
                    if found
                ]
                cache = loop_loads.cache_of(arch, l1)
                yield At(site, blocks, cache, tuple(found for _, found in both), _free(both))


def _rooms(arch: Arch, options: Options, site: Site, *, divided: bool) -> Iterator[tuple[int, int]]:
    """The L1 (bytes) that a launch may have, and how many blocks fit beside it."""
    usable, most = arch.l1.usable_fraction, site.occupancy.blocks
    if not divided:
        l1 = options.l1_bytes or int(site.occupancy.l1_bytes * usable)
        if l1:
            yield l1, most
        return
    each = site.occupancy.shared_per_block
    if options.l1_bytes or not site.shared_bytes or arch.partition is None or not arch.l1.unified:
        return
    for shared in arch.shared.configurations:
        if shared // each and arch.l1_bytes(shared):
            yield int(arch.l1_bytes(shared) * usable), shared // each


def _free(both: Sequence[tuple[Loads, loop_loads.Counted]]) -> frozenset[int]:
    found: set[int] = set()
    first = 0
    for item, counted in both:
        found |= {first + index for index in streams(item, counted)}
        first += len(counted.terms)
    return frozenset(found)


def promise(at: At) -> float:
    """What bypassing all that may be bypassed would gain: which launch is worth a graph."""
    every = frozenset(range(sum(len(found.terms) for found in at.counted)))
    least = total(at.counted, every - at.free, at.cache)
    return total(at.counted, every, at.cache) / least if least else 1.0


def decide(kernel: Kernel, context: Context, options: Options, loops: Sequence[Loads]) -> Choice | At | None:
    """The choice at the launch where it gains most; the tightest launch where none overflows; None without a launch."""
    best: tuple[float, At] | None = None
    shown: At | None = None
    for divided in (False, True):
        for at in candidates(kernel, context, options, loops, divided=divided):
            if not divided and (shown is None or at.overflow > shown.overflow):
                shown = at
            if at.free and at.overflow > max(at.cache.survival[0][0], LEAST_OVERFLOW):
                hope = promise(at)
                if best is None or hope > best[0]:
                    best = (hope, at)
        if best is not None and best[0] >= options.minimum_gain:
            break
    return shown if best is None else _choice(best[1], options, loops)


def _refined(at: At, chosen: Solution, free: frozenset[int], graph: nx.Graph) -> Solution:
    """The graph knows pairs only; loads that overflow L1 all together are found by changing one load at a time."""
    every = frozenset(graph.nodes)

    def cost(cached: frozenset[int]) -> float:
        return total(at.counted, cached, at.cache)

    best = min((chosen.cached, every - free, every), key=cost)
    while True:
        better = min((best ^ {index} for index in sorted(free)), key=cost, default=best)
        if cost(better) >= cost(best):
            break
        best = better
    if cost(best) >= cost(chosen.cached):
        return chosen
    return Solution(best, fixed(graph, best, chosen.method).saved, chosen.method, "refined: more than two conflict")


def _choice(at: At, options: Options, loops: Sequence[Loads]) -> Choice:
    """The methods side by side at one launch."""
    figures = metrics(loops, at.counted, at.cache)
    graph = traffic_graph(figures)
    every = frozenset(graph.nodes)
    free = at.free
    rewritable = [legal for item in loops for legal in item.legal]
    legal = frozenset(index for index, one in enumerate(rewritable) if one)
    asked, found = choose(graph, free, options)
    chosen = _refined(at, asked, free, graph)
    found.update({"bypass-all": every - legal, "choice": chosen.cached})
    bytes_ = {name: total(at.counted, cached, at.cache) for name, cached in found.items()}
    all_cached, mine = bytes_["cache-all"], bytes_["choice"]
    kept = 0
    first = 0
    for one in at.counted:
        mine_here = [index for index in range(len(one.terms)) if first + index in chosen.cached]
        kept = max(kept, l1_reuse.footprint(one.terms, mine_here, at.cache))
        first += len(one.terms)
    return Choice(
        bypassed=every - chosen.cached,
        metrics=figures,
        solution=chosen,
        gain=all_cached / mine if mine else 1.0,
        held=max(held(one, at.cache) for one in at.counted),
        kept=kept,
        cache=at.cache,
        blocks=at.blocks,
        warps=at.blocks * at.site.shape.warps,
        cached_by=found,
        bytes_from_l2=bytes_,
        exact_numbers=at.site.known,
    )
