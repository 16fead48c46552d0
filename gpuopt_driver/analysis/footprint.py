"""What a loop keeps in L1: the cache lines that its references touch between two iterations, and their reuse.

Two models. `paper` is CATT eq. 6-8: requests of one warp, summed over memory instructions, times resident warps.
`sectored` counts each line once per block (or once per SM where the index does not depend on blockIdx), joins
accesses to one array, and asks for reuse within a sector, since a new sector of a present line is a miss too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver.analysis.coalescing import Shape, addresses, warp_threads
from gpuopt_driver.analysis.occupancy import ceil_div
from gpuopt_driver.analysis.references import Reference
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import evaluate


@dataclass(frozen=True, slots=True)
class Run:
    """What one lane touches through a reference in one iteration of the loop: `copies` runs of `length` bytes."""

    length: int
    copies: int


def run(reference: Reference, values: Mapping[str, int], line_bytes: int) -> Run | None:
    """What one lane touches in one iteration of the loop, inner loops included; None where a trip count is missing.

    Steps of at most a line extend the run; longer ones make copies of it.
    """
    length, copies = reference.bytes, 1
    for inner in reference.inner:
        trips = None if inner.trips is None else evaluate(inner.trips, values)
        step = None if inner.step is None else evaluate(inner.step, values)
        if reference.irregular:
            continue
        if trips is None or step is None:
            return None
        if trips <= 1 or step == 0:
            continue
        if copies == 1 and abs(step) <= max(line_bytes, length):
            length += abs(step) * (trips - 1)
        else:
            copies *= trips
    return Run(length, copies)


def has_line_locality(reference: Reference, values: Mapping[str, int], line_bytes: int) -> bool | None:
    """CATT eq. 6: the next iteration finds the line again (C_i in bytes is at most a line). None: not known."""
    return _reused(reference, values, line_bytes + 1)


def visits_per_sector(
    reference: Reference, values: Mapping[str, int], sector_bytes: int, *, batched: bool
) -> int | None:
    """How many iterations (`batched`: batches of loads that are issued together) ask for the same sector.

    1 means that nothing of it is reused later; each visit beyond the first is a miss once the footprint exceeds L1. A
    loop-invariant address counts a sector's worth of single bytes where it is loaded again, and once where the
    compiler keeps it in a register. None: not known.
    """
    if reference.step is None:
        return 1
    step = evaluate(reference.step, values)
    if step is None:
        return None
    if step == 0:
        return sector_bytes if reference.batch == 1 else 1
    return max(1, ceil_div(sector_bytes, abs(step) * (reference.batch if batched else 1)))


def _reused(reference: Reference, values: Mapping[str, int], below: int) -> bool | None:
    if reference.step is None:
        return False
    step = evaluate(reference.step, values)
    return None if step is None else abs(step) < below


def requests_per_warp(reference: Reference, shape: Shape, values: Mapping[str, int], line_bytes: int) -> int | None:
    """CATT eq. 7: cache lines that one warp asks for in one iteration; 1 for irregular indices (C_tid = 1)."""
    if reference.offset is None:
        return 1
    one = run(reference, values, line_bytes)
    if one is None:
        return None
    most = 0
    for warp in sorted({0, shape.warps // 2}):
        starts = addresses(reference.offset, shape, values, warp_threads(shape, warp, 1))
        if starts is None:
            return None
        most = max(most, lines_of([(start, one.length) for start in starts], line_bytes) * one.copies)
    return most


def lines_of(runs: Sequence[tuple[int, int]], line_bytes: int) -> int:
    """Distinct lines that runs (start, length in bytes) touch together."""
    count = 0
    reach: int | None = None
    for first, last in sorted({(start // line_bytes, (start + length - 1) // line_bytes) for start, length in runs}):
        begin = first if reach is None else max(first, reach + 1)
        if last >= begin:
            count += last - begin + 1
            reach = last
    return count


@dataclass(frozen=True, slots=True)
class Lines:
    """Cache lines that a loop touches in one iteration: for every resident block, and once for the SM."""

    per_block: int
    per_sm: int

    def total(self, blocks: int) -> int:
        """Lines on an SM that holds `blocks` blocks."""
        return self.per_block * blocks + self.per_sm


def paper_lines(
    refs: Sequence[Reference], shape: Shape, values: Mapping[str, int], groups: int, line_bytes: int
) -> Lines | None:
    """CATT eq. 8 and 9 for one block: requests of a warp over all references, times the warps of one group."""
    total = 0
    for reference in refs:
        one = requests_per_warp(reference, shape, values, line_bytes)
        if one is None:
            return None
        total += one
    return Lines(total * (shape.warps // groups), 0)


def sectored_lines(
    refs: Sequence[Reference], shape: Shape, values: Mapping[str, int], groups: int, line_bytes: int
) -> Lines | None:
    """Distinct lines of one group of a block's warps (the larger of the first and the middle group).

    An irregular or guarded reference counts as one line per warp, the least that it can be.
    """
    warps = shape.warps // groups
    most = Lines(0, 0)
    for group in sorted({0, groups // 2}):
        one = _group_lines(refs, shape, values, (group * warps, warps), line_bytes)
        if one is None:
            return None
        most = max(most, one, key=lambda lines: (lines.per_block + lines.per_sm, lines.per_block))
    return most


def _group_lines(
    refs: Sequence[Reference],
    shape: Shape,
    values: Mapping[str, int],
    group: tuple[int, int],
    line_bytes: int,
) -> Lines | None:
    first, warps = group
    counts = {True: 0, False: 0}
    joined: dict[tuple[str, bool], list[tuple[int, int]]] = {}
    for reference in refs:
        if reference.offset is None or reference.guarded:
            counts[True] += warps
            continue
        one = run(reference, values, line_bytes)
        starts = addresses(reference.offset, shape, values, warp_threads(shape, first, warps))
        if one is None or starts is None:
            return None
        runs = [(start, one.length) for start in starts]
        if one.copies > 1:
            counts[reference.of_block] += lines_of(runs, line_bytes) * one.copies
        else:
            joined.setdefault((reference.array, reference.of_block), []).extend(runs)
    for (_, of_block), runs in joined.items():
        counts[of_block] += lines_of(runs, line_bytes)
    return Lines(counts[True], counts[False])
