"""Metrics from a profile: its lines matched with the kernel's loads, and the choice that they lead to.

A profile knows source lines and arrays, not expressions. Where a line has several loads they are told apart by how
many sectors a warp asks for; loads of one line that ask for the same and hit as often need not be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuopt_driver.api import Context, GpuoptError, Kernel, KernelProfile, LineLoads, dataclass, digest, read_profile

from . import codes
from .counters import SAME_HITS, alike, entries
from .graph import Solution, every_method, solve, traffic_graph
from .metrics import Load, Metrics
from .options import Options
from .static import Loads

LEAST_HITS = 0.02  # a load that hits less often gains nothing from L1
PROPORTIONAL = 1.25  # how much faster than traffic time may grow where traffic is what makes it grow
LEAST_GAIN = 0.03  # the part of the time that a choice that was not run must promise to save


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a profile decides nothing."""

    code: str
    text: str


def kernel_profile(kernel: Kernel, context: Context, options: Options) -> tuple[KernelProfile, str] | Reason:
    """What the policy's profile has about the kernel, and its source; or why it must not be used."""
    path = Path(options.profile)
    if not path.is_absolute() and not path.exists():
        path = Path(context.unit.main).parent / path
    try:
        profile = read_profile(path)
    except GpuoptError as error:
        return Reason(codes.NO_PROFILE, str(error))
    found = profile.of(kernel.qualified)
    if found is None:
        return Reason(codes.NO_PROFILE, f"{path.name} has nothing about {kernel.qualified}")
    if profile.gpu != context.arch.name:
        return Reason(codes.STALE, f"{path.name} was made for {profile.gpu}, not for {context.arch.name}")
    if found.digest != digest(context.unit.files[kernel.span.file].data):
        return Reason(codes.STALE, f"{found.file} has changed since {path.name} was made; profile again")
    return found, profile.source


def profiled_metrics(found: KernelProfile, source: str, loops: Sequence[Loads], context: Context) -> Metrics:
    """The metrics of the loads that the profile tells apart; the others have no accesses and stay.

    Efficiencies are relative: what L1 fetches against the sectors that are asked for past it.
    """
    arch = context.arch
    past = arch.l2.sector_bytes
    fetch = min(arch.l1.sector_bytes, arch.l1.line_bytes)
    by_line: dict[int, list[LineLoads]] = {}
    for of_line in found.loads:
        by_line.setdefault(of_line.line, []).append(of_line)
    lines = [one.reference.line for item in loops for one in item.made.loads]
    if found.hits >= 0:  # counted for the kernel as a whole
        given = [one if one is not None and one.hits >= 0 else None for one in entries(found, loops, context)]
    else:
        by_pattern = alike(found, loops, context)
        given = [
            _entry(by_line.get(line, []), lines.count(line)) or told
            for line, told in zip(lines, by_pattern, strict=True)
        ]
    loads: list[Load] = []
    numbers: dict[int, int] = {}  # of the profile's loads
    for item in loops:
        for one in item.made.loads:
            reference = one.reference
            entry = given[len(loads)]
            if entry in found.loads:
                numbers.setdefault(found.loads.index(entry), len(loads))
            alone = entry is not None and entry.alone >= 0
            loads.append(
                Load(
                    index=len(loads),
                    text=reference.text,
                    line=reference.line,
                    column=one.accesses[0].span.column,
                    access=(entry.accesses if alone else entry.sectors) if entry else 0,
                    hit=(entry.alone if alone else entry.hits) if entry else 0,
                    efficiency_on=entry.sectors * past / (entry.accesses * fetch) if entry and entry.accesses else 1.0,
                    efficiency_off=1.0,
                )
            )
    together = {
        (min(numbers[a], numbers[b]), max(numbers[a], numbers[b])): float(hits)
        for a, b, hits in found.together
        if a in numbers and b in numbers
    }
    return Metrics(source, tuple(loads), arch.l1.line_bytes, fetch, together)


def _entry(entries: Sequence[LineLoads], loads: int) -> LineLoads | None:
    """The one entry of a line's loads, or one of several that are alike; None where they cannot be told apart.

    Nor is anything told of loads whose hits the profile does not have: they stay in L1.
    """
    if not entries or len(entries) > loads or any(entry.hits < 0 and entry.alone < 0 for entry in entries):
        return None
    rates = [entry.hits / entry.sectors if entry.sectors else 0.0 for entry in entries]
    if len(entries) < loads or max(rates) - min(rates) >= SAME_HITS:
        return None
    return entries[0]


def has_hits(profile: KernelProfile) -> bool:
    """Whether L1 has, or would have without the others, anything worth making room for."""
    hits = profile.hits if profile.hits >= 0 else sum(max(one.hits, one.alone, 0) for one in profile.loads)
    return hits > LEAST_HITS * sum(one.sectors for one in profile.loads)


def traffic(metrics: Metrics, cached: frozenset[int]) -> float:
    """Bytes from L2 with these loads cached, as the graph sees it."""
    found = sum(metrics.traffic_on(one.index) if one.index in cached else metrics.traffic_off(one.index)
                for one in metrics.loads)  # fmt: skip
    both = (pair for pair in metrics.together if pair[0] in cached and pair[1] in cached)
    return found - sum(metrics.gain(*pair) for pair in both) * metrics.fetch_bytes


def settle(metrics: Metrics, found: Solution, cycles: tuple[int, int]) -> Solution:
    """The solution, or whichever of caching all and bypassing all was seen to be faster.

    `cycles` are those of the two runs, 0 where there were none. They say what a byte of traffic costs, and a choice
    that was not run must promise to save enough of that; where the run with more traffic is the faster one, or time
    differs by much more than traffic, traffic does not tell why: some kernels wait for latency.
    """
    every = frozenset(one.index for one in metrics.loads)
    if not all(cycles):
        return found
    known, other = (every, frozenset[int]()) if cycles[0] <= cycles[1] else (frozenset[int](), every)
    expected, more = traffic(metrics, known), traffic(metrics, other)
    saved = expected - traffic(metrics, found.cached)
    least, most = sorted(cycles)
    tells = more > expected and (most - least) * expected <= PROPORTIONAL * least * (more - expected)
    if tells and found.cached != other and saved * (most - least) >= LEAST_GAIN * least * (more - expected):
        return found
    name = "cache-all" if known else "bypass-all"
    return Solution(known, found.saved, found.method, f"{name} was run, and nothing promises to be much better")


def chosen(
    metrics: Metrics, legal: frozenset[int], options: Options, profile: KernelProfile
) -> tuple[Solution, frozenset[int], dict[str, frozenset[int]]]:
    """The solution of the graph, the loads that it sends past L1 (seen in the profile, and rewritable), and what every
    method would have cached.

    Where L1 is filled by sectors, a load without hits moves as much past L1 as through it; it goes, to make room.
    """
    graph = traffic_graph(metrics)
    seen = frozenset(load.index for load in metrics.loads if load.access > 0)
    by_sector = metrics.fetch_bytes < metrics.line_bytes
    if by_sector:
        for load in metrics.loads:
            graph.nodes[load.index]["weight"] -= LEAST_HITS * load.access * metrics.fetch_bytes
    found = solve(graph, options.method, options.seconds)
    stay = frozenset(graph.nodes) - (seen & legal)
    by_method = {name: cached | stay for name, cached in every_method(graph, found, options.seconds).items()}
    if not by_sector:
        found = settle(metrics, found, profile.cycles)
    by_method["choice"] = found.cached | stay
    return found, (seen & legal) - found.cached, by_method
