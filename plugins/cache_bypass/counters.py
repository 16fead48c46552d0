"""What a profile leaves open about loads, filled in from the source: which load an entry is, and its hits.

Profiles know lines. The loads of a line are told apart by the sectors that a warp's request asks for. Hardware counts
hits for a kernel as a whole: a stream has none, and what is left bounds those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuopt_driver.api import Context, KernelProfile, LineLoads, Shape, dataclass, loop_loads

from .static import Loads, streams

SAME_HITS = 0.05  # loads whose hit rates differ by less behave alike
_ALIKE = 0.2  # sectors per request, as counted and as computed: so far apart they may be
_CLOSE = 0.05  # of a load's sectors: bounds on its hits that differ by less are a figure


@dataclass(frozen=True, slots=True)
class _Expected:
    """A load by the source: its line, sectors per request (None: not known), and whether it is a stream."""

    line: int
    sectors: float | None
    is_stream: bool


def alike(found: KernelProfile, loops: Sequence[Loads], context: Context) -> list[LineLoads | None]:
    """For every load of the loops the entry of a profile with hits by line; None where several differ in theirs."""
    expected = [one for item in loops for one in _expected(found, item, loops, context)]
    given: list[LineLoads | None] = []
    for at, load in enumerate(expected):
        near = [found.loads[number] for number in _near(found, load)]
        rates = [one.hits / one.sectors if one.sectors else 0.0 for one in near]
        twins = [number for number, one in enumerate(expected) if (one.line, one.sectors) == (load.line, load.sectors)]
        told = bool(near) and min(one.hits for one in near) >= 0 and max(rates) - min(rates) < SAME_HITS
        given.append(near[min(twins.index(at), len(near) - 1)] if told else None)
    return given


def entries(found: KernelProfile, loops: Sequence[Loads], context: Context) -> list[LineLoads | None]:
    """For every load of the loops, in their order, what the counters say of it; None where they cannot tell."""
    expected = [one for item in loops for one in _expected(found, item, loops, context)]
    matched = [_match(found, one) for one in expected]
    shares = [
        None if number is None else _share(found.loads[number], matched.count(number), one)
        for number, one in zip(matched, expected, strict=True)
    ]
    total = sum(one.sectors for one in found.loads)
    streamed = sum(one.sectors for one in shares if one is not None and one.hits == 0)
    return [None if one is None else _bounded(one, found.hits, total - streamed) for one in shares]


def _expected(found: KernelProfile, item: Loads, loops: Sequence[Loads], context: Context) -> list[_Expected]:
    lines = [one.reference.line for one in item.made.loads]
    shape = Shape(*found.block)
    values = loop_loads.guessed([each.made for each in loops], {})
    counted = loop_loads.count(item.made, shape, values, loop_loads.cache_of(context.arch, 1))
    if counted is None:
        return [_Expected(line, None, False) for line in lines]
    once = streams(item, counted)
    sectors = [term.past / shape.warps for term in counted.terms]
    return [_Expected(line, sectors[at], at in once) for at, line in enumerate(lines)]


def _match(found: KernelProfile, load: _Expected) -> int | None:
    """The number of the one entry that a load can be."""
    near = _near(found, load)
    return near[0] if len(near) == 1 else None


def _near(found: KernelProfile, load: _Expected) -> list[int]:
    """The numbers of the entries of the load's line that ask for about as many sectors per request."""
    return [
        number
        for number, one in enumerate(found.loads)
        if load.sectors is not None
        and (one.line == load.line and one.requests > 0)
        and abs(one.sectors / one.requests - load.sectors) <= _ALIKE * load.sectors
    ]


def _share(entry: LineLoads, loads: int, load: _Expected) -> LineLoads:
    """A load's part of an entry that several loads share; no hits where it is a stream."""
    return replace(
        entry,
        requests=entry.requests // loads,
        sectors=entry.sectors // loads,
        hits=0 if load.is_stream else -1 if loads > 1 else entry.hits,
    )


def _bounded(load: LineLoads, hits: int, sectors: int) -> LineLoads:
    """The load with its hits, if `hits` of all loads but streams, which ask for `sectors`, leave little room."""
    if load.hits >= 0:
        return load
    most, least = min(load.sectors, hits), max(0, hits - (sectors - load.sectors))
    return replace(load, hits=(least + most) // 2) if most - least <= _CLOSE * load.sectors else load
