"""Metrics from a profile: its lines matched with the kernel's loads, and the choice that they lead to.

A profile knows source lines and arrays, not expressions. Where a line has several loads they are told apart by how
many sectors a warp asks for; loads of one line that ask for the same and hit as often need not be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver.api import Context, GpuoptError, Kernel, KernelProfile, LineLoads, digest, read_profile

from . import codes
from .graph import Solution, solve, traffic_graph
from .metrics import Load, Metrics
from .options import Options
from .static import Loads

SAME_HITS = 0.05  # loads whose hit rates differ by less behave alike
LEAST_HITS = 0.02  # a load that hits less often gains nothing from L1


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a profile decides nothing."""

    code: str
    text: str


def kernel_profile(kernel: Kernel, context: Context, options: Options) -> KernelProfile | Reason:
    """What the policy's profile has about the kernel, or why it must not be used."""
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
    return found


def profiled_metrics(found: KernelProfile, loops: Sequence[Loads], context: Context) -> Metrics:
    """The metrics of the loads that the profile tells apart; the others have no accesses and stay."""
    arch = context.arch
    fetch = min(arch.l1.sector_bytes, arch.l1.line_bytes)
    by_line: dict[int, list[LineLoads]] = {}
    for of_line in found.loads:
        by_line.setdefault(of_line.line, []).append(of_line)
    lines = [one.reference.line for item in loops for one in item.made.loads]
    loads: list[Load] = []
    for item in loops:
        for one in item.made.loads:
            reference = one.reference
            entry = _entry(by_line.get(reference.line, []), lines.count(reference.line))
            loads.append(
                Load(
                    index=len(loads),
                    text=reference.text,
                    line=reference.line,
                    column=one.accesses[0].span.column,
                    access=entry.sectors if entry else 0,
                    hit=entry.hits if entry else 0,
                    efficiency_on=1.0,
                    efficiency_off=1.0,
                )
            )
    return Metrics("emulator", tuple(loads), arch.l1.line_bytes, fetch)


def _entry(entries: Sequence[LineLoads], loads: int) -> LineLoads | None:
    """The one entry of a line's loads, or one of several that are alike; None where they cannot be told apart."""
    if not entries or len(entries) > loads:
        return None
    rates = [entry.hits / entry.sectors if entry.sectors else 0.0 for entry in entries]
    if len(entries) < loads or max(rates) - min(rates) >= SAME_HITS:
        return None
    return entries[0]


def chosen(metrics: Metrics, legal: frozenset[int], options: Options) -> tuple[Solution, frozenset[int]]:
    """The solution of the graph, and the loads that it sends past L1: seen in the profile, rewritable, without hits."""
    graph = traffic_graph(metrics)
    for load in metrics.loads:
        graph.nodes[load.index]["weight"] -= LEAST_HITS * load.access * metrics.fetch_bytes
    found = solve(graph, options.method, options.seconds)
    seen = frozenset(load.index for load in metrics.loads if load.access > 0)
    return found, (seen & legal) - found.cached
