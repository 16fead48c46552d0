"""The loads of a kernel from the source alone: per loop, which there are and what they touch at a launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuopt_driver.api import (
    GUESS,
    Access,
    Arch,
    Context,
    Expr,
    Kernel,
    Loop,
    Reference,
    Shape,
    SymKind,
    coalescing,
    expr,
    footprint,
    loads_by_reference,
    trip_count,
)

from .evaluate import SURVIVAL, Cache, Term, traffic, visits_of
from .metrics import Load, Metrics
from .place import refuse_load

TRIPS = 1024  # stands for a trip count that is not known


@dataclass(frozen=True, slots=True)
class LoopLoad:
    """A load of a loop: its index form, the accesses behind it, why it stays in L1 ("": it may go past).

    `legal`: it can be rewritten, if only by the policy's wish.
    """

    reference: Reference
    accesses: tuple[Access, ...]
    reason: str
    legal: bool


@dataclass(frozen=True, slots=True)
class LoopLoads:
    """An innermost loop with its loads; `modelled`: every address is known at a launch."""

    loop: Loop
    line: int
    trips: Expr | None
    loads: tuple[LoopLoad, ...]

    @property
    def modelled(self) -> bool:
        """Whether every load has a known address and a known distance to the next iteration."""
        return all(one.reference.offset is not None and one.reference.step is not None for one in self.loads)

    @property
    def groups(self) -> tuple[tuple[str, bool], ...]:
        """Per load, what tells whether it may share lines with another: array, and whether blocks differ."""
        return tuple((one.reference.array, one.reference.of_block) for one in self.loads)


def survey(kernel: Kernel, context: Context) -> tuple[LoopLoads, ...]:
    """The loops that make loads of their own, in source order."""
    source = context.unit.files[kernel.span.file]
    found: list[LoopLoads] = []
    for loop in kernel.loops:
        stmt = kernel.stmt(loop.stmt)
        inside = stmt.lead is not None and stmt.span.file == source.path
        pragmas = source.data[stmt.lead or 0 : stmt.span.start].decode("latin-1") if inside else ""
        made = {one: behind for one, behind in loads_by_reference(kernel, loop, pragmas).items() if not one.inner}
        if made:
            loads = tuple(_load(kernel, loop, one, behind) for one, behind in made.items())
            found.append(LoopLoads(loop, stmt.span.line, trip_count(kernel, loop), _with_company(loads)))
    return tuple(found)


def _load(kernel: Kernel, loop: Loop, reference: Reference, behind: tuple[Access, ...]) -> LoopLoad:
    refused = next((reason for access in behind if (reason := refuse_load(kernel, access))), "")
    return LoopLoad(reference, behind, refused or _stays(kernel, loop, reference, behind), not refused)


def _stays(kernel: Kernel, loop: Loop, reference: Reference, behind: Sequence[Access]) -> str:
    """Why a load is not a candidate: that L1 may serve it later cannot be ruled out."""
    if reference.offset is None or reference.step is None:
        return "its address depends on data"
    if not reference.of_block:
        return "all blocks read the same"
    around = loop
    while around.parent is not None:
        outer = kernel.loop_of(around.parent)
        if outer is None:
            return "the loops around it are not modelled"
        around = outer
        names = {symbol.name for access in behind for symbol in expr.symbols(access.offset or expr.ZERO)}
        if around.symbol not in names:
            return "a loop around its loop reads the same again"
    return ""


def _with_company(loads: tuple[LoopLoad, ...]) -> tuple[LoopLoad, ...]:
    """Loads whose array is read through another index form too stay: the two may serve each other."""
    arrays = [one.reference.array for one in loads]
    return tuple(
        replace(one, reason=one.reason or "its array is read in another way too")
        if arrays.count(one.reference.array) > 1
        else one
        for one in loads
    )


def cache_of(arch: Arch, l1_bytes: int) -> Cache:
    """How the GPU's L1 behaves at a capacity."""
    policy = arch.caching.replacement if arch.caching is not None else ""
    by_sector = arch.l1.sector_bytes < arch.l1.line_bytes
    return Cache(
        l1=l1_bytes,
        line=arch.l1.line_bytes,
        fetch=arch.l1.sector_bytes if by_sector else arch.l1.line_bytes,
        past=arch.l2.sector_bytes,
        survival=SURVIVAL.get(policy, SURVIVAL[""]),
    )


def guessed(loops: Sequence[LoopLoads], values: Mapping[str, int]) -> dict[str, int]:
    """The values of a launch, with a large number for every parameter that is not known."""
    found = dict(values)
    for item in loops:
        for one in item.loads:
            for part in (one.reference.offset, one.reference.step):
                for symbol in expr.symbols(part) if part is not None else ():
                    if symbol.kind is not SymKind.THREAD:
                        found.setdefault(symbol.name, GUESS)
    return found


