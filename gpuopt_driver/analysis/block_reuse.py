"""Reuse between blocks: reuse distances along x, y and z, direction, conflicts (Liu et al., eq. 1-6).

Two accesses M and M' of blocks b and b' reuse data where all subscripts but the last agree and the last ones fall into
one cache line (eq. 2). The distance along an axis is the largest |b' - b| over blocks that differ along it only (eq. 1
and 3-6); `block_sets.py` has the sets.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from gpuopt_driver.analysis.block_forms import BlockForm
from gpuopt_driver.analysis.block_sets import Grid, together
from gpuopt_driver.dataclass import dataclass

_FEW = 5  # forms of an array of which all pairs are looked at


@dataclass(frozen=True, slots=True)
class Reuse:
    """What the blocks of a kernel share of one array.

    `lines`: reuse distance in blocks along x, y, z where a cache line counts as data (eq. 2); `bytes`: where only the
    same bytes do. 0: nothing is shared along the axis.
    """

    array: str
    lines: tuple[int, int, int]
    bytes: tuple[int, int, int]


@functools.lru_cache(maxsize=256)  # plugins ask for the same kernels
def reuse(forms: tuple[BlockForm, ...], grid: Grid, line_bytes: int) -> tuple[Reuse, ...]:
    """Reuse distances per array among the loads of a kernel; arrays in the order of their first load."""
    by_array: dict[str, list[BlockForm]] = {}
    for form in forms:
        if form.is_read and not form.is_atomic:
            by_array.setdefault(form.array, []).append(form)
    found: list[Reuse] = []
    for array, loads in by_array.items():
        lines = _reach(loads, grid, line_bytes, grid.grid)
        data = _reach(loads, grid, 0, lines)
        found.append(Reuse(array, lines, data))
    return tuple(found)


def _reach(loads: Sequence[BlockForm], grid: Grid, line_bytes: int, most: tuple[int, int, int]) -> tuple[int, int, int]:
    """The largest distance per axis over pairs of loads, no axis looked at beyond what it can reach."""
    reach = [0, 0, 0]
    for first, second in _pairs(loads):
        for axis in range(3):
            if reach[axis] < min(most[axis], grid.grid[axis] - 1):
                reach[axis] = max(reach[axis], distance(first, second, grid, axis, line_bytes))
    return reach[0], reach[1], reach[2]


def _pairs(forms: Sequence[BlockForm]) -> Iterator[tuple[BlockForm, BlockForm]]:
    """Every form with itself, then pairs of different ones.

    Of forms that differ by a constant (stencils) those far apart come first, as they reach furthest; of more than a few
    forms, each meets the outermost ones only.
    """
    for form in forms:
        yield form, form
    if len(forms) <= _FEW:
        for at, first in enumerate(forms):
            for second in reversed(forms[at + 1 :]):
                yield first, second
        return
    first, last = forms[0], forms[-1]
    yield first, last
    for form in forms[1:-1]:
        yield first, form
        yield form, last


def direction(found: Sequence[Reuse]) -> tuple[str, int]:
    """Algorithm 1: ("x", "y" or "round-robin", maximum reuse distance)."""
    along_x = max((one.lines[0] for one in found), default=0)
    along_y = max((one.lines[1] for one in found), default=0)
    if along_x == 0 and along_y == 0:
        return "round-robin", 0
    return ("y" if along_y > along_x else "x"), max(along_x, along_y)


def distance(first: BlockForm, second: BlockForm, grid: Grid, axis: int, line_bytes: int) -> int:
    """The largest distance of two blocks along an axis that reuse each other's data; 0 where there are none.

    `line_bytes` 0: the same bytes, not only the same line.
    """
    if grid.grid[axis] < 2:
        return 0
    alike = tuple(other for other in range(3) if other != axis)
    here, there = f"b{axis}", f"c{axis}"
    found = together(first, second, grid, line_bytes, alike)
    if found is None:
        return 0
    reached = found.most(there, here)
    return reached if first is second else max(reached, found.most(here, there))


def conflict(first: BlockForm, second: BlockForm, grid: Grid) -> bool:
    """Whether different blocks may touch the same bytes through two forms of one array."""
    for axis in range(3):
        if grid.grid[axis] < 2:
            continue
        found = together(first, second, grid, 0, tuple(range(axis)))
        here, there = f"b{axis}", f"c{axis}"
        if found is None or found.most(there, here) or found.most(here, there):
            return True
    return False
