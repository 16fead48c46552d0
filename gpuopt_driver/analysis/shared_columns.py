"""Columns of a shared array: what only one thread of a block touches, and how far into the array anybody goes.

An array whose rows hold one element for every thread, in the order of their numbers, has a column for each of them.
While every access stays in its thread's column, an element is as good as a register (CO-VTB: Yang et al., PACT 2012,
figure 6, holds in registers what goes to the public part). All facts come from index forms: what is left of an offset
without whole rows is enumerated for all threads, so the row may be data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.shared_points import NOT_KNOWN, Points, at_thread, is_shared, values_of
from gpuopt_driver.frontend.compiled import function_of
from gpuopt_driver.frontend.expr import Const, Expr, Op, Sym
from gpuopt_driver.frontend.model import Access, Array, Kernel, StmtKind, SyncKind
from gpuopt_driver.source.text import SourceFile

_SETS = re.compile(rb"\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=)|;)")
_Range = tuple[int, int]


def whole_rows(term: Expr, row_bytes: int) -> bool:
    """A multiple of a row, whatever its symbols are."""
    if isinstance(term, Const):
        return term.value >= row_bytes and term.value % row_bytes == 0
    if isinstance(term, Op) and term.op == "*":
        return any(isinstance(arg, Const) and arg.value % row_bytes == 0 for arg in term.args)
    return False


def terms_of(offset: Expr) -> Sequence[Expr]:
    """What an offset is the sum of."""
    return offset.args if isinstance(offset, Op) and offset.op == "+" else (offset,)


def in_column(access: Access, shape: Shape) -> bool:
    """Whether an access goes to its own thread's element of some row: one for each thread of the block."""
    element = access.array.element_bytes
    row = shape.threads * element
    if access.offset is None or access.bytes != element or access.in_callee_loop:
        return False
    try:
        rest = [function_of(term) for term in terms_of(access.offset) if not whole_rows(term, row)]
        for thread in range(shape.threads):
            if sum(value(at_thread(shape, thread)) for value in rest) != thread * element:
                return False
    except NOT_KNOWN:
        return False
    return True


def column_phase(kernel: Kernel, source: SourceFile, array: Array, shapes: Sequence[Shape]) -> tuple[Access, ...]:
    """The accesses to an array, the kernel's only one, before anybody touches another thread's column; none: unknown.

    They stand in children of the kernel's body in front of a barrier, and may be written as calls: reads anywhere,
    writes at the beginning of a statement of their own.
    """
    shared = [access for access in kernel.accesses if is_shared(access)]
    if len(shapes) != 1 or any(access.array != array for access in shared):
        return ()
    children = kernel.stmt(0).children
    where = {inner.id: number for number, child in enumerate(children) for inner in kernel.descendants(child)}
    columns = {access for access in shared if in_column(access, shapes[0])}
    others = [where.get(access.stmt, 0) for access in shared if access not in columns]
    meets = [where.get(sync.stmt, 0) for sync in kernel.syncs if sync.kind is SyncKind.BLOCK and sync.stmt in children]
    barrier = max((one for one in meets if one < min(others, default=0)), default=-1)
    phase = tuple(access for access in columns if where.get(access.stmt, 0) < barrier)
    late = [access for access in columns if barrier <= where.get(access.stmt, 0) < min(others, default=0)]
    spans = sorted({(access.span.start, access.span.end) for access in phase})
    nested = any(one[1] > other[0] for one, other in pairwise(spans))
    if late or nested or any(stmt.kind in (StmtKind.GOTO, StmtKind.LABEL) for stmt in kernel.stmts):
        return ()
    return phase if all(_is_plain(kernel, source, access) for access in phase) else ()


def _is_plain(kernel: Kernel, source: SourceFile, access: Access) -> bool:
    """Whether an access stands in the kernel's own text as a value, or is what an expression statement sets."""
    span, data = access.span, source.data
    if access.via or access.is_atomic or access.is_volatile or not span.editable or span.file != source.path:
        return False
    functions = {function.qualified for function in kernel.functions}
    if any(call.stmt == access.stmt and call.name in functions for call in kernel.calls):
        return False  # its name is another one in a version
    stmt = kernel.stmt(access.stmt)
    ahead = data[: span.start].rstrip()
    if not access.is_write:
        return not ahead.endswith((b"&", b"++", b"--")) and not re.match(rb"\s*(?:\.|\[|->)", data[span.end :])
    lead = data[stmt.span.start : span.start].strip()
    return stmt.kind is StmtKind.EXPR and lead in (b"", b"++", b"--") and _SETS.match(data, span.end) is not None


def used_bytes(kernel: Kernel, array: Array, size: int, shapes: Sequence[Shape]) -> int:
    """How many of an array's first bytes are all that any access can touch; `size` where that is not known."""
    most = 0
    mine = [access for access in kernel.accesses if access.array == array]
    for shape in shapes:
        points = Points(kernel, shape)
        for access in mine:
            found = points.read(access, 0)
            end = max(found, default=0) if found is not None else _end(kernel, access, shape)
            if end is None:
                return size
            most = max(most, end + access.bytes)
    return most if shapes and 0 < most < size else size


def _end(kernel: Kernel, access: Access, shape: Shape) -> int | None:
    """The largest offset of an access whose places are data, where their range is known (`x & 127`)."""
    if access.offset is None or access.in_callee_loop:
        return None
    known: dict[str, _Range] = {}
    sizes = {"x": shape.x, "y": shape.y, "z": shape.z}
    for axis, size in sizes.items():
        known[f"threadIdx.{axis}"], known[f"blockDim.{axis}"] = (0, size - 1), (size, size)
    for stmt in access.loops:
        loop = kernel.loop_of(stmt)
        values = values_of(kernel, loop, {}) if loop is not None else None
        if loop is not None and values:
            known[loop.symbol] = (min(values), max(values))
    try:
        low, high = _range(access.offset, known)
    except KeyError:
        return None
    return high if low >= 0 else None


def _range(value: Expr, known: Mapping[str, _Range]) -> _Range:
    """Between which numbers a value lies (KeyError: not known)."""
    if isinstance(value, Const):
        return value.value, value.value
    if isinstance(value, Sym):
        return known[value.name]
    consts = [arg.value for arg in value.args if isinstance(arg, Const) and arg.value >= 0]
    if value.op == "&" and consts:
        return 0, min(consts)
    if value.op == "+":
        lows, highs = zip(*(_range(arg, known) for arg in value.args), strict=True)
        return sum(lows), sum(highs)
    if value.op == "*":
        low, high = 1, 1
        for arg in value.args:
            first, last = _range(arg, known)
            ends = [low * first, low * last, high * first, high * last]
            low, high = min(ends), max(ends)
        return low, high
    if value.op == "%" and len(value.args) == 2 and isinstance(value.args[1], Const) and value.args[1].value > 0:
        low, high = _range(value.args[0], known)
        return (0 if low >= 0 else 1 - value.args[1].value), min(max(high, 0), value.args[1].value - 1)
    raise KeyError(value.op)
