"""Which bytes of a shared array the threads of a block touch through one access: all of them, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.frontend.compiled import Undefined, function_of
from gpuopt_driver.frontend.expr import evaluate, symbols
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Loop, Space, Stmt, StmtKind

_MOST = 1 << 15  # points of one access; more count as not known
_LONGEST = 64  # iterations of a loop whose variable is no sum
_JUMPS = (StmtKind.BREAK, StmtKind.CONTINUE, StmtKind.RETURN, StmtKind.GOTO)
_DOUBTFUL = ("?", "&&", "||")
_Values = dict[str, int]


class Unknown(Exception):
    """The bytes cannot be enumerated."""


NOT_KNOWN = (KeyError, Undefined, Unknown)  # what enumerating ends with where a value is not known


def size_of(access: Access) -> int | None:
    """The bytes of a shared array whose extents are constants."""
    size = access.array.element_bytes
    for extent in access.array.extents:
        value = evaluate(extent, {})
        if value is None:
            return None
        size *= value
    return None if access.array.dynamic or not access.array.extents else size


class Points:
    """The accesses of one kernel at one block shape. A point is the offset in bytes of one thread's access.

    `fixed` are values of loops' variables that are meant.
    """

    def __init__(self, kernel: Kernel, shape: Shape, fixed: Mapping[str, int] | None = None) -> None:
        self.kernel = kernel
        self.shape = shape
        self.of: dict[tuple[Access, int, frozenset[int]], tuple[int, ...] | None] = {}
        self.loops = {loop.stmt: loop for loop in kernel.loops}
        self.fixed: _Values = {"blockDim.x": shape.x, "blockDim.y": shape.y, "blockDim.z": shape.z, **(fixed or {})}

    def written(self, access: Access, top: int, still: frozenset[int]) -> tuple[int, ...] | None:
        """What is certainly written each time `top` (a statement around the access) runs; None: not known.

        `still` are loops of which only one iteration is meant: a form that moves with one of them is not known.
        """
        if access.in_callee_loop or access.is_atomic or (access.via and access.guarded):
            return None
        if access.guarded and any(mark in access.text for mark in _DOUBTFUL):
            return None
        return self._points(access, top, still, certain=True)

    def read(self, access: Access, top: int) -> tuple[int, ...] | None:
        """What may be read while `top` runs; None: anything."""
        return None if access.in_callee_loop else self._points(access, top, frozenset(), certain=False)

    def in_iterations(self, loop: Loop, most: int) -> list[Points]:
        """The same in every single iteration of a loop; not told apart where there are more than `most`."""
        values = values_of(self.kernel, loop, self.fixed)
        if values is None or not 0 < len(values) <= most:
            return [self]
        known = {name: value for name, value in self.fixed.items() if not name.startswith("blockDim")}
        return [Points(self.kernel, self.shape, {**known, symbol_of(loop): value}) for value in values]

    def _points(self, access: Access, top: int, still: frozenset[int], *, certain: bool) -> tuple[int, ...] | None:
        key = (access, top * 2 + certain, still)
        if key not in self.of:
            try:
                self.of[key] = tuple(self._enumerate(access, top, still, certain=certain))
            except NOT_KNOWN:
                self.of[key] = None
        return self.of[key]

    def _enumerate(self, access: Access, top: int, still: frozenset[int], *, certain: bool) -> Iterator[int]:
        if access.offset is None:
            raise Unknown
        around = [stmt for stmt in self.kernel.ancestors(access.stmt) if stmt.id >= top]
        own = self.kernel.stmt(access.stmt)
        if own.kind in LOOP_KINDS or own.kind is StmtKind.IF:
            raise Unknown  # part of a condition
        if certain and any(stmt.kind in LOOP_KINDS and self._leaves(stmt) for stmt in around):
            raise Unknown
        offset = function_of(access.offset)
        tests = list(self._tests(own, around, certain=certain))
        loops = [self.loops[stmt.id] for stmt in reversed(around) if stmt.kind in LOOP_KINDS]
        if any(loop.stmt in still for loop in loops):
            names = {symbol_of(loop) for loop in loops if loop.stmt in still}
            if any(one.name in names for one in symbols(access.offset)):
                raise Unknown
            loops = [loop for loop in loops if loop.stmt not in still]
        walks = [_Walk(self.kernel, loop) for loop in loops]
        budget = _MOST
        for thread in range(self.shape.threads):
            x, y, z = self.shape.lane(thread)
            values = {**self.fixed, "threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z}
            for point in _iterations(values, walks):
                budget -= 1
                if budget < 0:
                    raise Unknown
                for test, wanted in tests:
                    if bool(test(point)) != wanted:
                        break
                else:
                    yield offset(point)

    def _leaves(self, loop: Stmt) -> bool:
        """Whether something jumps out of a loop's iterations."""
        return any(stmt.kind in _JUMPS for stmt in self.kernel.descendants(loop.id))

    def _tests(
        self, own: Stmt, around: list[Stmt], *, certain: bool
    ) -> Iterator[tuple[Callable[[Mapping[str, int]], int], bool]]:
        """The conditions under which a statement runs; what is not known is left out unless `certain`."""
        inner = own
        for stmt in around:
            if stmt.kind is StmtKind.IF:
                if stmt.condition is not None:
                    test = function_of(stmt.condition)
                    try:
                        known = {"threadIdx.x": 0, "threadIdx.y": 0, "threadIdx.z": 0}
                        test({**known, **{symbol_of(loop): 1 for loop in self.loops.values()}, **self.fixed})
                        yield test, inner.role != "else"
                    except KeyError:
                        if certain:
                            raise
                elif certain:
                    raise Unknown
            elif certain and stmt.kind in (StmtKind.SWITCH, StmtKind.CASE, StmtKind.TRY, StmtKind.LABEL):
                raise Unknown
            inner = stmt


