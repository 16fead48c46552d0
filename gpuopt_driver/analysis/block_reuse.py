"""Reuse between blocks, as integer sets: reuse distances along x, y and z, direction, conflicts (Liu et al., eq. 1-6).

Two accesses M and M' of blocks b and b' reuse data where all subscripts but the last agree and the last ones fall into
one cache line (eq. 2). The distance along an axis is the largest |b' - b| over blocks that differ along it only (eq. 1
and 3-6). The integer-set library is imported when the first kernel needs it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuopt_driver.analysis.block_forms import TURN, BlockForm, Subscript, subscripts
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr, Op, SymKind

AXES = "xyz"
_GUESS = 512  # iterations and parameters of which nothing is known
_FREE = 1 << 20  # reach of a loop variable of which nothing is known
_FEW = 5  # forms of an array of which all pairs are looked at


@dataclass(frozen=True, slots=True)
class Grid:
    """The launch that reuse is computed for: threads of a block and blocks of the grid along x, y, z."""

    block: tuple[int, int, int]
    grid: tuple[int, int, int]

    @property
    def values(self) -> dict[str, int]:
        """Launch dimensions by symbol name."""
        found = {f"blockDim.{axis}": size for axis, size in zip(AXES, self.block, strict=True)}
        return {**found, **{f"gridDim.{axis}": size for axis, size in zip(AXES, self.grid, strict=True)}}


@dataclass(frozen=True, slots=True)
class Reuse:
    """What the blocks of a kernel share of one array.

    `lines`: reuse distance in blocks along x, y, z where a cache line counts as data (eq. 2); `bytes`: where only the
    same bytes do. 0: nothing is shared along the axis.
    """

    array: str
    lines: tuple[int, int, int]
    bytes: tuple[int, int, int]


@functools.lru_cache(maxsize=1)
def _isl() -> Any:
    import islpy  # noqa: PLC0415  50 ms that only kernels with something to analyse should cost

    return islpy


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
    same = [f"b{other} = c{other}" for other in range(3) if other != axis]
    problem = _problem(first, second, grid, line_bytes, [*same, f"c{axis} > b{axis}"])
    if problem is None:
        return 0
    reached = _most(problem, f"c{axis} - b{axis}")
    if first is not second:
        problem = _problem(first, second, grid, line_bytes, [*same, f"b{axis} > c{axis}"])
        reached = max(reached, _most(problem, f"b{axis} - c{axis}") if problem else 0)
    return reached


def conflict(first: BlockForm, second: BlockForm, grid: Grid) -> bool:
    """Whether different blocks may touch the same bytes through two forms of one array."""
    for axis in range(3):
        if grid.grid[axis] < 2:
            continue
        before = [f"b{other} = c{other}" for other in range(axis)]
        for order in (f"b{axis} < c{axis}", f"b{axis} > c{axis}"):
            problem = _problem(first, second, grid, 0, [*before, order])
            if problem is None or _most(problem, "1"):
                return True
    return False


def _most(problem: str, aim: str) -> int:
    """The maximum of an affine function over the integer points of a set (written without its braces), 0 if empty."""
    isl = _isl()
    names, _, constraints = problem.partition(" : ")
    points = isl.Set(f"{{ {names[:-1]}, aim] : aim = {aim} and {constraints} }}")
    if points.is_empty():
        return 0
    last = points.dim(isl.dim_type.set) - 1
    value = points.dim_max(last)
    most = value.as_pw_multi_aff().max_multi_val() if hasattr(value, "as_pw_multi_aff") else None
    if most is not None:
        return int(most.get_val(0).to_python())
    return int(value.max_val().to_python())


def _problem(first: BlockForm, second: BlockForm, grid: Grid, line_bytes: int, extra: Sequence[str]) -> str | None:
    """Eq. 1 or 5 (in `extra`) and eq. 2 as one set over blocks b, c, threads and iterations; None if not affine."""
    left, right = subscripts(first.offset, grid.values), subscripts(second.offset, grid.values)
    if left is None or right is None:
        return None
    one, other = _Side(first, grid, "b", "t", "i"), _Side(second, grid, "c", "u", "j")
    rows = {part.factor: part for part in left}, {part.factor: part for part in right}
    constraints: list[str] = list(extra)
    for factor in {**rows[0], **rows[1]}:
        texts = [
            side.text(row.get(factor, Subscript(factor, (), 0))) for side, row in zip((one, other), rows, strict=True)
        ]
        if factor:
            constraints.append(f"{texts[0]} = {texts[1]}")
        elif line_bytes:
            constraints.extend(f"{line_bytes}l <= {text} < {line_bytes}l + {line_bytes}" for text in texts)
        else:
            constraints.append(f"{texts[0]} < {texts[1]} + {second.bytes} and {texts[1]} < {texts[0]} + {first.bytes}")
    for side in (one, other):
        constraints.extend(side.limits())
    names = ["b0", "b1", "b2", "c0", "c1", "c2"]
    names += sorted({name for side in (one, other) for name in side.used if name not in names})
    if line_bytes:
        names.append("l")
    return f"[{', '.join(names)}] : {' and '.join(constraints)}"


class _Side:
    """One of the two accesses: how its symbols are called in the set, and their ranges."""

    def __init__(self, form: BlockForm, grid: Grid, blocks: str, threads: str, turns: str) -> None:
        self.form, self.grid = form, grid
        self.letters = {SymKind.BLOCK: blocks, SymKind.THREAD: threads, SymKind.LOOP: turns}
        self.used: dict[str, tuple[int, int] | None] = {}
        for at in range(3):
            self.used[f"{blocks}{at}"] = (0, grid.grid[at])

    def name(self, symbol: str) -> str:
        """The set's name of an index symbol, which is noted with its range."""
        if symbol.startswith("blockIdx."):
            return f"{self.letters[SymKind.BLOCK]}{AXES.index(symbol[-1])}"
        if symbol.startswith("threadIdx."):
            at = AXES.index(symbol[-1])
            name = f"{self.letters[SymKind.THREAD]}{at}"
            self.used[name] = (0, self.grid.block[at])
            return name
        letters = self.letters[SymKind.LOOP]
        name = letters + "".join(char for char in symbol if char.isalnum())
        self.used[name] = (0, self._trips(symbol)) if symbol.startswith(TURN) else (-_FREE, _FREE)
        return name

    def _trips(self, symbol: str) -> int:
        trips = next((turn.trips for turn in self.form.turns if turn.name == symbol), None)
        if trips is None:
            return _GUESS
        return max(1, expr.evaluate(trips, guessed(trips, self.grid)) or 1)

    def text(self, subscript: Subscript) -> str:
        """A subscript in the set's names."""
        parts = [f"{factor}*{self.name(name)}" for name, factor in subscript.linear]
        return " + ".join([*parts, str(subscript.constant)])

    def limits(self) -> Iterator[str]:
        """The ranges of all symbols, and what the conditions around the access say of them."""
        for condition in self.form.conditions:
            yield from self._condition(condition)
        for name, reach in self.used.items():
            if reach is not None:
                yield f"{reach[0]} <= {name} < {reach[1]}"

    def _condition(self, condition: Expr) -> Iterator[str]:
        """A condition with numbers for all it compares with; what is not affine is left out (more reuse, not less)."""
        if isinstance(condition, Op) and condition.op == "&&":
            for part in condition.args:
                yield from self._condition(part)
        elif isinstance(condition, Op) and condition.op in ("<", "<=", ">", ">=", "=="):
            known = self.grid.values
            found = subscripts(expr.sub(condition.args[0], condition.args[1]), known)
            if found is not None and len(found) == 1:
                sign = "=" if condition.op == "==" else condition.op
                yield f"{self.text(found[0])} {sign} 0"


def guessed(value: Expr, grid: Grid) -> Mapping[str, int]:
    """Launch dimensions, block 0, and a number for every parameter."""
    values = grid.values
    for symbol in expr.symbols(value):
        values.setdefault(symbol.name, 0 if symbol.kind in (SymKind.BLOCK, SymKind.THREAD) else _GUESS)
    return values
