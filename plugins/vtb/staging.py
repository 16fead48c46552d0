"""Work at the start of a region that can be done before the turn: what is stored to shared memory, kept in registers.

`tile[t] = a[i];` becomes `const auto v = a[i];`, the turn, `tile[t] = v;`, and a short counted loop of such stores is
split in two. So the loads of one virtual block are under way while another one has its turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuopt_driver.api import (
    LOOP_KINDS,
    Access,
    Kernel,
    Region,
    SourceFile,
    Space,
    Stmt,
    StmtKind,
    expr,
)

_LONGEST = 32  # stores of a loop that registers may hold
_CHANGES = re.compile(rb"\+\+|--|(?<![=!<>])=(?!=)")
_SIMPLE = re.compile(r"(?:unsigned |signed )?(?:char|short|int|long|long long)|float|double|bool")


@dataclass(frozen=True, slots=True)
class Staged:
    """A store whose value is computed early: statement, the assignment in it, where target and value stand (bytes).

    `loop` is the header's byte range where the statement is a loop; `index` numbers its iterations, `count` in all.
    """

    stmt: int
    assignment: int
    target: tuple[int, int]
    value: tuple[int, int]
    element: str = ""
    loop: tuple[int, int] | None = None
    index: str = ""
    count: int = 1


def staged(kernel: Kernel, source: SourceFile, region: Region) -> tuple[Staged, ...]:
    """The first statements of a region that are such stores."""
    parent = kernel.stmt(region.first).parent
    if parent is None:
        return ()
    found: list[Staged] = []
    for child in kernel.stmt(parent).children:
        if not region.first <= child <= region.last:
            continue
        one = _staged(kernel, source, kernel.stmt(child))
        if one is None:
            break
        found.append(one)
        called = {call.name for call in kernel.calls if call.stmt == one.assignment}
        if called & {function.qualified for function in kernel.functions}:
            break  # what it does to variables is not known
    return tuple(found)


def stores(found: tuple[Staged, ...]) -> frozenset[int]:
    """The assignments whose loads come before the turn."""
    return frozenset(one.assignment for one in found)


def _staged(kernel: Kernel, source: SourceFile, stmt: Stmt) -> Staged | None:
    if not stmt.span.editable or stmt.span.file != source.path:
        return None
    if stmt.kind is StmtKind.EXPR:
        return _assignment(kernel, source, stmt)
    if stmt.kind not in LOOP_KINDS:
        return None
    loop = kernel.loop_of(stmt.id)
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    if loop is None or body is None or not loop.variable or loop.trips is None:
        return None
    header = (stmt.span.start, body.span.start)
    inner = body
    if body.kind is StmtKind.COMPOUND:
        if len(body.children) != 1:
            return None
        inner = kernel.stmt(body.children[0])
    one = _assignment(kernel, source, inner) if inner.kind is StmtKind.EXPR else None
    numbers = [expr.evaluate(part, {}) if part is not None else None for part in (loop.start, loop.step, loop.trips)]
    start, step, trips = numbers
    if one is None or start is None or not step or trips is None or not 1 < trips <= _LONGEST:
        return None
    if not _SIMPLE.fullmatch(one.element) or stmt.kind is not StmtKind.FOR:
        return None
    index = f"(({loop.variable}) - ({start})) / ({step})"
    return Staged(stmt.id, inner.id, one.target, one.value, one.element, header, index, trips)


def _assignment(kernel: Kernel, source: SourceFile, stmt: Stmt) -> Staged | None:
    """A statement `shared[...] = value;` of which the value needs no shared memory."""
    mine = [access for access in kernel.accesses if access.stmt == stmt.id]
    shared = [access for access in mine if access.array.space is Space.SHARED]
    if len(shared) != 1 or not _stores(shared[0]) or any(access.is_write for access in mine if access is not shared[0]):
        return None
    if any(sync.stmt == stmt.id for sync in kernel.syncs) or not stmt.span.editable:
        return None
    target = shared[0].span
    data = source.data
    if target.start != stmt.span.start or not target.editable or target.file != source.path:
        return None
    sign = re.compile(rb"\s*=(?!=)\s*").match(data, target.end)
    if sign is None or data[stmt.span.end - 1 : stmt.span.end] != b";":
        return None
    value = data[sign.end() : stmt.span.end - 1]
    left = data[target.start : target.end]
    if not value.strip() or value.lstrip().startswith(b"{") or _CHANGES.search(value) or _CHANGES.search(left):
        return None
    if b"//" in value or b"/*" in value or b"#" in value:
        return None
    ends = (sign.end(), stmt.span.end - 1)
    return Staged(stmt.id, stmt.id, (target.start, target.end), ends, shared[0].array.element)


def _stores(access: Access) -> bool:
    return access.is_write and not access.is_read and not access.is_atomic and not access.is_volatile and not access.via


def text_of(source: SourceFile, found: tuple[Staged, ...], number: int) -> str:
    """The text for these statements: values, the turn, stores. `number` makes the names of regions differ."""
    before, after = [], []

    def text(start: int, end: int) -> str:
        return " ".join(source.data[start:end].decode("utf-8", "surrogateescape").split())

    for at, one in enumerate(found):
        name = f"gpuopt_v{number}_{at}"
        value, target = text(*one.value), text(*one.target)
        if one.loop is None:
            before.append(f"const auto {name} = {value};")
            after.append(f"{target} = {name};")
        else:
            header = text(*one.loop)
            before.append(
                f'{one.element} {name}[{one.count}]; _Pragma("unroll") {header} {name}[{one.index}] = {value};'
            )
            after.append(f'_Pragma("unroll") {header} {target} = {name}[{one.index}];')
    return " ".join([*before, "gpuopt_at.enter();", *after])
