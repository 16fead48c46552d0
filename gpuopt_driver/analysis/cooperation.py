"""What the threads of a block do together, or ask of the block that they really are in.

Where there is nothing of it, a thread computes the same in a block of another size: alone, or beside threads of other
blocks. CUDA orders neither blocks nor the warps of a block that no barrier holds, so a program without races cannot
tell. In doubt there is cooperation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum

from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.analysis.shared_regions import declares_shared
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import LOOP_KINDS, Access, Kernel, Space, StmtKind, SyncKind
from gpuopt_driver.source.text import SourceFile, Span

_INTEGERS = frozenset({"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"})
_REAL = frozenset({"float", "double"})
_GROUPS = re.compile(
    r"(^|::)(cooperative_groups::|(this_(thread|thread_block|grid|multi_grid|cluster)|coalesced_threads"
    r"|(tiled|labeled|binary)_partition)$)"
)
_OWN_GROUPS = frozenset({"this_thread_block", "tiled_partition"})  # the block and parts of its warps
_REPEATED = re.compile(r"\s*(::)?\s*__ld(ca|cg|cs|lu)\b")  # assembly that is volatile
_CLUSTERS = re.compile(rb"__cluster_dims__|__block_size__")
_DEPENDENT = re.compile(r"cuda(GridDependencySynchronize|TriggerProgrammaticLaunchCompletion)$")


class Together(Enum):
    """Kinds of cooperation."""

    NOT_COPYABLE = "not copyable"
    CLUSTER = "cluster"
    SHARED = "shared memory"
    BARRIER = "barrier"
    WARP = "warp operation"
    GROUP = "group of the block"
    COMMUNICATES = "communicates"
    UNKNOWN_CALL = "unknown call"
    ASSEMBLY = "assembly"
    WHERE_AND_WHEN = "where and when"
    OUTPUT = "output"
    FLOAT_ATOMICS = "float atomics"
    LEAVES = "some threads leave"


@dataclass(frozen=True, slots=True)
class Cooperation:
    """One reason why threads must stay with their block, and its place where there is one."""

    kind: Together
    reason: str
    place: Span | None = None


def cooperation(kernel: Kernel, source: SourceFile, allowed: Collection[Together] = ()) -> Cooperation | None:
    """The first reason why the threads of a kernel cannot run in blocks of another size, or None.

    `allowed`: kinds that are no reason for whoever asks.
    """
    for check in (_definition(kernel, source), _synchronises(kernel), _asks(kernel), _memory(kernel, source)):
        for one in check:
            if one.kind not in allowed:
                return one
    return None


def _definition(kernel: Kernel, source: SourceFile) -> Iterator[Cooperation]:
    reason = why_not_copyable(kernel)
    if reason is not None:
        yield Cooperation(Together.NOT_COPYABLE, reason)
    if _CLUSTERS.search(source.data[kernel.span.start : kernel.body.start]):
        yield Cooperation(Together.CLUSTER, "the size of its blocks or clusters is fixed")
    if declares_shared(kernel) or any(one.array.space is Space.SHARED for one in kernel.accesses):
        yield Cooperation(Together.SHARED, "the threads of a block share memory")


def _synchronises(kernel: Kernel) -> Iterator[Cooperation]:
    for sync in kernel.syncs:
        where = f"({sync.text}, {kernel.line_of(sync.span)})"
        if sync.kind is SyncKind.WARP:
            yield Cooperation(Together.WARP, f"the threads of a warp exchange data {where}", sync.span)
        elif sync.kind is SyncKind.FENCE:
            text = f"threads may hand on data: a memory fence {where}"
            yield Cooperation(Together.COMMUNICATES, text, sync.span)
        elif sync.kind is not SyncKind.UNKNOWN:
            yield Cooperation(Together.BARRIER, f"threads wait for each other {where}", sync.span)
    for call in kernel.calls:
        where = kernel.line_of(call.span)
        if _GROUPS.search(call.name):
            kind = Together.GROUP if call.name.rpartition("::")[2] in _OWN_GROUPS else Together.WHERE_AND_WHEN
            yield Cooperation(kind, f"{call.name}() is about a group of threads ({where})", call.span)
        elif not call.known and call.name != "asm":
            yield Cooperation(Together.UNKNOWN_CALL, f"{call.name}() is not known ({where})", call.span)
    for sync in kernel.syncs:
        if sync.kind is SyncKind.UNKNOWN:
            where = f"({sync.text}, {kernel.line_of(sync.span)})"
            yield Cooperation(Together.UNKNOWN_CALL, f"what is called may synchronise {where}", sync.span)


def _asks(kernel: Kernel) -> Iterator[Cooperation]:
    special = kernel.special
    if "smid" in special or "clock" in special:
        what = "the SM, warp or block that it runs in" if "smid" in special else "the clock"
        yield Cooperation(Together.WHERE_AND_WHEN, f"the kernel asks for {what}")
    for call in kernel.calls:
        if _DEPENDENT.search(call.name):
            text = f"blocks let other kernels begin or wait for them ({call.name}, {kernel.line_of(call.span)})"
            yield Cooperation(Together.WHERE_AND_WHEN, text, call.span)
        elif call.name == "asm":
            text = f"inline assembly may access memory ({kernel.line_of(call.span)})"
            yield Cooperation(Together.ASSEMBLY, text, call.span)
    if "sreg" in special:
        yield Cooperation(Together.ASSEMBLY, "inline assembly may read a special register")
    for word, what in (("printf", "prints"), ("malloc", "allocates memory"), ("assert", "asserts something")):
        if word in special:
            yield Cooperation(Together.OUTPUT, f"the kernel {what}, and blocks are told apart by that")


def _memory(kernel: Kernel, source: SourceFile) -> Iterator[Cooperation]:
    for access in kernel.accesses:
        if access.is_volatile and access.array.space is not Space.LOCAL:
            text = f"threads may wait for each other: a volatile access {_where(kernel, access)}"
            yield Cooperation(Together.COMMUNICATES, text, access.span)
    for access in waited_for(kernel, source):
        what = "an atomic" if access.is_atomic else "a load that is made anew each time"
        text = f"a loop may wait for {what} {_where(kernel, access)}"
        yield Cooperation(Together.COMMUNICATES, text, access.span)
    for access in kernel.accesses:
        if access.is_atomic and access.array.element not in _INTEGERS:
            text = "an atomic is not known to be one of integers, whose sums have no rounding"
            if access.array.element in _REAL:
                text = f"an atomic of {access.array.element}: sums are rounded in the order in which threads come"
            text = f"{text} {_where(kernel, access)}"
            yield Cooperation(Together.FLOAT_ATOMICS, text, access.span)


def _where(kernel: Kernel, access: Access) -> str:
    return f"({access.text}, {kernel.line_of(access.span)})"


def waited_for(kernel: Kernel, source: SourceFile) -> Iterator[Access]:
    """What may end a loop whose iterations are not counted, or one by `goto`, once another thread has written.

    Atomics outside of shared memory, and loads that the compiler makes anew each time.
    """
    for access in kernel.accesses:
        if access.array.space is Space.SHARED or not (access.is_atomic or _REPEATED.match(access.text)):
            continue
        around = [kernel.stmt(access.stmt), *kernel.ancestors(access.stmt)]
        loops = [kernel.loop_of(one.id) for one in around if one.kind in LOOP_KINDS]
        uncounted = any(one is None or one.trips is None or kernel.stmt(one.stmt).condition is None for one in loops)
        uncounted = uncounted or "goto" in kernel.special
        if access.in_callee_loop or (uncounted and not (access.is_atomic and is_alone(kernel, access, source))):
            yield access


def is_alone(kernel: Kernel, access: Access, source: SourceFile) -> bool:
    """Whether an access is a statement of its own, so that nobody uses what it returns."""
    stmt = kernel.stmt(access.stmt)
    if access.via or stmt.kind is not StmtKind.EXPR or stmt.span.file != source.path:
        return False
    behind = source.data[access.span.end : stmt.span.end].strip()
    return access.span.start == stmt.span.start and behind in (b"", b";")
