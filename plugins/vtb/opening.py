"""A loop that a region begins with, of which the first iterations are about own rows alone: they need no turn (CO-VTB).

The turn is taken between two iterations: nothing else of the order changes. The loop may begin at the thread's index.
"""

from __future__ import annotations

from collections.abc import Callable

from gpuopt_driver.api import Evaluation, Kernel, Region, SourceFile, Space, StmtKind, begins, dataclass, expr

from . import crossing
from .halves import SIMPLE
from .leading import row_of, side_text
from .peel import HEADER, IMPURE, LEAVES, STEP, line
from .statements import own_row


@dataclass(frozen=True, slots=True)
class Opening:
    """The loop `stmt`, how many `iterations` of it come before the turn, and its two texts.

    The one behind begins with the header `head`. `asks`: its accesses ask which part of the array their row is in.
    """

    stmt: int
    iterations: int
    before: str
    behind: str
    head: str = ""
    asks: bool = True


def opening(kernel: Kernel, source: SourceFile, region: Region, opens: Callable[[int], int]) -> Opening | None:
    """The loop that a region begins with in two, None where it is none, or all of it needs the turn."""
    stmt, data = kernel.stmt(region.first), source.data
    loop = kernel.loop_of(stmt.id) if stmt.kind is StmtKind.FOR else None
    body = next((kernel.stmt(one) for one in stmt.children if kernel.stmt(one).role == "body"), None)
    if loop is None or body is None or not stmt.span.editable or stmt.span.file != source.path:
        return None
    if begins(stmt, source) != stmt.span.start:
        return None  # a pragma of the loop's
    inside = {inner.id for inner in kernel.descendants(stmt.id)}
    found = HEADER.match(data[stmt.span.start : body.span.start])
    step = expr.evaluate(loop.step, {}) if loop.step is not None else None
    if found is None or not step or found[2].decode() != loop.variable or not STEP.fullmatch(found[5].strip()):
        return None
    if SIMPLE.fullmatch(found[1].decode()) is None or IMPURE.search(found[3]) or IMPURE.search(found[4]):
        return None
    if any(sync.stmt in inside for sync in kernel.syncs) or any(
        kernel.stmt(one).span.file != source.path or not kernel.stmt(one).span.editable for one in inside
    ):
        return None
    functions = {function.qualified for function in kernel.functions}
    calls = [call for call in kernel.calls if call.stmt in inside]
    if any(not call.known or call.name in functions for call in calls) or any(
        call.name.endswith("this_thread_block") for call in kernel.calls
    ):
        return None  # what they are called, or the group's text, is another one in a version
    start, condition, increment = (line(found[number]) for number in (3, 4, 5))
    again = crossing.header(kernel, stmt, body, loop.variable)
    steady = again is not None and again.commutes(Evaluation(writes=crossing.whole(kernel, body).writes))
    if not steady or any(one.stmt == stmt.id for one in kernel.accesses):
        return None  # the header is evaluated again behind the first iterations
    shared = [one for one in kernel.accesses if one.stmt in inside and one.array.space is Space.SHARED]
    if any(row_of(source, one) is None for one in shared):
        return None
    rest = line(data[body.span.start : body.span.end])
    count = 0 if LEAVES.search(rest.encode("utf-8", "surrogateescape")) else opens(stmt.id)
    if count < 1:
        return None
    kind, name = line(found[1]), loop.variable
    number = f"gpuopt_n{stmt.id}"
    head = f"for ({kind} {name} = ({start}) + {count} * ({step}); {condition}; {increment})"
    return Opening(
        stmt.id,
        count,
        f"for ({kind} {name} = {start}, {number} = 0; {number} < {count} && ({condition}); {increment}, ++{number}) "
        f"{side_text(source, body, shared, own_row)}",
        f"{head} {rest}",
        head,
    )
