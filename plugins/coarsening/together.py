"""What must hold for threads to go on to the next block, also where they share memory, meet or exchange data.

A block of such a version runs whole blocks of the program one after the other, with the threads, the warps and the
shared memory that each of them had. Only one thing is new: a thread that has returned is still there, and goes on to
the next of the blocks. Where others meet at a barrier or exchange data behind that, it would be missed. It may leave
for good where it would only return again in all later blocks, as threads do whose index is too large.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from gpuopt_driver.api import (
    Counted,
    Kernel,
    Launch,
    Objection,
    Space,
    Span,
    Stmt,
    StmtKind,
    Sync,
    SyncKind,
    Together,
    Unwritable,
    counted_number,
    dataclass,
    declares_shared,
    leaves_for_good,
    missed,
    returns_before_barrier,
)

from .steps import in_step

ALLOWED = frozenset({Together.SHARED, Together.BARRIER, Together.WARP, Together.GROUP})
_MEETING = (SyncKind.BLOCK, SyncKind.WARP)
_MASKED = re.compile(
    r"__(syncwarp|(all|any|uni|ballot|match_any|match_all|shfl(_up|_down|_xor)?|reduce_[a-z]+)_sync)\b"
)


def shares(kernel: Kernel) -> bool:
    """Whether the threads of a block share memory or meet, so that the next block must wait for all of them."""
    return (
        declares_shared(kernel)
        or any(one.array.space is Space.SHARED for one in kernel.accesses)
        or any(sync.kind is SyncKind.BLOCK for sync in kernel.syncs)
    )


def why_not_in_turns(kernel: Kernel, launches: Sequence[Launch]) -> Objection | None:
    """Why a thread cannot go on to the next block, or would be missed by others if it did; None where it can."""
    if "exit" in kernel.special:
        return Objection(Together.ASSEMBLY, "inline assembly may end the thread")
    for sync in kernel.syncs:
        if sync.kind not in _MEETING or (sync.kind is SyncKind.WARP and not _names_threads(sync)):
            text = f"{sync.text} is about other threads than those of the block or a named part of a warp"
            return Objection(Together.COMMUNICATES, f"{text} ({kernel.line_of(sync.span)})", sync.span)
    for call in kernel.calls:
        if call.name.rpartition("::")[2] == "memcpy_async":
            text = f"data is copied in the background ({kernel.line_of(call.span)})"
            return Objection(Together.COMMUNICATES, text, call.span)
    stepped = in_step(kernel)
    if stepped is not None:
        text = f"threads may count on a warp's going in step ({stepped.text}, {kernel.line_of(stepped.span)})"
        return Objection(Together.COMMUNICATES, text, stepped.span)
    reason = returns_before_barrier(kernel, _MEETING, [one.stmt for one in leaving(kernel)])
    if reason is not None:
        return Objection(Together.LEAVES, reason)
    absent = missed(kernel, launches, besides=[one.stmt for one in leaving(kernel)])
    return None if absent is None else Objection(Together.LEAVES, absent.reason, absent.place)


@dataclass(frozen=True, slots=True)
class Leaving:
    """A return that ends a thread, and what a launch must show for that."""

    stmt: int
    span: Span
    facts: tuple[Counted, ...]


def leaving(kernel: Kernel) -> tuple[Leaving, ...]:
    """The returns that must end a thread, so that others do not wait for it; it would do nothing in later blocks."""
    if returns_before_barrier(kernel, _MEETING) is None:
        return ()
    returns = (stmt for stmt in kernel.stmts if stmt.kind is StmtKind.RETURN and not stmt.reached_uniformly)
    return tuple(one for stmt in returns if stmt.span.editable for one in _leaves(kernel, stmt))


def _leaves(kernel: Kernel, stmt: Stmt) -> Iterator[Leaving]:
    limits = leaves_for_good(kernel, stmt.id)
    with suppress(Unwritable):
        if limits is not None:
            sides = (side for limit in limits for side in limit.sides)
            yield Leaving(stmt.id, stmt.span, tuple(counted_number(kernel, side) for side in sides))


def _names_threads(sync: Sync) -> bool:
    """Whether an operation of a warp says of which threads it is: by a mask, or as a member of a tile."""
    if _MASKED.match(sync.text):
        return True
    return sync.span.editable and not sync.text.startswith(("__", "asm"))  # `tile.any(...)`; not `__any(...)`
