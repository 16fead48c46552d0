"""Two accesses of different blocks as one integer set: where they touch the same data (Liu et al., eq. 1, 2 and 5).

The integer-set library is imported when the first kernel needs it.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from gpuopt_driver.analysis.block_bounds import LINE, Row, most_by_bounds
from gpuopt_driver.analysis.block_forms import TURN, BlockForm, Subscript, subscripts
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.expr import Expr, Op, SymKind

AXES = "xyz"
_VERSION_MODULE = "islpy.version"
_VERSION = re.compile(r"islpy-(\d+(?:\.\d+)*)([a-z0-9]*)\.dist-info")
_GUESS = 512  # iterations and parameters of which nothing is known
_FREE = 1 << 20  # reach of a loop variable of which nothing is known


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


@functools.lru_cache(maxsize=1)
def _isl() -> Any:
    _know_version()
    import islpy  # noqa: PLC0415  10 ms that only kernels with something to analyse should cost

    vars(islpy).setdefault("version", sys.modules[_VERSION_MODULE])  # as an import of it would have left it
    return islpy


def _know_version() -> None:
    """Spare islpy the question for its own version, for which it imports more of Python than all else is: 15 ms.

    Where the name of its distribution does not tell the version, islpy asks.
    """
    if "islpy" in sys.modules or _VERSION_MODULE in sys.modules:
        return
    found = find_spec("islpy")
    places = [] if found is None else list(found.submodule_search_locations or ())
    named = [name for place in places for name in Path(place).parent.glob("islpy-*.dist-info")]
    told = _VERSION.fullmatch(named[0].name) if len(named) == 1 else None
    if told is None:
        return
    module: Any = ModuleType(_VERSION_MODULE)  # with what islpy's own has
    module.VERSION_TEXT, module.VERSION_STATUS = told.group(1) + told.group(2), told.group(2)
    module.VERSION = tuple(map(int, told.group(1).split(".")))
    sys.modules[_VERSION_MODULE] = module


@dataclass(frozen=True, slots=True)
class Points:
    """The integer points of a set: names of its dimensions, and what is 0 (`equal`) or at least 0."""

    names: tuple[str, ...]
    equal: tuple[Sum, ...]
    least: tuple[Sum, ...]

    def most(self, far: str, near: str) -> int:
        """The largest `far - near` above 0 over all points; 0 where there is none."""
        equal, least = (
            tuple((tuple(one.of.items()), one.constant) for one in some) for some in (self.equal, self.least)
        )
        return _most(self.names, equal, least, far, near)


@functools.lru_cache(maxsize=4096)  # a millisecond each, and pairs of loads that are as far apart have one set
def _most(names: tuple[str, ...], equal: tuple[Row, ...], least: tuple[Row, ...], far: str, near: str) -> int:
    told = most_by_bounds(equal, least, far, near)
    return _most_of_set(names, equal, least, far, near) if told is None else told


def _most_of_set(names: tuple[str, ...], equal: tuple[Row, ...], least: tuple[Row, ...], far: str, near: str) -> int:
    isl = _isl()
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, len(names)))
    where = {name: at for at, name in enumerate(names)}

    def put(empty: Any, row: Row, kind: Any) -> Any:
        for name, factor in row[0]:
            empty = empty.set_coefficient_val(kind, where[name], factor)
        return empty.set_constant_val(row[1])

    above, kinds = ((far, 1), (near, -1)), isl.dim_type
    rows = [put(isl.Constraint.alloc_equality(space), one, kinds.set) for one in equal]
    rows += [put(isl.Constraint.alloc_inequality(space), one, kinds.set) for one in (*least, (above, -1))]
    aim = put(isl.Aff.zero_on_domain(space), (above, 0), kinds.in_)
    value = isl.BasicSet.universe(space.get_space()).add_constraints(rows).max_val(aim)
    return int(value.to_python()) if value.is_int() else 0


def together(first: BlockForm, second: BlockForm, grid: Grid, line_bytes: int, alike: tuple[int, ...]) -> Points | None:
    """Eq. 1 or 5 (blocks are the same along the axes in `alike`) and eq. 2 as one set; None if not affine.

    Its dimensions are blocks b and c, threads t and u, iterations i and j of the two accesses, and a line l.
    """
    numbers = bool(first.quotients or second.quotients)
    theirs = ("b0" if 0 in alike else "c0", "b1" if 1 in alike else "c1", "b2" if 2 in alike else "c2")
    one = _side(first, grid, "ti", ("b0", "b1", "b2"), numbers)
    other = _side(second, grid, "uj", theirs, numbers)
    if one is None or other is None:
        return None
    equal: list[Sum] = [*one.equal, *other.equal]
    least: list[Sum] = [*one.least, *other.least]
    for factor in {**one.parts, **other.parts}:
        left, right = one.parts.get(factor, _NOTHING), other.parts.get(factor, _NOTHING)
        if factor:
            equal.append(left.plus(right, -1))
        elif line_bytes:
            whole = left.constant // line_bytes * line_bytes  # which line the first one is does not matter
            left, right = (Sum(part.of, part.constant - whole) for part in (left, right))
            for part in (left, right):
                least += [
                    part.plus(Sum({LINE: line_bytes}, 0), -1),
                    Sum({LINE: line_bytes}, line_bytes - 1).plus(part, -1),
                ]
        else:
            least += [right.plus(left, -1, second.bytes - 1), left.plus(right, -1, first.bytes - 1)]
    names = dict.fromkeys((*one.names, *other.names, *([LINE] if line_bytes else [])))
    return Points(tuple(names), tuple(one for one in equal if one.of or one.constant), tuple(least))


@dataclass(frozen=True, slots=True)
class Sum:
    """An affine sum: a factor for each name, and a constant."""

    of: Mapping[str, int]
    constant: int

    def plus(self, other: Sum, times: int, constant: int = 0) -> Sum:
        """This and `times` another one."""
        found = dict(self.of)
        for name, factor in other.of.items():
            found[name] = found.get(name, 0) + times * factor
        return Sum(
            {name: factor for name, factor in found.items() if factor},
            self.constant + times * other.constant + constant,
        )


_NOTHING = Sum({}, 0)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two accesses: its subscripts by the parameters they are multiplied by, and what limits its symbols."""

    names: tuple[str, ...]
    parts: Mapping[tuple[str, ...], Sum]
    equal: tuple[Sum, ...]
    least: tuple[Sum, ...]


