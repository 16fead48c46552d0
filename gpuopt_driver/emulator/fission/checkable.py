"""Which split kernels check mode can run as they are: it looks at the accesses of their loops over threads."""

from __future__ import annotations

from gpuopt_driver.emulator.fission.plan import Plan, Planner, own_tokens, walk
from gpuopt_driver.emulator.fission.shape import Piece
from gpuopt_driver.emulator.fission.tree import BARRIER

# Of a stretch of a kernel: whether a loop over threads that accesses memory may come before its first barrier, whether
# one may come behind its last, and whether there may be no barrier in it.
_Ends = tuple[bool, bool, bool]


def is_checkable(planner: Planner, plan: Plan) -> bool:
    """Whether what is done once for all threads accesses no memory, and they meet at barriers of the block alone.

    Between two loops over threads there is a barrier: so accesses that nothing orders come as they do when one
    thread is run after another.
    """
    shape = plan.shape
    pieces = list(walk(shape.pieces))
    barriers = [piece for piece in pieces if piece.kind == "barrier"]
    if any(piece.meetings or planner.tokens.at(piece.start) != BARRIER for piece in barriers):
        return False
    if any(piece.kind in ("jump", "poll") for piece in pieces) or _stretch(planner, shape.pieces) is None:
        return False
    once = [*shape.controls]
    for v in (*shape.loop_variables, *plan.together, *plan.ahead):
        once += planner.values(v)
    return not any(planner.may_access(start, index) for start, end in once for index in range(start, end))


def _stretch(planner: Planner, pieces: list[Piece]) -> _Ends | None:
    """None where two loops with accesses may follow each other without a barrier."""
    first = last = False
    free = True
    region = -1
    for piece in pieces:
        own = _ends_of(planner, piece)
        if own is None or (last and own[0] and not piece.region == region >= 0):
            return None
        first |= free and own[0]
        last = own[1] or (last and own[2])
        free = free and own[2]
        region = piece.region if own[0] and piece.region >= 0 else region if own[2] else -1
    return first, last, free


def _ends_of(planner: Planner, piece: Piece) -> _Ends | None:
    if piece.kind == "barrier":
        return False, False, False
    if piece.kind == "control":
        assert piece.statement
        parts = [_stretch(planner, part) for part in piece.inner]
        found = [part for part in parts if part is not None]
        loop = piece.statement.kind in ("for", "while", "do")
        if len(found) < len(parts) or (loop and any(one[0] and one[1] for one in found)):
            return None
        passes = any(one[2] for one in found) or piece.statement.kind in ("for", "while")
        passes = passes or (piece.statement.kind == "if" and len(found) == 1)
        return any(one[0] for one in found), any(one[1] for one in found), passes
    accesses = piece.region >= 0 and any(planner.may_access(piece.start, index) for index in own_tokens(piece))
    return accesses, accesses, True
