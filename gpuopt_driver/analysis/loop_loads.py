"""The loads of a kernel's loops, and what each touches in one iteration at a launch: lines, sectors, useful bytes.

What a loop as a whole makes of L1 is in `l1_reuse`; `guard_loads` writes the same counts in C++ for guards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from gpuopt_driver.analysis import footprint
from gpuopt_driver.analysis.coalescing import WARP, Shape, addresses
from gpuopt_driver.analysis.l1_reuse import SURVIVAL, Cache, Term, visits_of
from gpuopt_driver.analysis.references import Reference, iterations, loads_by_reference
from gpuopt_driver.analysis.sites import GUESS
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Expr, SymKind, evaluate, symbols
from gpuopt_driver.frontend.model import Access, Kernel, Loop
from gpuopt_driver.source.text import SourceFile

TRIPS = 1024  # stands for a trip count that is not known


@dataclass(frozen=True, slots=True)
class LoopLoad:
    """A load of a loop: its index form and the accesses behind it."""

    reference: Reference
    accesses: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class LoopLoads:
    """A loop with the loads that it makes itself, not those of loops inside it.

    `trips`: iterations, in all runs of it that the loops around it make.
    """

    loop: Loop
    line: int
    trips: Expr
    loads: tuple[LoopLoad, ...]

    @property
    def modelled(self) -> bool:
        """Whether every load has a known address and a known distance to the next iteration."""
        return all(one.reference.offset is not None and one.reference.step is not None for one in self.loads)

    @property
    def groups(self) -> tuple[tuple[str, bool], ...]:
        """Per load, what tells whether it may share lines with another: array, and whether blocks differ."""
        return tuple((one.reference.array, one.reference.of_block) for one in self.loads)


def loop_loads(kernel: Kernel, source: SourceFile) -> tuple[LoopLoads, ...]:
    """The loops that make loads of their own, in source order."""
    found: list[LoopLoads] = []
    for loop in kernel.loops:
        stmt = kernel.stmt(loop.stmt)
        inside = stmt.lead is not None and stmt.span.file == source.path
        pragmas = source.data[stmt.lead or 0 : stmt.span.start].decode("latin-1") if inside else ""
        made = {one: behind for one, behind in loads_by_reference(kernel, loop, pragmas).items() if not one.inner}
        if made:
            loads = tuple(LoopLoad(one, behind) for one, behind in made.items())
            found.append(LoopLoads(loop, stmt.span.line, iterations(kernel, loop, TRIPS), loads))
    return tuple(found)


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
                for symbol in symbols(part) if part is not None else ():
                    if symbol.kind is not SymKind.THREAD:
                        found.setdefault(symbol.name, GUESS)
    return found


@dataclass(frozen=True, slots=True)
class Counted:
    """The terms of a loop at a launch; `alone` are the loads of which no two warps of a block touch the same line."""

    terms: tuple[Term, ...]
    alone: frozenset[int]
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
    return _counted(item, shape, tuple(sorted(values.items())), cache)


@lru_cache(maxsize=256)  # plugins ask for the same launches, each for all divisions of L1
def _counted(item: LoopLoads, shape: Shape, known: tuple[tuple[str, int], ...], cache: Cache) -> Counted | None:
    values = dict(known)
    terms: list[Term] = []
    alone: set[int] = set()
    before: dict[tuple[str, bool], list[tuple[int, int]]] = {}
    for index, (one, group) in enumerate(zip(item.loads, item.groups, strict=True)):
        reference = one.reference
        step = None if reference.step is None else evaluate(reference.step, values)
        threads = range(shape.threads)
        starts = None
        if reference.offset is not None:
            starts = addresses(reference.offset, shape, values, threads)
        if starts is None or step is None:
            return None
        runs = [(start, reference.bytes) for start in starts]
        others = before.setdefault(group, [])
        lines, fetched = (
            footprint.lines_of(others + runs, unit) - footprint.lines_of(others, unit)
            for unit in (cache.line, cache.fetch)
        )
        per_warp = [runs[first : first + WARP] for first in range(0, len(runs), WARP)]
        if sum(footprint.lines_of(part, cache.line) for part in per_warp) == footprint.lines_of(runs, cache.line):
            alone.add(index)
        others.extend(runs)
        asked, past, useful = (
            sum(footprint.lines_of(part, unit) for part in per_warp) for unit in (cache.fetch, cache.past, 1)
        )
        terms.append(Term(lines, fetched, asked, past, useful, visits_of(cache.fetch, step)))
    trips = evaluate(item.trips, values)
    return Counted(tuple(terms), frozenset(alone), TRIPS if trips is None else max(trips, 0))
