"""The references of a loop: index forms through which its accesses go to memory that L1 caches, joined where equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from gpuopt_driver.analysis.batching import Ordering, ordering
from gpuopt_driver.analysis.clamps import unclamped
from gpuopt_driver.analysis.coalescing import thread_symbols
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import ZERO, Const, Expr, SymKind, coefficient, mul, op, substitute, symbols
from gpuopt_driver.frontend.model import Access, Kernel, Loop, Space

_CACHED = (Space.GLOBAL, Space.UNKNOWN)
_OPAQUE = (SymKind.UNKNOWN, SymKind.LOOP)


@dataclass(frozen=True, slots=True)
class Inner:
    """A loop between the loop under analysis and an access: bytes from one iteration to the next, iterations."""

    step: Expr | None
    trips: Expr | None


@dataclass(frozen=True, slots=True)
class Reference:
    """The bytes that one or more accesses of a loop read or write through one index form.

    `offset` is in bytes from the array's base in the first iteration of every loop around it, None where it is
    data-dependent (irregular). `step` is the distance in bytes between two iterations of the loop (CATT: C_i), None
    where not known. `inner` lists the loops in between, innermost first. `batch`: iterations whose loads are
    issued together.
    """

    array: str
    text: str
    line: int
    offset: Expr | None
    bytes: int
    step: Expr | None
    inner: tuple[Inner, ...]
    guarded: bool
    batch: int
    places: tuple[int, ...] = field(default=(), compare=False)  # offsets in the file of the accesses behind it

    @property
    def irregular(self) -> bool:
        """Whether the index depends on data or is not modelled."""
        return self.offset is None

    @property
    def of_block(self) -> bool:
        """Whether different blocks may touch different lines."""
        return self.offset is None or any(symbol.kind is SymKind.BLOCK for symbol in symbols(self.offset))


def _first_iteration(expr: Expr, loops: Sequence[Loop]) -> Expr:
    """`expr` with every loop variable at its start; `loops` outermost first. Unknown uniform parts become 0."""
    for loop in reversed(loops):
        if loop.start is not None:
            expr = substitute(expr, {loop.symbol: loop.start})
    blank = {symbol.name: Const(0) for symbol in symbols(expr) if symbol.kind in _OPAQUE and symbol.uniform}
    return substitute(expr, blank) if blank else expr


def _is_opaque(expr: Expr) -> bool:
    return any(symbol.kind in _OPAQUE for symbol in symbols(expr))


def _distance(offset: Expr, loop: Loop, loops: Sequence[Loop]) -> Expr | None:
    """Bytes between an access in the first and in the second iteration of `loop`, None where it is not known.

    Loops inside start anew, possibly where this loop's variable says. Data-dependent parts may change at any time.
    """
    if loop.step is None or not _steady(offset, loops):
        return None
    at = loops.index(loop)
    found = coefficient(_inner_starts(offset, loops[at + 1 :]), loop.symbol)
    if found is None:
        return None
    distance = _first_iteration(mul(found, loop.step), loops[:at])
    opaque = _is_opaque(distance) or bool(thread_symbols(distance))
    return None if opaque else distance


def _inner_starts(expr: Expr, loops: Sequence[Loop]) -> Expr:
    for loop in reversed(loops):
        if loop.start is not None:
            expr = substitute(expr, {loop.symbol: loop.start})
    return expr


def _steady(offset: Expr, loops: Sequence[Loop]) -> bool:
    """Whether only loop variables change the offset from one iteration to the next."""
    names = {loop.symbol for loop in loops}
    return all(symbol.kind is not SymKind.UNKNOWN or symbol.name in names for symbol in symbols(offset))


def _reference(access: Access, loop: Loop, loops: Sequence[Loop], order: Ordering) -> Reference:
    at = loops.index(loop)
    offset: Expr | None = None
    step: Expr | None = None
    inner: tuple[Inner, ...] = ()
    if access.offset is not None and not access.in_callee_loop:
        index = access.offset
        step = _distance(index, loop, loops)
        if step is None:
            index = unclamped(index)
            step = _distance(index, loop, loops)
        first = _first_iteration(index, loops)
        offset = None if _is_opaque(first) else first
        between = [Inner(_distance(index, other, loops), _trips(other, loops)) for other in reversed(loops[at + 1 :])]
        inner = tuple(between)
    return Reference(
        array=access.array.name,
        text=access.text,
        line=access.span.line,
        offset=offset,
        bytes=access.bytes,
        step=step,
        inner=inner,
        guarded=access.guarded,
        batch=order.batch(access),
    )


def _trips(loop: Loop, loops: Sequence[Loop]) -> Expr | None:
    """The trip count of the block's first thread in the first iteration of the loops around it."""
    if loop.trips is None:
        return None
    found = _first_iteration(loop.trips, loops)
    found = substitute(found, {symbol.name: Const(0) for symbol in thread_symbols(found).values()})
    return None if _is_opaque(found) else found


def trip_count(kernel: Kernel, loop: Loop) -> Expr | None:
    """The iterations of a loop in the first iteration of the loops around it, None where not known."""
    return _trips(loop, _around(kernel, loop))


def iterations(kernel: Kernel, loop: Loop, unknown: int) -> Expr:
    """How often a loop's body runs: the product of its trip count and of those around it, `unknown` where not known.

    Each is taken as in the first iteration of the loops around it.
    """
    loops = _around(kernel, loop)
    counts = [_trips(one, loops) or Const(unknown) for one in loops]
    if len(counts) == 1:
        return counts[0]
    return mul(*(op("max", ZERO, one) for one in counts))


def _around(kernel: Kernel, loop: Loop) -> list[Loop]:
    """The loop and those around it, outermost first."""
    chain = [loop]
    while chain[0].parent is not None:
        outer = kernel.loop_of(chain[0].parent)
        if outer is None:
            break
        chain.insert(0, outer)
    return chain


def loads_by_reference(kernel: Kernel, loop: Loop, pragmas: str = "") -> dict[Reference, tuple[Access, ...]]:
    """The references to off-chip arrays that one iteration of a loop makes through L1, with the accesses behind each.

    Identical ones are joined. `pragmas` is the text in front of the loop: an unroll pragma tells what is issued
    together.

    Atomics and volatile accesses do not live in L1; a pure store passes through it without keeping a line.
    """
    found: dict[tuple[object, ...], Reference] = {}
    behind: dict[tuple[object, ...], list[Access]] = {}
    by_stmt = {one.stmt: one for one in kernel.loops}
    order = ordering(kernel, loop, pragmas)
    for access in kernel.accesses:
        if loop.stmt not in access.loops or access.array.space not in _CACHED:
            continue
        if access.is_atomic or access.is_volatile or not access.is_read:
            continue
        one = _reference(access, loop, [by_stmt[stmt] for stmt in access.loops if stmt in by_stmt], order)
        key = (
            (one.array, one.offset, one.step, one.inner, one.bytes) if one.offset is not None else (one.array, one.text)
        )
        before = found.get(key)
        if before is None or (before.guarded and not one.guarded):
            found[key] = one
        behind.setdefault(key, []).append(access)
    joined = {key: tuple(dict.fromkeys(access.span.start for access in behind[key])) for key in found}
    return {replace(one, places=joined[key]): tuple(behind[key]) for key, one in found.items()}


def references(kernel: Kernel, loop: Loop, pragmas: str = "") -> tuple[Reference, ...]:
    """The references of `loads_by_reference` alone."""
    return tuple(loads_by_reference(kernel, loop, pragmas))
