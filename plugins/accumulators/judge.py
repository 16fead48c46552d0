"""Whether an element may be kept in a register while a loop runs, and what must hold at a launch for that.

Other threads see the element through memory alone, and CUDA lets them count on nothing while no barrier, fence, atomic
or volatile access orders it: those refuse the loop. Within the thread, no other access of the loop may reach the
element's bytes; for other arrays that is a fact of pointers that each launch tests. And nothing may be stored that
the loop would not have stored: the element is stored behind the loop only where the first iteration runs, in which it
is certainly written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuopt_driver.api import (
    LOOP_KINDS,
    Access,
    Disjoint,
    Kernel,
    SourceFile,
    Space,
    Stmt,
    StmtKind,
    Unwritable,
    dataclass,
    difference,
    evaluation,
    expr,
    extent,
    in_front,
)

from . import codes
from .cells import Cell, inside
from .runs import Unasked, runs

_CAST = re.compile(r"_cast\b|\([\w:<>, ]*\*+ *\)")  # to another type of pointer
_PRIVATE = frozenset(
    {Space.SHARED, Space.LOCAL, Space.CONSTANT, Space.TEXTURE}
)  # memory that no pointer argument means


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an element stays in memory."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Promotion:
    """An element that is kept in a register from byte `start` to byte `end` of the source.

    `asked` is a statement that makes a flag true where the loop's first iteration runs, with `@` for its name;
    "" where it always does. `others` names the arrays that `requires` speaks of.
    """

    cell: Cell
    start: int
    end: int
    asked: str
    requires: tuple[Disjoint, ...]
    others: tuple[str, ...]


def judge(kernel: Kernel, source: SourceFile, cell: Cell) -> Promotion | Refusal:
    """The promotion of an element in its loop, or the first reason against it."""
    stmts = list(kernel.descendants(cell.loop.stmt))
    for check in (_synchronises, _leaves):
        refusal = check(kernel, stmts)
        if refusal is not None:
            return refusal
    if not cell.is_number:
        return Refusal(codes.TYPE, f"{cell.text} is of type {cell.accesses[0].array.element}")
    refusal = _text(kernel, source, cell)
    if refusal is not None:
        return refusal
    others = [one for one in inside(kernel, cell.loop) if one not in cell.accesses]
    refusal = _elsewhere(kernel, cell, others)
    if refusal is not None:
        return refusal
    if not any(one.array.space is Space.GLOBAL for one in others) or cell.accesses[0].array.restrict:
        return Refusal(codes.KNOWN, f"the compiler sees that nothing else in the loop can be {cell.text}")
    asked = _asked(kernel, source, cell, stmts)
    if isinstance(asked, Refusal):
        return asked
    start = in_front(kernel.stmt(cell.loop.stmt), source)
    if start is None:
        return Refusal(codes.TEXT, f"a preprocessor line stands in front of the loop ({_line(kernel, cell)})")
    try:
        requires = tuple(_facts(kernel, cell, others))
    except Unwritable as error:
        return Refusal(codes.NOT_MODELLED, f"where {error} goes is not known when the kernel is launched")
    names = tuple(dict.fromkeys(one.other.pointer for one in requires))
    return Promotion(cell, start, kernel.stmt(cell.loop.stmt).span.end, asked, requires, names)


def _line(kernel: Kernel, cell: Cell) -> str:
    return kernel.line_of(kernel.stmt(cell.loop.stmt).span)


def _synchronises(kernel: Kernel, stmts: list[Stmt]) -> Refusal | None:
    """Whatever lets others see what is in memory while the loop runs."""
    ids = {stmt.id for stmt in stmts}
    for sync in kernel.syncs:
        if sync.stmt in ids:
            return Refusal(codes.SYNCHRONISES, f"{sync.text} in the loop ({kernel.line_of(sync.span)})")
    for call in kernel.calls:
        if not call.known and (call.stmt in ids or call.stmt == 0):
            return Refusal(codes.SYNCHRONISES, f"{call.name}() is not known ({kernel.line_of(call.span)})")
    for access in kernel.accesses:
        if access.stmt in ids and (access.is_atomic or access.is_volatile):
            kind = "an atomic" if access.is_atomic else "a volatile"
            return Refusal(codes.SYNCHRONISES, f"{kind} access in the loop ({kernel.line_of(access.span)})")
    first, last = stmts[0].span.start, stmts[0].span.end
    unknown = evaluation(kernel, first, last).unknown
    return Refusal(codes.SYNCHRONISES, f"the loop is not seen through: {unknown}") if unknown else None


def _leaves(kernel: Kernel, stmts: list[Stmt]) -> Refusal | None:
    for stmt in stmts:
        if stmt.kind in (StmtKind.RETURN, StmtKind.GOTO, StmtKind.LABEL, StmtKind.ASM, StmtKind.TRY):
            return Refusal(codes.LEAVES, f"{stmt.kind.value} in the loop ({kernel.line_of(stmt.span)})")
        if stmt.kind is StmtKind.CASE and _switch(kernel, stmt) not in stmts:
            return Refusal(codes.LEAVES, f"a switch around the loop leads into it ({kernel.line_of(stmt.span)})")
    return None


def _switch(kernel: Kernel, case: Stmt) -> Stmt | None:
    return next((outer for outer in kernel.ancestors(case.id) if outer.kind is StmtKind.SWITCH), None)


def _text(kernel: Kernel, source: SourceFile, cell: Cell) -> Refusal | None:
    """Whether the element can be named in front of the loop, and a register in place of each mention of it."""
    loop = kernel.stmt(cell.loop.stmt)
    changed = evaluation(kernel, loop.span.start, loop.span.end).writes
    names = {_named(access) for access in cell.accesses}
    if len(names) > 1 or any(_CAST.search(name) for name in names):
        said = " and ".join(sorted(names))
        return Refusal(codes.TEXT, f"{said} may be of other types than {cell.text} is")
    for access in cell.accesses:
        where = f"{cell.text} ({kernel.line_of(access.span)})"
        span = access.span
        if access.is_copied:
            return Refusal(codes.TEXT, f"a function is given a pointer to {where}")
        if access.via or not span.editable or span.file != source.path:
            return Refusal(codes.TEXT, f"{where} stands in a macro or in a called function")
        if not loop.span.start <= span.start < span.end <= loop.span.end or access.stmt == loop.id:
            return Refusal(codes.TEXT, f"{where} is not in the body of the loop")
        if any(one.start < span.end and span.start < one.end for one in kernel.closed):
            return Refusal(codes.TEXT, f"{where} is in a lambda")
        if b"#" in source.data[span.start : span.end] or b"//" in source.data[span.start : span.end]:
            return Refusal(codes.TEXT, f"{where} has a comment or a preprocessor line inside")
        mine = [one for one in kernel.effects if span.start <= one.start and one.end <= span.end]
        if any(one.place is None or (one.is_write and one.place.space is Space.LOCAL) for one in mine):
            return Refusal(codes.TEXT, f"{where} has side effects")
        for place in (one.place for one in mine if one.place is not None and one.place.space is Space.LOCAL):
            if loop.span.start <= place.declared < loop.span.end or place in changed:
                return Refusal(codes.TEXT, f"{where} uses {place.name or 'a variable'}, which the loop changes")
    return None


def _named(access: Access) -> str:
    """How the source names an element, without what stands around the name."""
    text = " ".join(access.text.split())
    while text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
        text = text[1:-1].strip()
    return text


def _elsewhere(kernel: Kernel, cell: Cell, others: list[Access]) -> Refusal | None:
    """Accesses of which no fact of pointers can say that they are not the element."""
    for access in others:
        array = access.array
        where = f"{' '.join(access.text.split())} ({kernel.line_of(access.span)})"
        if array.space in _PRIVATE:
            continue
        if array.space is not Space.GLOBAL or not array.is_param:
            return Refusal(codes.OTHER_MEMORY, f"{where} is no memory that an argument points to")
        if array.name != cell.array:
            continue
        gap = None if access.offset is None else difference(access.offset, cell.offset)
        if not isinstance(gap, expr.Const) or -access.bytes < gap.value < cell.bytes:
            return Refusal(codes.SAME_ARRAY, f"{where} may be {cell.text}")
    return None


def _asked(kernel: Kernel, source: SourceFile, cell: Cell, stmts: list[Stmt]) -> str | Refusal:
    """How to ask in front of the loop whether the element is written in it."""
    reason: Refusal | None = None
    for access in cell.accesses:
        if not access.is_write:
            continue
        if not _is_certain(kernel, cell, access, stmts):
            reason = reason or Refusal(
                codes.NOT_CERTAIN, f"{cell.text} is not written in every iteration ({kernel.line_of(access.span)})"
            )
            continue
        asked = runs(kernel, source, cell.loop, access)
        if not isinstance(asked, Unasked):
            return asked
        reason = Refusal(codes.HEADER, asked.reason)
    assert reason is not None
    return reason


def _is_certain(kernel: Kernel, cell: Cell, access: Access, stmts: list[Stmt]) -> bool:
    """Whether an access is made in every iteration of the loop (and of the loops inside of it around the access)."""
    if access.guarded or access.predicate:
        return False
    for around in kernel.ancestors(access.stmt):
        if around.id == cell.loop.stmt:
            break
        if around.kind not in (StmtKind.COMPOUND, *LOOP_KINDS):
            return False
    jumps = (StmtKind.BREAK, StmtKind.CONTINUE)
    return not any(stmt.kind in jumps and stmt.span.start < access.span.start for stmt in stmts)


def _facts(kernel: Kernel, cell: Cell, others: list[Access]) -> Iterator[Disjoint]:
    """What must hold of the pointers: the element is in no other array that the loop uses."""
    mine = extent(kernel, cell.accesses)
    arrays = dict.fromkeys(access.array.name for access in others if access.array.space is Space.GLOBAL)
    for name in arrays:
        if name != cell.array:
            used = [access for access in others if access.array.name == name]
            yield Disjoint(mine, extent(kernel, used))