@dataclass(frozen=True, slots=True)
class Counted:
    """The terms of a loop at a launch, and the loads that may go past L1 there: streams, read once each.

    That a load which finds its lines again may be better off past L1 is for a profile to say: on an H200 a walk of two
    matrices with one of them bypassed was between 0.65 and 1.2 times as fast.
    """

    terms: tuple[Term, ...]
    free: frozenset[int]
    trips: int

    def resident(self, item: LoopLoads, blocks: int) -> Counted:
        """The same for several blocks; lines that all blocks share count once."""
        terms = tuple(
            replace(
                term,
                lines=term.lines * (blocks if one.reference.of_block else 1),
                fetched=term.fetched * (blocks if one.reference.of_block else 1),
                asked=term.asked * blocks,
                past=term.past * blocks,
                useful=term.useful * blocks,
            )
            for term, one in zip(self.terms, item.loads, strict=True)
        )
        return replace(self, terms=terms)


def count(item: LoopLoads, shape: Shape, values: Mapping[str, int], cache: Cache) -> Counted | None:
    """What every load of a loop touches per iteration in one block; None where an address is not known."""
    terms: list[Term] = []
    free: set[int] = set()
    before: dict[tuple[str, bool], list[tuple[int, int]]] = {}
    for index, (one, group) in enumerate(zip(item.loads, item.groups, strict=True)):
        reference = one.reference
        step = None if reference.step is None else expr.evaluate(reference.step, values)
        threads = range(shape.threads)
        starts = None
        if reference.offset is not None:
            starts = coalescing.addresses(reference.offset, shape, values, threads)
        if starts is None or step is None:
            return None
        runs = [(start, reference.bytes) for start in starts]
        others = before.setdefault(group, [])
        lines, fetched = (
            footprint.lines_of(others + runs, unit) - footprint.lines_of(others, unit)
            for unit in (cache.line, cache.fetch)
        )
        per_warp = [runs[first : first + coalescing.WARP] for first in range(0, len(runs), coalescing.WARP)]
        alone = footprint.lines_of(runs, cache.line)
        if not one.reason and sum(footprint.lines_of(part, cache.line) for part in per_warp) == alone:
            free.add(index)
        others.extend(runs)
        asked, past, useful = (
            sum(footprint.lines_of(part, unit) for part in per_warp) for unit in (cache.fetch, cache.past, 1)
        )
        visits = visits_of(cache.fetch, step)
        if visits > 1:
            free.discard(index)
        terms.append(Term(lines, fetched, asked, past, useful, visits))
    trips = None if item.trips is None else expr.evaluate(item.trips, values)
    return Counted(tuple(terms), frozenset(free), TRIPS if trips is None else max(trips, 0))


def metrics(loops: Sequence[LoopLoads], counted: Sequence[Counted], cache: Cache) -> Metrics:
    """The paper's metrics of all loads as the model predicts them; accesses and hits in units of what a miss brings."""
    loads: list[Load] = []
    together: dict[tuple[int, int], float] = {}
    for item, found in zip(loops, counted, strict=True):
        first = len(loads)
        accesses = [float(term.asked * found.trips) for term in found.terms]
        hits = [accesses[at] - _missed(found, {at}, cache) for at in range(len(found.terms))]
        for at, (one, term) in enumerate(zip(item.loads, found.terms, strict=True)):
            reference = one.reference
            loads.append(
                Load(
                    index=first + at,
                    text=reference.text,
                    line=reference.line,
                    column=one.accesses[0].span.column,
                    access=accesses[at],
                    hit=hits[at],
                    efficiency_on=term.useful / (term.asked * cache.fetch),
                    efficiency_off=term.useful / (term.past * cache.past),
                )
            )
            for other in range(at):
                pair = accesses[other] + accesses[at] - _missed(found, {other, at}, cache)
                if abs(pair - hits[other] - hits[at]) > 0.5:
                    together[first + other, first + at] = pair
    return Metrics("static", tuple(loads), cache.line, cache.fetch, together)


def _missed(found: Counted, cached: set[int], cache: Cache) -> float:
    survives = cache.survives(sum(found.terms[at].lines for at in cached) * cache.line)
    return sum(found.terms[at].misses(survives) for at in cached) * found.trips


def total(counted: Sequence[Counted], cached: frozenset[int], cache: Cache) -> float:
    """Bytes from L2 of a whole kernel when the loads with these numbers are cached."""
    bytes_, first = 0.0, 0
    for found in counted:
        mine = frozenset(index - first for index in cached if first <= index < first + len(found.terms))
        bytes_ += traffic(found.terms, mine, cache) * found.trips
        first += len(found.terms)
    return bytes_
