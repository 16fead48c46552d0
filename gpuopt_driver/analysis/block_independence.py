"""What stands against running the blocks of a kernel in another order, or by other blocks.

CUDA lets blocks run in any order, so a program without races cannot tell. Left alone all the same: kernels whose blocks
may wait for each other, see each other's writes, or ask where and when they run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum

from gpuopt_driver.analysis.block_forms import Accesses, BlockForm
from gpuopt_driver.analysis.block_reuse import conflict
from gpuopt_driver.analysis.block_sets import Grid
from gpuopt_driver.analysis.cooperation import is_alone, waited_for
from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.analysis.exits import returns_before
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Kernel, Space, SyncKind
from gpuopt_driver.frontend.uses import Construct
from gpuopt_driver.source.text import SourceFile

_COMMUTES = re.compile(r"\s*(::)?\s*(atomic(Add|Sub|Min|Max|And|Or|Xor)(_block|_system)?)\b")
_ROUNDS = re.compile(r"\s*(::)?\s*atomic(Add|Sub)")
_FLOATS = re.compile(r"\b(float|double|__half2?|half2?|__nv_bfloat16\w*|float[24]|double2)\b")
_GRID_WIDE = {
    SyncKind.GRID: "a grid-wide barrier",
    SyncKind.CLUSTER: "a cluster barrier",
    SyncKind.NAMED: "a named barrier",
}
_BLOCK_RANKS = frozenset({"group_index", "this_grid", "this_multi_grid", "this_cluster", "block_rank", "block_index"})
_SHARED = (Space.GLOBAL, Space.UNKNOWN, Space.TEXTURE)


class Obstacle(Enum):
    """Kinds of reasons."""

    NOT_COPYABLE = "not copyable"
    ASSEMBLY = "assembly"
    WHERE_AND_WHEN = "where and when"
    GRID_BARRIER = "grid barrier"
    UNKNOWN_CALL = "unknown call"
    COMMUNICATES = "communicates"
    FLOAT_ATOMICS = "float atomics"
    RACES = "races"
    OUTPUT = "output"
    CLUSTER = "cluster"
    LAMBDA = "lambda"


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason against another order of blocks."""

    obstacle: Obstacle
    reason: str


def objection(
    kernel: Kernel, source: SourceFile, found: Accesses, grid: Grid, *, float_atomics: bool = False
) -> Objection | None:
    """The first reason why blocks must run as they do, or None. `float_atomics`: sums may be rounded differently."""
    for check in (_shape(kernel, source), _synchronises(kernel), _atomics(kernel, source, float_atomics=float_atomics)):
        for one in check:
            return one
    return _races(kernel, found, grid)


def _shape(kernel: Kernel, source: SourceFile) -> Iterator[Objection]:
    special = kernel.special
    reason = why_not_copyable(kernel)
    if reason is not None:
        yield Objection(Obstacle.NOT_COPYABLE, reason)
    if "recursion" in special:
        yield Objection(Obstacle.NOT_COPYABLE, "it calls itself")
    if "smid" in special or "clock" in special:
        what = "the SM, warp or block that it runs in" if "smid" in special else "the clock"
        yield Objection(Obstacle.WHERE_AND_WHEN, f"the kernel asks for {what}")
    if "asm" in special:
        yield Objection(Obstacle.ASSEMBLY, "the kernel contains inline assembly")
    if "printf" in special:
        yield Objection(Obstacle.OUTPUT, "the kernel prints, and blocks would print in another order")
    if "malloc" in special:
        yield Objection(Obstacle.OUTPUT, "the kernel allocates memory")
    for use in kernel.builtin_uses:
        if use.construct is Construct.LAMBDA and use.name in ("blockIdx", "gridDim"):
            reason = f"{use.construct.value} names {use.name} ({kernel.line_of(use.span)})"
            yield Objection(Obstacle.LAMBDA, reason)
    head = source.data[kernel.span.start : kernel.body.start]
    if re.search(rb"__cluster_dims__|__block_size__", head):
        yield Objection(Obstacle.CLUSTER, "the blocks of the kernel form clusters")


