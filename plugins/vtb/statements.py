"""Which statements can be done in two parts, one of them before a turn: what they store, declare and change."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gpuopt_driver.api import Access, Kernel, SourceFile, Space, Span, Stmt, Variable, subscripts

SCOPE = "::gpuopt_rt::plugin_vtb"  # of what versions share
CHANGES = re.compile(rb"\+\+|--|(?<![=!<>])=(?!=)")
COMMENT = re.compile(rb"//|/\*|#")
Own = Callable[[Access], bool]


def assignment(
    kernel: Kernel, source: SourceFile, stmt: Stmt, own: Own
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where target and value of a statement `shared[...] = value;` stand, of which the value needs no turn."""
    mine = [access for access in kernel.accesses if access.stmt == stmt.id]
    shared = [access for access in mine if access.array.space is Space.SHARED and not own(access)]
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
    if not value.strip() or value.lstrip().startswith(b"{") or CHANGES.search(value) or CHANGES.search(left):
        return None
    if COMMENT.search(value) or not _is_one_assignment(kernel, source, stmt, target, sign.end()):
        return None
    return (target.start, target.end), (sign.end(), stmt.span.end - 1)


def _is_one_assignment(kernel: Kernel, source: SourceFile, stmt: Stmt, target: Span, value: int) -> bool:
    """Whether all of a statement is one assignment of the language's own, and not `a = b, c` or an operator's call."""
    for one in kernel.assignments:
        if one.stmt == stmt.id:
            ends = (one.target.start, one.target.end, one.value.start) == (target.start, target.end, value)
            return ends and not source.data[one.value.end : stmt.span.end - 1].strip()
    return False


def _stores(access: Access) -> bool:
    return access.is_write and not access.is_read and not access.is_atomic and not access.is_volatile and not access.via


def counts_only(header: bytes) -> bool:
    """Whether a loop's header, run twice, changes nothing but the loop's variable."""
    parts = header[header.find(b"(") + 1 : header.rfind(b")")].split(b";")
    if len(parts) != 3 or any(b"," in part or COMMENT.search(part) for part in parts) or CHANGES.search(parts[1]):
        return False
    step = rb"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--|(?:[-+*/]|<<|>>)?=(?!=)[\w\s+*/<>-]+)"
    calm = parts[0].count(b"=") == 1 and not re.search(rb"\+\+|--", parts[0])
    return calm and re.fullmatch(rb"\s*(?:" + step + rb")\s*", parts[2]) is not None


def reads_shared_only(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    """An expression that reads shared memory and changes nothing but local variables."""
    mine = [access for access in kernel.accesses if access.stmt == stmt.id]
    if not mine or any(access.is_write or access.is_volatile or access.is_atomic for access in mine):
        return False
    return any(access.array.space is Space.SHARED for access in mine) and _plain(kernel, source, stmt)


def split_header(header: str, variable: str, middle: int) -> tuple[str, str]:
    """A loop's header (`counts_only`) as two: up to where its variable is `middle`, and from there on."""
    parts = [" ".join(one.split()) for one in header[header.find("(") + 1 : header.rfind(")")].split(";")]
    start = parts[0][: parts[0].find("=")].rstrip()
    return (
        f"for ({parts[0]}; {variable} != {middle}; {parts[2]})",
        f"for ({start} = {middle}; {parts[1]}; {parts[2]})",
    )


def changed_in(variable: Variable, inner: Sequence[Stmt]) -> bool:
    """Whether one of these statements sets the variable."""
    return any(stmt.id in variable.definitions for stmt in inner)


def _plain(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    """No barrier, no call of the program's own functions, nothing that a line of its own would need."""
    text = source.data[stmt.span.start : stmt.span.end]
    if not stmt.span.editable or stmt.span.file != source.path or COMMENT.search(text):
        return False
    called = {call.name for call in kernel.calls if call.stmt == stmt.id}
    own = {function.qualified for function in kernel.functions}
    return not called & own and not any(sync.stmt == stmt.id for sync in kernel.syncs)


def declares(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    """A declaration of local variables that reads no shared memory and changes nothing else."""
    text = source.data[stmt.span.start : stmt.span.end]
    mine = [access for access in kernel.accesses if access.stmt == stmt.id]
    if any(access.is_write or access.array.space is Space.SHARED or access.is_volatile for access in mine):
        return False
    others = [one for one in kernel.variables if stmt.id in one.definitions and one.stmt != stmt.id]
    changes = re.search(rb"\+\+|--|[-+*/%&|^]=|<<=|>>=|\([^()]*(?<![=!<>])=(?!=)|\[&?=?\]|static|&\s*\w+\s*=", text)
    local = all(one.space is Space.LOCAL for one in kernel.variables if one.stmt == stmt.id)
    return not others and changes is None and local and _plain(kernel, source, stmt)


def touches_shared_only(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    """An expression that changes shared memory and nothing else."""
    mine = [access for access in kernel.accesses if access.stmt == stmt.id]
    if not mine or any(access.is_write and access.array.space is not Space.SHARED for access in mine):
        return False
    others = [one for one in kernel.variables if stmt.id in one.definitions and one.space is not Space.SHARED]
    return not others and any(access.is_write for access in mine) and _plain(kernel, source, stmt)


def _name(text: str) -> str:
    return text[: text.find("[")].rstrip()


def own_row(text: str) -> str:
    """`a[i]...` of an array that is cut, where `i` is a row of the virtual block's own."""
    name = _name(text)
    return f"{name}.gpuopt_rows{text[len(name) :]}"


def common_row(text: str) -> str:
    """`a[i]...` of an array that is cut, where `i` is one of the other rows."""
    name = _name(text)
    groups = subscripts(text, name)
    return f"{name}.gpuopt_rest({groups[0]})" + "".join(f"[{one}]" for one in groups[1:])
