"""A loop further on in a region whose first iterations read own rows alone: they run before the turn (CO-VTB).

Where loops over the rows of an array that is cut define it and read it again (Yang et al., PACT 2012, section 4.3:
only the public part is multiplexed), the iterations of both are split where the array is: what is about own rows needs
a barrier of the virtual block, but no turn. Text that is on one side of the cut does not ask which part a row is in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import or_

from gpuopt_driver.api import (
    Access,
    Kernel,
    Region,
    SourceFile,
    Space,
    Stmt,
    StmtKind,
    SyncKind,
    begins,
    dataclass,
    expr,
    subscripts,
)

from . import crossing
from .peel import LEAVES, changes, line
from .staging import Before, Staged
from .statements import Own, common_row, counts_only, declares, own_row, split_header

_BARRIER = re.compile(rb"__syncthreads\s*\(\s*\)\s*;")
_PLAIN = frozenset((StmtKind.COMPOUND, StmtKind.IF, StmtKind.FOR, StmtKind.DECL, StmtKind.EXPR, StmtKind.EMPTY))


@dataclass(frozen=True, slots=True)
class Leading:
    """The loop `stmt`, how many `iterations` of it come before the turn, and its two texts.

    `moved` are declarations in front of it that come along.
    """

    stmt: int
    iterations: int
    moved: tuple[int, ...]
    before: str
    behind: str


def leading(
    kernel: Kernel,
    source: SourceFile,
    region: Region,
    found: Sequence[Staged],
    own: Own,
    before: Before,
) -> Leading | None:
    """The first loop behind what a region begins with (`found`) and a barrier, where it can be split.

    Nothing that stays in the turn in front of it may change what its first iterations read, nor they what that needs.
    """
    parent = kernel.stmt(region.first).parent
    if parent is None or not found or not _only_stores(kernel, found, own, before):
        return None
    children = [kernel.stmt(one) for one in kernel.stmt(parent).children if region.first <= one <= region.last]
    moved: list[Stmt] = []
    meets = False
    for stmt in children[len(found) :]:
        if stmt.kind is StmtKind.DECL and declares(kernel, source, stmt):
            moved.append(stmt)
        elif _is_barrier(kernel, source, stmt):
            meets = True
        elif stmt.kind is StmtKind.FOR and meets:
            words, text = _words(kernel, source, found), source.data[stmt.span.start : stmt.span.end]
            if _changed(kernel, (*moved, stmt)) & words or changes(text.decode("utf-8", "surrogateescape"), words):
                return None
            ahead = reduce(or_, (crossing.whole(kernel, one) for one in (*moved, stmt)))
            if not all(ahead.commutes(one.crosses.late) for one in found):
                return None
            return _split(kernel, source, stmt, moved, own, before)
        else:
            return None
    return None


def _only_stores(kernel: Kernel, found: Sequence[Staged], own: Own, before: Before) -> bool:
    """Whether what these leave for the turn stores values, and none of them to own rows."""
    if any(one.peeled is not None or (one.halves is not None and one.halves.mixed) for one in found):
        return False
    if not any(one.halves is not None and one.halves.first for one in found):
        return False
    inside = {inner.id for one in found for inner in kernel.descendants(one.stmt)}
    shared = [one for one in kernel.accesses if one.stmt in inside and one.array.space is Space.SHARED]
    return all(own(one) or before(one) is not None for one in shared)


def _is_barrier(kernel: Kernel, source: SourceFile, stmt: Stmt) -> bool:
    if not any(sync.stmt == stmt.id and sync.kind is SyncKind.BLOCK for sync in kernel.syncs):
        return False
    text = source.data[stmt.span.start : stmt.span.end]
    return stmt.span.editable and stmt.span.file == source.path and _BARRIER.fullmatch(text) is not None


def _changed(kernel: Kernel, stmts: Iterable[Stmt]) -> frozenset[str]:
    """The variables that these statements declare or set."""
    inside = {inner.id for stmt in stmts for inner in kernel.descendants(stmt.id)}
    return frozenset(one.name for one in kernel.variables if one.stmt in inside or inside.intersection(one.definitions))


def _words(kernel: Kernel, source: SourceFile, found: Sequence[Staged]) -> frozenset[str]:
    """The names in the text of what the region begins with, but for those of loops' own variables."""
    spans = [kernel.stmt(one.stmt).span for one in found]
    text = b" ".join(source.data[span.start : span.end] for span in spans)
    inside = {inner.id for one in found for inner in kernel.descendants(one.stmt)}
    theirs = {one.name for one in kernel.variables if one.stmt in inside}
    return frozenset(re.findall(r"[A-Za-z_]\w*", text.decode("utf-8", "surrogateescape"))) - theirs


