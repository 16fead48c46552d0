"""Which iterations of a loop are about rows that every block has of its own (`shared_division`), by enumeration."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.shared_division import Division
from gpuopt_driver.analysis.shared_points import NOT_KNOWN, at_thread, is_shared, places_in
from gpuopt_driver.frontend.compiled import function_of
from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.model import Access, Kernel

_MOST_ITERATIONS = 32  # of a loop that are looked at


def own_iterations(kernel: Kernel, division: Division, stmt: int, shapes: Sequence[Shape]) -> int:
    """In how many of its first iterations all that a loop touches of shared memory is in own rows, for all threads."""
    loop = kernel.loop_of(stmt)
    inside = {inner.id for inner in kernel.descendants(stmt)}
    mine = [one for one in kernel.accesses if one.stmt in inside and is_shared(one)]
    if loop is None or not shapes or any(one.array.name != division.cut for one in mine):
        return 0
    limit = division.rows * division.row_bytes
    for number in range(_MOST_ITERATIONS):
        touched = [(one, places_in(kernel, one, loop, shape, number)) for one in mine for shape in shapes]
        for one, places in touched:
            if not places or not all(0 <= place <= limit - one.bytes for place in places):
                return number
    return _MOST_ITERATIONS if mine else 0


def free_behind(kernel: Kernel, division: Division, stmt: int, first: int, shapes: Sequence[Shape]) -> bool:
    """Whether the first own bytes, as many as registers hold, are touched no more from iteration `first` of a loop on.

    All that touches shared memory, but for what goes to registers, must be in that loop.
    """
    loop = kernel.loop_of(stmt)
    inside = {inner.id for inner in kernel.descendants(stmt)}
    mine = [one for one in kernel.accesses if is_shared(one) and one not in division.kept]
    if loop is None or not shapes or not division.kept or any(one.stmt not in inside for one in mine):
        return False
    for number in range(first, first + _MOST_ITERATIONS):
        touched = [places_in(kernel, one, loop, shape, number) for one in mine for shape in shapes]
        if any(places is None or min(places, default=division.kept_bytes) < division.kept_bytes for places in touched):
            return False
        if not any(touched):
            return True
    return False


def takes_sides(kernel: Kernel, division: Division, stmt: int, first: int, shapes: Sequence[Shape]) -> bool:
    """Whether each thread stays with each access on one side of the cut in an iteration, from iteration `first` on."""
    loop = kernel.loop_of(stmt)
    inside = {inner.id for inner in kernel.descendants(stmt)}
    mine = [one for one in kernel.accesses if is_shared(one) and one.stmt in inside]
    limit = division.rows * division.row_bytes
    if loop is None or not shapes:
        return False
    for number in range(first, first + _MOST_ITERATIONS):
        touched = [
            places_in(kernel, one, loop, shape, number, (thread,))
            for one in mine
            for shape in shapes
            for thread in range(shape.threads)
        ]
        if any(places is None or 0 < sum(place < limit for place in places) < len(places) for places in touched):
            return False
        if not any(touched):
            return True
    return False


def rows_before(kernel: Kernel, division: Division, access: Access, shapes: Sequence[Shape]) -> int | None:
    """How many of the first iterations of its innermost loop an access stays in the own part; None: it mixes them."""
    loop = kernel.loop_of(access.loops[-1]) if access.loops else None
    if access.array.name != division.cut or loop is None or access.offset is None or not shapes:
        return None
    numbers = [evaluate(one, {}) if one is not None else None for one in (loop.start, loop.step, loop.trips)]
    start, step, trips = numbers
    if start is None or step is None or trips is None:
        return None
    offset = function_of(access.offset)
    limit = division.rows * division.row_bytes
    inside: list[bool] = []
    try:
        for number in range(trips):
            points = [
                offset({**at_thread(shape, thread), loop.symbol: start + number * step})
                for shape in shapes
                for thread in range(shape.threads)
            ]
            own = [0 <= point <= limit - access.bytes for point in points]
            if any(own) and not all(own):
                return None
            inside.append(all(own))
    except NOT_KNOWN:
        return None
    count = sum(inside)
    return count if all(inside[:count]) else None
