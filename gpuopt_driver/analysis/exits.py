"""Operations that the exit of other threads lets go on.

`__syncthreads()` waits for the threads of a block that have not exited, `__shfl_sync(0xffffffff, x, i)` for those of
its mask (PTX ISA: bar, shfl.sync, vote.sync). So some threads of a warp may exchange data while the others end. A
version whose threads stay for longer, at a barrier of its own or for the next block, would have them wait for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import expr
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import LOOP_KINDS, Convergence, Kernel, Stmt, StmtKind, SyncKind
from gpuopt_driver.source.text import Span

_WARP = 32
_NEEDED = {SyncKind.WARP: Convergence.WARPS, SyncKind.BLOCK: Convergence.BLOCK}


@dataclass(frozen=True, slots=True)
class Missed:
    """An operation that waits for threads which may not come, and its place."""

    reason: str
    place: Span


def missed(
    kernel: Kernel,
    launches: Sequence[Launch],
    kinds: Collection[SyncKind] = (SyncKind.WARP, SyncKind.BLOCK),
    besides: Collection[int] = (),
) -> Missed | None:
    """The first barrier or operation of a warp that may wait for threads which only exit; None where all come.

    Where `row_condition` is not "", that is so for launches of which it holds. `besides`: returns (statements) that end
    threads in the version, too.
    """
    for sync in kernel.syncs:
        if sync.kind not in kinds or sync.kind not in _NEEDED:
            continue
        where = f"({sync.text}, {kernel.line_of(sync.span)})"
        who = "the warp" if sync.kind is SyncKind.WARP else "the block"
        if sync.convergence < _NEEDED[sync.kind]:
            text = f"threads of {who} may not come to an operation that waits for all of them {where}"
            return Missed(text, sync.span)
        if sync.kind is not SyncKind.WARP:
            continue
        returns = (one for one in returns_before(kernel, sync.stmt) if one.id not in besides)
        left = next((one for one in returns if one.convergence is Convergence.DIVERGENT), None)
        if left is not None:
            text = f"threads of a warp may have returned ({kernel.line_of(left.span)}) before the others exchange data"
            return Missed(f"{text} {where}", sync.span)
        if _needs_rows(kernel, sync.stmt, sync.convergence) and launches and not any(map(_has_rows, launches)):
            text = f"parts of a warp may not come to an operation that waits for all of it {where}"
            return Missed(f"{text}: no launch has rows of whole warps", sync.span)
    return None


def row_condition(kernel: Kernel) -> str:
    """What a launch must have for `missed` to be right, as a C++ condition of `gpuopt_l`; "": nothing."""
    rows = any(sync.kind is SyncKind.WARP and _needs_rows(kernel, sync.stmt, sync.convergence) for sync in kernel.syncs)
    return f"gpuopt_l.block.x % {_WARP} == 0" if rows else ""


def _needs_rows(kernel: Kernel, stmt: int, convergence: Convergence) -> bool:
    """Whether an operation of a warp is reached by all of it only where rows of threads are whole warps."""
    return Convergence.WARPS in (convergence, *(one.convergence for one in returns_before(kernel, stmt)))


def returns_before(kernel: Kernel, stmt: int) -> list[Stmt]:
    """The returns that may run before a statement does."""
    again = {
        inner.id for loop in kernel.ancestors(stmt) if loop.kind in LOOP_KINDS for inner in kernel.descendants(loop.id)
    }
    return [one for one in kernel.stmts if one.kind is StmtKind.RETURN and (one.id < stmt or one.id in again)]


def _has_rows(launch: Launch) -> bool:
    """Whether a launch's rows of threads may be whole warps."""
    width = None if launch.block.x is None else expr.evaluate(launch.block.x, {})
    return width is None or width % _WARP == 0
