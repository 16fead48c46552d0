"""Where a loop can be run in groups of warps: the statement to wrap, or the reason why there is none.

The printed rewrite of the paper (fig. 4) puts its barrier under `if (i < NX)`, which threads beyond NX never reach.
Here the groups go around the innermost complete statement that all threads of the block reach together, so the
barrier behind it is reached by all of them. A warp is never split (threads are grouped by warp, as the hardware numbers
them, partial warps included), so warp-level operations inside the statement meet the same lanes as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuopt_driver.api import (
    LOOP_KINDS,
    Kernel,
    Launch,
    SourceFile,
    Stmt,
    StmtKind,
    SyncKind,
    dataclass,
    in_front,
    missed,
    why_not_copyable,
)

from . import codes
from .races import single

_BARRIERS = {
    SyncKind.BLOCK: "a barrier",
    SyncKind.NAMED: "a named barrier",
    SyncKind.GRID: "a grid-wide barrier",
    SyncKind.CLUSTER: "a cluster barrier",
    SyncKind.UNKNOWN: "something that may synchronise",
}
_SWITCHED = LOOP_KINDS | {StmtKind.SWITCH}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a loop is not run in groups."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    """The statement to wrap: insert at bytes `start` and `end`.

    `returns`: threads may have exited before it ends. `single`: dimensions in which the threads of a block update the
    same locations inside (see `races`), so that a launch must have one thread along them.
    """

    stmt: int
    start: int
    end: int
    returns: bool
    single: tuple[str, ...] = ()


def refuse_kernel(kernel: Kernel, launches: Sequence[Launch]) -> Refusal | None:
    """Why nothing in this kernel may be rewritten, or None."""
    reason = why_not_copyable(kernel)
    if reason is not None:
        return Refusal(codes.NOT_REWRITABLE, reason)
    if "goto" in kernel.special:
        return Refusal(codes.NOT_REWRITABLE, "it uses goto")
    if "asm" in kernel.special:
        return Refusal(codes.ASSEMBLY, "the kernel contains inline assembly")
    for call in kernel.calls:
        if call.stmt == 0 and not call.known:  # of no statement: nobody calls it by name
            return Refusal(codes.UNKNOWN_CALL, f"{call.name}() may synchronise ({kernel.line_of(call.span)})")
    for sync in kernel.syncs:
        if sync.kind in (SyncKind.GRID, SyncKind.CLUSTER, SyncKind.NAMED):
            return Refusal(
                codes.BARRIER, f"the kernel uses {_BARRIERS[sync.kind]} ({sync.text}, {kernel.line_of(sync.span)})"
            )
    absent = missed(kernel, launches, (SyncKind.WARP,))
    return None if absent is None else Refusal(codes.NOT_UNIFORM, absent.reason)


def place(kernel: Kernel, loop: int, source: SourceFile) -> Place | Refusal:
    """The innermost statement at or around a loop that can be run in groups, or why there is none."""
    first: Refusal | None = None
    for stmt in (kernel.stmt(loop), *kernel.ancestors(loop)):
        if stmt.kind in (StmtKind.CASE, StmtKind.LABEL) or stmt.parent is None:
            continue
        if stmt.kind is StmtKind.COMPOUND and kernel.stmt(stmt.parent).kind in (
            *LOOP_KINDS,
            StmtKind.SWITCH,
            StmtKind.IF,
        ):
            continue  # its parent, or the statement inside, is the better place
        if not stmt.reached_uniformly:
            continue
        found = _try(kernel, stmt, source)
        if isinstance(found, Place):
            return found
        first = first or found
        if found.code in (codes.BARRIER, codes.UNKNOWN_CALL, codes.WAITS, codes.ASSEMBLY):
            break  # anything around it contains the same
    return first or Refusal(codes.NOT_UNIFORM, _why_divergent(kernel, loop))


def _why_divergent(kernel: Kernel, loop: int) -> str:
    for around in (kernel.stmt(loop), *kernel.ancestors(loop)):
        if around.kind is not StmtKind.COMPOUND and not around.uniform and around.parent is not None:
            return f"no statement around the loop is reached by all threads together ({kernel.line_of(around.span)})"
    return "no statement around the loop is reached by all threads of the block together"


def _try(kernel: Kernel, stmt: Stmt, source: SourceFile) -> Place | Refusal:
    inside = {inner.id: inner for inner in kernel.descendants(stmt.id)}
    for check in (_calls, _synchronises, _waits, _leaves):
        refusal = check(kernel, inside)
        if refusal is not None:
            return refusal
    if not stmt.span.editable or stmt.lead is None or stmt.span.file != source.path:
        return Refusal(codes.MACRO, f"the statement at {kernel.line_of(stmt.span)} comes out of a macro")
    start = in_front(stmt, source)
    if start is None:
        return Refusal(codes.MACRO, f"a preprocessor line stands in front of {kernel.line_of(stmt.span)}")
    returns = any(
        other.kind is StmtKind.RETURN and (other.id in inside or other.span.start < stmt.span.start)
        for other in kernel.stmts
    )
    return Place(stmt.id, start, stmt.span.end, returns, single(kernel, stmt.id))


def _synchronises(kernel: Kernel, inside: dict[int, Stmt]) -> Refusal | None:
    for sync in kernel.syncs:
        if sync.stmt not in inside:
            continue
        if sync.kind in _BARRIERS:
            return Refusal(codes.BARRIER, f"{_BARRIERS[sync.kind]} inside ({sync.text}, {kernel.line_of(sync.span)})")
        if sync.kind is SyncKind.FENCE:
            return Refusal(codes.WAITS, f"a memory fence inside ({sync.text}, {kernel.line_of(sync.span)})")
    for stmt in inside.values():
        if stmt.kind is StmtKind.ASM:
            return Refusal(codes.ASSEMBLY, f"inline assembly inside ({kernel.line_of(stmt.span)})")
    return None


def _calls(kernel: Kernel, inside: dict[int, Stmt]) -> Refusal | None:
    for call in kernel.calls:
        if call.stmt in inside and not call.known:
            return Refusal(codes.UNKNOWN_CALL, f"{call.name}() is not known ({kernel.line_of(call.span)})")
    return None


def _waits(kernel: Kernel, inside: dict[int, Stmt]) -> Refusal | None:
    """Loops that may end only when another warp has done something; that warp may be in a later group."""
    counted = {loop.stmt for loop in kernel.loops if loop.trips is not None}
    for access in kernel.accesses:
        if access.stmt not in inside:
            continue
        where = f"{access.text}, {kernel.line_of(access.span)}"
        if access.is_volatile:
            return Refusal(codes.WAITS, f"a volatile access inside ({where})")
        open_ended = any(loop in inside and loop not in counted for loop in access.loops) or access.in_callee_loop
        if access.is_atomic and open_ended:
            return Refusal(codes.WAITS, f"an atomic in a loop without a known trip count ({where})")
    return None


def _leaves(kernel: Kernel, inside: dict[int, Stmt]) -> Refusal | None:
    for stmt in inside.values():
        target = _target(kernel, stmt)
        if target is not None and target.id not in inside:
            return Refusal(codes.LEAVES, f"{stmt.kind.value} leaves the statement ({kernel.line_of(stmt.span)})")
    return None


def _target(kernel: Kernel, stmt: Stmt) -> Stmt | None:
    """The statement that a break, continue or case label belongs to."""
    kinds: dict[StmtKind, frozenset[StmtKind]] = {
        StmtKind.BREAK: _SWITCHED,
        StmtKind.CONTINUE: LOOP_KINDS,
        StmtKind.CASE: frozenset({StmtKind.SWITCH}),
    }
    if stmt.kind not in kinds:
        return None
    return next((around for around in kernel.ancestors(stmt.id) if around.kind in kinds[stmt.kind]), None)


def outermost(kernel: Kernel, places: list[Place]) -> Iterator[Place]:
    """The places that lie in no other one, in source order, each once."""
    chosen = {place.stmt: place for place in places}
    for stmt in sorted(chosen):
        if not any(around.id in chosen for around in kernel.ancestors(stmt)):
            yield chosen[stmt]
