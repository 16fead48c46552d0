"""CO-VTB with registers: each thread's element of the common rows is in one while nobody else touches it.

Where threads stay in their own column of an array (analysis/shared_columns.py), what they do there needs no turn:
an access asks whether its row is one of the virtual block's own, and else goes to the register. The register is put
into the common rows at the beginning of the turn in which others read them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Access, Division, Edit, Kernel, Region, SourceFile, Space, expr, subscripts

from .crossing import header as header_of
from .scheme import Scheme
from .statements import SCOPE, counts_only, own_row, split_header


def is_put_back(kernel: Kernel, regions: Sequence[Region], division: Division) -> bool:
    """Whether the first turn comes once, behind everything that goes to registers."""
    last = max(access.stmt for access in division.kept)
    if any(call.name.endswith("this_thread_block") for call in kernel.calls):
        return False  # texts that name the group change, too
    return bool(regions) and kernel.stmt(regions[0].first).parent == 0 and regions[0].first > last


def put_back(division: Division | None) -> str:
    """What a turn begins with: the registers' values go where others find them."""
    if division is None or not division.kept:
        return ""
    return f"gpuopt_k_{division.cut}.put(gpuopt_c_{division.cut}, gpuopt_at.rank()); gpuopt_at.sync();"


def registers(division: Division, name: str, own: str) -> list[str]:
    """The declaration behind that of the array that is cut; `own`: where the own part is."""
    if not division.kept:
        return []
    kind = f"{SCOPE}::element_of<gpuopt_t_{name}>::gpuopt_type"
    element = division.kept[0].array.element_bytes
    cut = division.rows * division.row_bytes // element
    return [f"{SCOPE}::column<{kind}, {cut}> gpuopt_k_{name} = {{ reinterpret_cast<{kind} *>({own}), {kind}() }};"]


def column_edits(kernel: Kernel, source: SourceFile, scheme: Scheme, author: str) -> list[Edit]:
    """The accesses that go to own rows or the register, and loops that are two: of own rows, and of the others."""
    made: dict[int, Edit] = {}
    for access in scheme.division.kept if scheme.division is not None else ():
        span = access.span
        here = _text(source, span.start, span.end)
        groups = subscripts(here, access.array.name)
        place = groups[0]
        for group, extent in zip(groups[1:], access.array.extents[1:], strict=True):
            place = f"({place}) * {expr.evaluate(extent, {})} + ({group})"
        text = f"gpuopt_k_{access.array.name}.{'at' if access.is_write else 'get'}({place})"
        loop = in_two(kernel, source, access, scheme.before(access) or 0)
        if loop is not None:
            stmt, (first, rest) = kernel.stmt(access.loops[-1]), loop
            body = next(kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body")
            ahead, behind = _text(source, body.span.start, span.start), _text(source, span.end, body.span.end)
            text = f"{first} {ahead}{own_row(here)}{behind} {rest} {ahead}{text}{behind}"
            span = stmt.span
        lines = source.data.count(b"\n", span.start, span.end) - text.count("\n")
        data = text.encode("utf-8", "surrogateescape") + b"\n" * lines
        made[span.start] = Edit(source.path, span.start, span.end, data, author)
    return list(made.values())


def in_two(kernel: Kernel, source: SourceFile, access: Access, count: int) -> tuple[str, str] | None:
    """The headers of a counted loop around nothing but this access, its first `count` iterations apart; or None."""
    loop = kernel.loop_of(access.loops[-1]) if access.loops and count > 0 else None
    if loop is None:
        return None
    stmt = kernel.stmt(loop.stmt)
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    inside = {inner.id for inner in kernel.descendants(stmt.id)}
    numbers = [expr.evaluate(one, {}) if one is not None else None for one in (loop.start, loop.step)]
    start, step = numbers
    if body is None or body.id != access.stmt or start is None or not step or loop.variable == "":
        return None
    mine = [one for one in kernel.accesses if one.stmt in inside and one.array.space is Space.SHARED]
    header = source.data[stmt.span.start : body.span.start]
    if any(call.stmt in inside for call in kernel.calls):
        return None
    if mine != [access] or not stmt.span.editable or stmt.span.file != source.path or not counts_only(header):
        return None
    if not any(one.name == loop.variable and one.stmt in inside for one in kernel.variables):
        return None
    if header_of(kernel, stmt, body, loop.variable) is None:
        return None
    return split_header(header.decode("utf-8", "surrogateescape"), loop.variable, start + count * step)


def _text(source: SourceFile, start: int, end: int) -> str:
    return source.data[start:end].decode("utf-8", "surrogateescape")