def _synchronises(kernel: Kernel) -> Iterator[Objection]:
    for sync in kernel.syncs:
        where = f"({sync.text}, {kernel.line_of(sync.span)})"
        if sync.kind in _GRID_WIDE:
            yield Objection(Obstacle.GRID_BARRIER, f"the kernel uses {_GRID_WIDE[sync.kind]} {where}")
        if sync.kind is SyncKind.FENCE:
            yield Objection(Obstacle.COMMUNICATES, f"blocks may hand on data: a memory fence {where}")
    for call in kernel.calls:
        if not call.known:
            yield Objection(Obstacle.UNKNOWN_CALL, f"{call.name}() is not known ({kernel.line_of(call.span)})")
        if call.name.rpartition("::")[2] in _BLOCK_RANKS:
            yield Objection(Obstacle.WHERE_AND_WHEN, f"{call.name}() tells blocks apart ({kernel.line_of(call.span)})")


def _atomics(kernel: Kernel, source: SourceFile, *, float_atomics: bool) -> Iterator[Objection]:
    rounded: Objection | None = None
    for access in kernel.accesses:
        if access.array.space not in _SHARED:
            continue
        where = f"({access.text}, {kernel.line_of(access.span)})"
        if access.is_volatile:
            yield Objection(Obstacle.COMMUNICATES, f"blocks may wait for each other: a volatile access {where}")
        if not access.is_atomic:
            continue
        if not is_alone(kernel, access, source) or not _COMMUTES.match(access.text):
            yield Objection(Obstacle.COMMUNICATES, f"the result of an atomic depends on the order of blocks {where}")
        if _FLOATS.search(access.array.element) and _ROUNDS.match(access.text) and not float_atomics:
            text = (
                f"floating-point atomics are rounded in the order of blocks {where}; float_atomics = true allows that"
            )
            rounded = rounded or Objection(Obstacle.FLOAT_ATOMICS, text)
    for access in (one for one in waited_for(kernel, source) if not one.is_atomic):
        where = f"({access.text}, {kernel.line_of(access.span)})"
        yield Objection(Obstacle.COMMUNICATES, f"blocks may wait for each other: a load that is made anew {where}")
    if rounded:
        yield rounded


def _races(kernel: Kernel, found: Accesses, grid: Grid) -> Objection | None:
    """Writes of one block that may meet accesses of another one: whoever comes last wins."""
    for access in (one for one in kernel.accesses if one.array.space in _SHARED):
        if (
            access.is_write
            and not access.is_atomic
            and (access in found.irregular or access.array.space is Space.TEXTURE)
        ):
            text = f"where blocks write is not known ({access.text}, {kernel.line_of(access.span)})"
            return Objection(Obstacle.RACES, text)
    for access in found.irregular:
        if any(form.is_write and form.array == access.array.name for form in found.forms):
            text = f"a block may read what another one writes ({access.text}, {kernel.line_of(access.span)})"
            return Objection(Obstacle.RACES, text)
    seen: set[tuple[object, ...]] = set()
    for written in (form for form in found.forms if form.is_write):
        for other in (form for form in found.forms if form.array == written.array):
            key = (written.offset, other.offset, written.bytes, other.bytes)
            if (written.is_atomic and other.is_atomic) or key in seen:
                continue
            seen.add(key)
            if conflict(written, other, grid):
                return Objection(Obstacle.RACES, _meeting(written, other))
    return None


def _meeting(written: BlockForm, other: BlockForm) -> str:
    if other.is_write:
        return f"several blocks may write the same place ({written.text}, {written.where})"
    return f"a block may read ({other.text}, {other.where}) what another one writes ({written.text})"


def returns_before_barrier(
    kernel: Kernel,
    kinds: Collection[SyncKind] = (SyncKind.BLOCK, SyncKind.UNKNOWN),
    besides: Collection[int] = (),
) -> str | None:
    """Why threads that return early would meet others at a barrier, were the block to go on; None where none do.

    `kinds`: what counts as a barrier; `besides`: returns (statements) that do not count.
    """
    barriers = {sync.stmt for sync in kernel.syncs if sync.kind in kinds}
    early = {one.id: one for barrier in barriers for one in returns_before(kernel, barrier)}
    for number in sorted(early):
        if not early[number].reached_uniformly and number not in besides:
            return f"some threads return ({kernel.line_of(early[number].span)}) before others reach a barrier"
    return None