class _Walk:
    """A counting loop, or one whose variable changes otherwise, as functions of the values around it."""

    def __init__(self, kernel: Kernel, loop: Loop) -> None:
        self.symbol = symbol_of(loop)
        condition = kernel.stmt(loop.stmt).condition
        if loop.start is None or (loop.following is None and (loop.step is None or loop.trips is None)):
            raise Unknown
        self.start = function_of(loop.start)
        self.following: Callable[[Mapping[str, int]], int] | None = None
        if loop.following is not None:
            if condition is None:
                raise Unknown
            self.following, self.goes_on = function_of(loop.following), function_of(condition)
        elif loop.step is not None and loop.trips is not None:
            self.step, self.trips = function_of(loop.step), function_of(loop.trips)

    def values(self, around: _Values) -> Iterator[int]:
        """What the variable is in every iteration."""
        value = self.start(around)
        if self.following is None:
            step = self.step(around)
            yield from (value + number * step for number in range(self.trips(around)))
            return
        for _ in range(_LONGEST):
            here = {**around, self.symbol: value}
            if not self.goes_on(here):
                return
            yield value
            value = self.following(here)
        raise Unknown


def symbol_of(loop: Loop) -> str:
    """The name of a loop's variable in index expressions."""
    return loop.symbol if loop.following is None else loop.changing


def values_of(kernel: Kernel, loop: Loop, around: Mapping[str, int]) -> list[int] | None:
    """What a loop's variable is in every iteration, None where that depends on more than the values `around`."""
    try:
        return list(_Walk(kernel, loop).values(dict(around)))
    except NOT_KNOWN:
        return None


def at_thread(shape: Shape, thread: int) -> dict[str, int]:
    """The values of the symbols that a thread's number in a block of this shape stands for."""
    x, y, z = shape.lane(thread)
    sizes = {"blockDim.x": shape.x, "blockDim.y": shape.y, "blockDim.z": shape.z}
    return {**sizes, "threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z}


def places_in(
    kernel: Kernel, access: Access, loop: Loop, shape: Shape, number: int, threads: Iterable[int] = ()
) -> list[int] | None:
    """The offsets of `threads` (none: of all) in iteration `number` (from 0) of a loop around the access; None: not
    known."""
    try:
        if access.offset is None or access.in_callee_loop or loop.stmt not in access.loops:
            raise Unknown
        inner = [kernel.loop_of(one) for one in access.loops[access.loops.index(loop.stmt) + 1 :]]
        offset, outer = function_of(access.offset), _Walk(kernel, loop)
        walks = [_Walk(kernel, one) for one in inner if one is not None]
        if len(walks) < len(inner):
            raise Unknown
        found: list[int] = []
        for thread in threads or range(shape.threads):
            values = at_thread(shape, thread)
            for value in islice(outer.values(values), number, number + 1):
                found.extend(map(offset, _iterations({**values, outer.symbol: value}, walks)))
                if len(found) > _MOST:
                    raise Unknown
    except NOT_KNOWN:
        return None
    return found


def _iterations(values: _Values, walks: list[_Walk]) -> Iterator[_Values]:
    """The values in every iteration, always in the same mapping: they are looked at one after the other."""
    if not walks:
        yield values
        return
    symbol, inner = walks[0].symbol, walks[1:]
    around = values.get(symbol)
    for value in walks[0].values(values):
        values[symbol] = value
        if inner:
            yield from _iterations(values, inner)
        else:
            yield values
    if around is not None:
        values[symbol] = around
    else:
        values.pop(symbol, None)


def is_shared(access: Access) -> bool:
    """Whether an access goes to shared memory."""
    return access.array.space is Space.SHARED