def _split(
    kernel: Kernel, source: SourceFile, stmt: Stmt, moved: Sequence[Stmt], own: Own, before: Before
) -> Leading | None:
    loop = kernel.loop_of(stmt.id)
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    if loop is None or body is None or not stmt.span.editable or stmt.span.file != source.path:
        return None
    if any(begins(one, source) is None for one in (stmt, *moved)):
        return None  # what is in front of it would be in front of something else
    header = source.data[stmt.span.start : body.span.start]
    numbers = [expr.evaluate(one, {}) if one is not None else None for one in (loop.start, loop.step, loop.trips)]
    start, step, trips = numbers
    if not counts_only(header) or start is None or not step or trips is None:
        return None
    if crossing.header(kernel, stmt, body, loop.variable) is None:
        return None
    inside = {inner.id for inner in kernel.descendants(stmt.id)}
    if not any(one.name == loop.variable and one.stmt in inside for one in kernel.variables):
        return None
    if not _only_computes(kernel, source, body, inside) or loop.variable in _changed(kernel, (body,)):
        return None
    shared = [one for one in kernel.accesses if one.stmt in inside and one.array.space is Space.SHARED]
    cut = [one for one in shared if not own(one)]
    counts = {before(one) if one.loops and one.loops[-1] == stmt.id else None for one in cut}
    (count,) = counts if len(counts) == 1 else (None,)
    if count is None or not 0 < count < trips or any(row_of(source, one) is None for one in cut):
        return None
    headers = split_header(header.decode("utf-8", "surrogateescape"), loop.variable, start + count * step)
    texts = [side_text(source, body, cut, side) for side in (own_row, common_row)]
    first, rest = (f"{head} {text}" for head, text in zip(headers, texts, strict=True))
    declared = [line(source.data[one.span.start : one.span.end]) for one in moved]
    return Leading(
        stmt.id,
        count,
        tuple(one.id for one in moved),
        " ".join(("gpuopt_at.sync();", *declared, first)),
        rest,
    )


def _only_computes(kernel: Kernel, source: SourceFile, body: Stmt, inside: set[int]) -> bool:
    """Whether a loop's body reads, computes and sets scalars, all in the text of the kernel's own file."""
    if LEAVES.search(source.data, body.span.start, body.span.end):
        return False
    stmts = [kernel.stmt(one) for one in inside]
    if any(one.kind not in _PLAIN or not one.span.editable or one.span.file != source.path for one in stmts):
        return False
    mine = [one for one in kernel.accesses if one.stmt in inside]
    if any(one.is_volatile or one.is_atomic or one.is_write for one in mine):
        return False
    if any("&" in one.type and inside.intersection(one.definitions) for one in kernel.variables):
        return False  # what it stands for may be needed in the turn
    functions = {function.qualified for function in kernel.functions}
    calls = [call for call in kernel.calls if call.stmt in inside]
    if any(not call.known or call.name in functions for call in calls):
        return False
    return not any(sync.stmt in inside for sync in kernel.syncs)


def row_of(source: SourceFile, access: Access) -> list[str] | None:
    """The subscripts of an access in the text of the kernel's own file."""
    if access.via or not access.span.editable or access.span.file != source.path:
        return None
    text = source.data[access.span.start : access.span.end].decode("utf-8", "surrogateescape")
    return subscripts(text, access.array.name) or None


def side_text(source: SourceFile, body: Stmt, cut: Sequence[Access], side: Callable[[str], str]) -> str:
    """The body with what it reads of the array that is cut on one side of the cut."""
    pieces: list[bytes] = []
    at = body.span.start
    for span in sorted({(one.span.start, one.span.end) for one in cut}):
        text = source.data[span[0] : span[1]].decode("utf-8", "surrogateescape")
        pieces += [source.data[at : span[0]], side(text).encode("utf-8", "surrogateescape")]
        at = span[1]
    return line(b"".join((*pieces, source.data[at : body.span.end])))
