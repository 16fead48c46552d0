"""One kernel's reuse between blocks: distances, direction, class and evidence (Li et al., 3.2 and 4.4; Liu et al.)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from gpuopt_driver.analysis.block_forms import Accesses, BlockForm, accesses
from gpuopt_driver.analysis.block_reuse import Reuse, direction, reuse
from gpuopt_driver.analysis.block_sets import AXES, Grid
from gpuopt_driver.analysis.block_traffic import Touch, numbers, shared, walks
from gpuopt_driver.analysis.not_affine import why_not_affine
from gpuopt_driver.analysis.sites import number
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr, SymKind
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel

_GUESSED_GRID = 8  # blocks along an axis that a kernel uses: enough to tell a neighbour from all
_LARGEST_GRID = 1 << 16
_GUESSED_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}
_GUESSED_PARAMETER = 1024


class Kind(Enum):
    """The classes of reuse between blocks of Li et al., figure 4."""

    ALGORITHM = "algorithm-related"
    LINE = "cache-line-related"
    DATA = "data-related"
    WRITE = "write-related"
    STREAMING = "streaming"


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a kernel's reuse between blocks at one launch (guessed where it is not known).

    `shared_bytes` are what a block has in common with its neighbours along x, y, z (None: not countable).
    """

    found: Accesses
    grid: Grid
    exact: bool
    reuse: tuple[Reuse, ...]
    direction: str
    distance: int
    kind: Kind
    evidence: str
    shared_bytes: tuple[int, int, int] | None

    @property
    def distances(self) -> tuple[int, int, int]:
        """The largest reuse distance along x, y, z over all arrays."""
        x, y, z = (max((one.lines[axis] for one in self.reuse), default=0) for axis in range(3))
        return x, y, z

    @property
    def condition(self) -> str:
        """What a guard must make sure of, in C++: axes that were taken to have one block only do; "" for none."""
        single = [axis for axis, size in zip(AXES, self.grid.grid, strict=True) if size == 1]
        terms = " || ".join(f"gpuopt_l.grid.{axis} != 1" for axis in single)
        return f"  if ({terms}) return false;\n" if terms else ""


def survey(kernel: Kernel, launches: Iterable[Launch], line_bytes: int, sector_bytes: int) -> Survey:
    """The reuse of a kernel at the launch of which most is known."""
    found = accesses(kernel)
    grid, exact = min(
        (_grid((*found.modelled, *found.divided), launch) for launch in (*launches, None)), key=lambda item: not item[1]
    )
    arrays = reuse((*found.modelled, *found.divided), grid, line_bytes)
    along, distance = direction(arrays)
    kind, evidence = _kind(kernel, found, arrays)
    return Survey(
        found, grid, exact, arrays, along, distance, kind, evidence, _shared(found.modelled, grid, sector_bytes)
    )


def _grid(forms: Iterable[BlockForm], launch: Launch | None) -> tuple[Grid, bool]:
    """Block and grid of a launch, guessed where they are no constants; an axis that no address uses has one block."""
    used = [symbol for form in forms for symbol in expr.symbols(form.offset)]
    used += [symbol for form in forms for one in form.quotients for symbol in expr.symbols(one.dividend)]
    names = {symbol.name for symbol in used}
    threads = max((at for at, axis in enumerate(AXES, 1) if f"threadIdx.{axis}" in names), default=1)
    block = _known((launch.block.x, launch.block.y, launch.block.z) if launch else None)
    grid = _known((launch.grid.x, launch.grid.y, launch.grid.z) if launch else None)
    guess = tuple(_GUESSED_GRID if f"blockIdx.{axis}" in names else 1 for axis in AXES)
    sizes = [min(known or other, _LARGEST_GRID) for known, other in zip(grid, guess, strict=True)]
    x, y, z = (known or other for known, other in zip(block, _GUESSED_BLOCKS[threads], strict=True))
    exact = None not in block and None not in grid and all(one.kind is not SymKind.PARAM for one in used)
    return Grid((x, y, z), (sizes[0], sizes[1], sizes[2])), exact


def _known(extents: tuple[Expr | None, Expr | None, Expr | None] | None) -> tuple[int | None, ...]:
    return tuple(number(one) for one in extents) if extents else (None, None, None)


def _kind(kernel: Kernel, found: Accesses, arrays: tuple[Reuse, ...]) -> tuple[Kind, str]:
    """The class and what tells it; affine accesses count where there are some that blocks share."""
    written = {form.array for form in (*found.modelled, *found.divided) if form.is_write}
    irregular = [one for one in found.unclear if one.is_read and not one.is_atomic]
    same = [one for one in arrays if any(one.bytes)]
    lines = [one for one in arrays if any(one.lines) and not any(one.bytes)]
    free = [one for one in same if one.array not in written]
    if free:
        return Kind.ALGORITHM, "; ".join(f"{one.array} is read by blocks {_along(one.bytes)}" for one in free[:4])
    for one in (*same, *lines):
        if one.array in written:
            return Kind.WRITE, f"{one.array} is written too, in lines that other blocks read ({_along(one.lines)})"
    if irregular:
        return Kind.DATA, f"what blocks read {why_not_affine(irregular[0], kernel)}"
    if lines:
        return Kind.LINE, "; ".join(f"blocks {_along(one.lines)} read one line of {one.array}" for one in lines[:4])
    return Kind.STREAMING, "every block reads lines of its own"


def _along(distances: tuple[int, int, int]) -> str:
    parts = [f"up to {reach} apart along {axis}" for axis, reach in zip(AXES, distances, strict=True) if reach]
    return " and ".join(parts)


def _shared(forms: tuple[BlockForm, ...], grid: Grid, sector: int) -> tuple[int, int, int] | None:
    found = walks([form for form in forms if form.is_read])
    if found is None:
        return None
    touches: list[Touch] = []
    for one in found:
        parts = (one.requests, *one.blocks, *(part for pair in one.steps for part in pair))
        values = dict(grid.values)
        for symbol in (symbol for part in parts for symbol in expr.symbols(part)):
            values.setdefault(symbol.name, _GUESSED_PARAMETER)
        touch = numbers(one, values)
        if touch is None:
            return None
        touches.append(touch)
    x, y, z = (shared(touches, axis, sector) if grid.grid[axis] > 1 else 0 for axis in range(3))
    return x, y, z