@functools.lru_cache(maxsize=1024)  # an access meets many others
def _side(
    form: BlockForm,
    grid: Grid,
    letters: str,
    blocks: tuple[str, str, str],
    numbers: bool,  # noqa: FBT001
) -> _Side | None:
    """An access with its symbols under the names of a set; None where it is not affine.

    `numbers`: for parameters, too, which are guessed: quotients by them have no other bounds.
    """
    values = grid.values
    if numbers:
        parts_of = [form.offset, *(part for one in form.quotients for part in (one.dividend, one.divisor))]
        for symbol in (symbol for part in parts_of for symbol in expr.symbols(part)):
            if symbol.kind in (SymKind.PARAM, SymKind.TEMPLATE):
                values.setdefault(symbol.name, _GUESS)
    found = subscripts(form.offset, values)
    if found is None:
        return None
    names = _Names(form, grid, letters, blocks)
    parts = {one.factor: names.sum(one) for one in found}
    equal: dict[tuple[object, ...], Sum] = {}
    least: dict[tuple[object, ...], Sum] = {}
    for op, one in (pair for condition in form.conditions for pair in names.conditions(condition)):
        key = (op, one.constant, *sorted(one.of.items()))
        if op == "==":
            equal[key] = one
        else:
            turned = Sum({name: -factor for name, factor in one.of.items()}, -one.constant) if "<" in op else one
            least[key] = turned if "=" in op else Sum(turned.of, turned.constant - 1)
    limits = list(_quotient_limits(form, names, values))
    for name, (low, high) in names.used.items():
        limits += [Sum({name: 1}, -low), Sum({name: -1}, high - 1)]
    return _Side(tuple(names.used), parts, tuple(equal.values()), (*least.values(), *limits))


def _quotient_limits(form: BlockForm, names: _Names, values: Mapping[str, int]) -> Iterator[Sum]:
    """What is at least 0 where quotients are what they stand for."""
    for one in form.quotients:
        dividend, divisor = subscripts(one.dividend, values), expr.evaluate(one.divisor, values)
        if dividend is not None and len(dividend) == 1 and divisor is not None and divisor > 0:
            value, by = names.sum(dividend[0]), Sum({names.name(one.name): divisor}, 0)
            yield value.plus(by, -1)
            yield by.plus(value, -1, divisor - 1)


class _Names:
    """How the symbols of an access are called in a set, and their ranges."""

    def __init__(self, form: BlockForm, grid: Grid, letters: str, blocks: tuple[str, str, str]) -> None:
        self.form, self.grid, self.letters, self.blocks = form, grid, letters, blocks
        self.used = {name: (0, size) for name, size in zip(blocks, grid.grid, strict=True)}

    def name(self, symbol: str) -> str:
        """The set's name of an index symbol, which is noted with its range."""
        if symbol.startswith("blockIdx."):
            return self.blocks[AXES.index(symbol[-1])]
        if symbol.startswith("threadIdx."):
            at = AXES.index(symbol[-1])
            name = f"{self.letters[0]}{at}"
            self.used[name] = (0, self.grid.block[at])
            return name
        name = self.letters[1] + "".join(char for char in symbol if char.isalnum())
        self.used[name] = (0, self._trips(symbol)) if symbol.startswith(TURN) else (-_FREE, _FREE)
        return name

    def _trips(self, symbol: str) -> int:
        trips = next((turn.trips for turn in self.form.turns if turn.name == symbol), None)
        if trips is None:
            return _GUESS
        return max(1, expr.evaluate(trips, guessed(trips, self.grid)) or 1)

    def sum(self, subscript: Subscript) -> Sum:
        """A subscript in the set's names."""
        found = Sum({}, subscript.constant)
        for name, factor in subscript.linear:
            found = found.plus(Sum({self.name(name): factor}, 0), 1)
        return found

    def conditions(self, condition: Expr) -> Iterator[tuple[str, Sum]]:
        """What a condition compares with 0, numbers for all that is known; what is not affine is left out."""
        if isinstance(condition, Op) and condition.op == "&&":
            for part in condition.args:
                yield from self.conditions(part)
        elif isinstance(condition, Op) and condition.op in ("<", "<=", ">", ">=", "=="):
            found = subscripts(expr.sub(condition.args[0], condition.args[1]), self.grid.values)
            if found is not None and len(found) == 1:
                yield condition.op, self.sum(found[0])


def guessed(value: Expr, grid: Grid) -> Mapping[str, int]:
    """Launch dimensions, block 0, and a number for every parameter."""
    values = grid.values
    for symbol in expr.symbols(value):
        values.setdefault(symbol.name, 0 if symbol.kind in (SymKind.BLOCK, SymKind.THREAD) else _GUESS)
    return values
