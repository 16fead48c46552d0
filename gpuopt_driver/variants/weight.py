"""How much a copy of a kernel gives a compiler to do, by its text: unrolled loops count as often as they run."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.frontend.expr import Const
from gpuopt_driver.frontend.model import Kernel, Loop

_UNROLLED = 128  # trips; loops that run longer stay loops
_MOST = 64  # times that a text counts


def weight(instances: Iterable[Kernel]) -> int:
    """Bytes of text of all instantiations of a kernel, those in loops with few, known trips once for each trip."""
    return sum(map(_weight, instances))


def called(instances: Iterable[Kernel]) -> int:
    """Bytes of text of the device functions that all instantiations of a kernel call, once for each call."""
    return sum(map(_called, instances))


def _called(kernel: Kernel) -> int:
    sizes = {one.usr: one.span.end - one.span.start for one in kernel.functions}
    sites = [*kernel.call_sites, *(site for one in kernel.functions for site in one.call_sites)]
    return sum(sizes.get(site.usr, 0) for site in sites)


def _weight(kernel: Kernel) -> int:
    text = kernel.span.end - kernel.span.start
    by_stmt = {loop.stmt: loop for loop in kernel.loops}
    return text + sum(_own(kernel, loop) * (_times(by_stmt, loop) - 1) for loop in kernel.loops)


def _own(kernel: Kernel, loop: Loop) -> int:
    """Bytes of a loop without those of the loops in it."""
    inner = [kernel.stmt(one.stmt).span for one in kernel.loops if one.parent == loop.stmt]
    span = kernel.stmt(loop.stmt).span
    return span.end - span.start - sum(one.end - one.start for one in inner)


def _times(by_stmt: dict[int, Loop], loop: Loop) -> int:
    """How often a loop's text stands in what is compiled."""
    times = 1
    at: Loop | None = loop
    while at is not None and isinstance(at.trips, Const) and 0 < at.trips.value <= _UNROLLED:
        times *= at.trips.value
        at = None if at.parent is None else by_stmt.get(at.parent)
    return min(times, _MOST)
