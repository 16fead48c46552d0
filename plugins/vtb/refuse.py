"""Whether a kernel can be rewritten at all: what must be known before several blocks may become one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuopt_driver.api import (
    Context,
    Convergence,
    CopyObstacle,
    Function,
    Kernel,
    SourceFile,
    Space,
    Span,
    SyncKind,
    can_capture,
    copied,
    dataclass,
    missed,
    waited_for,
    why_not_copied,
    why_not_copyable,
    why_not_redefined,
)

from . import codes
from .groups import group_edits

_FOREIGN = {
    SyncKind.NAMED: "barriers of its own numbering",
    SyncKind.GRID: "a grid-wide barrier",
    SyncKind.CLUSTER: "a cluster barrier",
}
_COPIES = {
    CopyObstacle.MEMBER: codes.MEMBER,
    CopyObstacle.RECURSION: codes.RECURSION,
    CopyObstacle.LAMBDA: codes.LAMBDA,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a kernel is left alone."""

    code: str
    reason: str
    place: Span | None = None


def refuse(kernel: Kernel, context: Context) -> Refusal | None:
    """The first reason against any version of this kernel, or None."""
    return next(_reasons(kernel, context), None)


def _reasons(kernel: Kernel, context: Context) -> Iterator[Refusal]:
    yield from _definition(kernel, context)
    if "asm" in kernel.special or "smid" in kernel.special:
        yield Refusal(codes.ASSEMBLY, "the kernel contains inline assembly")
    yield from _synchronisation(kernel)
    absent = missed(kernel, context.launches, (SyncKind.WARP,))
    if absent is not None:
        yield Refusal(codes.NOT_UNIFORM, absent.reason, absent.place)
    yield from _groups(kernel, context.unit.files[kernel.span.file])
    for call in kernel.calls:
        if not call.known:
            yield Refusal(codes.UNKNOWN_CALL, f"{call.name} is called, and its body is not known", call.span)
    yield from _waits(kernel, context.unit.files[kernel.span.file])
    functions = changed_functions(kernel)
    not_copied = why_not_copied(kernel, functions)
    if not_copied is not None:
        yield Refusal(_COPIES.get(not_copied.obstacle, codes.FUNCTION), not_copied.reason)
    for use in kernel.builtin_uses:
        if not can_capture(kernel, use.span):
            which = "a lambda without a default capture, or whose size is asked for,"
            text = f"{which} names {use.name} ({kernel.line_of(use.span)})"
            yield Refusal(codes.LAMBDA, text, use.span)
    reason = why_not_redefined(kernel, ("threadIdx", "blockIdx", "blockDim", "gridDim"), groups=False)
    if reason is not None:
        yield Refusal(codes.IMPLICIT, reason)
    if context.undispatchable:
        yield Refusal(codes.NO_LAUNCH, context.undispatchable)
    if not context.has_host_code:
        yield Refusal(codes.NO_LAUNCH, "no host code is built here")


def _definition(kernel: Kernel, context: Context) -> Iterator[Refusal]:
    data = context.unit.files[kernel.span.file].data
    head = data[kernel.span.start : kernel.body.start]
    reason = why_not_copyable(kernel)
    if reason is not None:
        yield Refusal(codes.NOT_REWRITABLE, reason)
    reasons = (
        ("goto" in kernel.special, "it uses goto"),
        (b"__cluster_dims__" in head or b"__block_size__" in head, "its block or cluster size is fixed"),
        (b"__maxnreg__" in head, "its registers are fixed"),
    )
    for holds, reason in reasons:
        if holds:
            yield Refusal(codes.NOT_REWRITABLE, reason)


def _synchronisation(kernel: Kernel) -> Iterator[Refusal]:
    for sync in kernel.syncs:
        place = sync.span
        if sync.kind in _FOREIGN:
            yield Refusal(codes.BARRIER, f"the kernel uses {_FOREIGN[sync.kind]} ({sync.text})", place)
        elif sync.kind is SyncKind.UNKNOWN:
            again = _recursive(kernel, sync.text)
            yield again or Refusal(codes.UNKNOWN_CALL, f"{sync.text} may synchronise", place)
        elif sync.kind is SyncKind.FENCE and "pipeline" in sync.text:
            yield Refusal(codes.BARRIER, "the kernel copies to shared memory in the background", place)
        elif sync.kind is SyncKind.BLOCK:
            if not sync.span.editable:
                yield Refusal(codes.MACRO, "a barrier comes out of a macro", place)
            elif not can_capture(kernel, place):
                text = f"a lambda without a default capture holds a barrier ({sync.text}), which could not be replaced"
                yield Refusal(codes.LAMBDA, text, place)
            elif sync.via and not sync.text.startswith("__syncthreads"):
                yield Refusal(codes.GROUPS, f"a function uses a cooperative group of the block ({sync.text})", place)
            elif sync.convergence is not Convergence.BLOCK:
                yield Refusal(codes.NOT_UNIFORM, "a barrier is not proved to be reached by all threads together", place)


def _recursive(kernel: Kernel, call: str) -> Refusal | None:
    """What is said of a call that nobody can follow to its end, because the function calls itself."""
    name = re.match(r"[\w:]*", call)
    for function in kernel.functions:
        found = why_not_copied(kernel, (function,))
        is_meant = name is not None and function.qualified.endswith(name.group())
        if is_meant and found is not None and found.obstacle is CopyObstacle.RECURSION:
            return Refusal(codes.RECURSION, found.reason, function.span)
    return None


def _groups(kernel: Kernel, source: SourceFile) -> Iterator[Refusal]:
    for call in kernel.calls:
        name = call.name.rpartition("::")[2]
        own = name == "this_thread_block" and not call.via and call.span.editable
        if name in ("memcpy_async", "this_cluster", "this_grid") or (name == "this_thread_block" and not own):
            yield Refusal(codes.GROUPS, f"a cooperative group of the block is used ({call.name})", call.span)
    block = [call.span for call in kernel.calls if call.name.endswith("this_thread_block")]
    edits = group_edits(kernel, source, "") if block else ()
    if edits is None:
        yield Refusal(codes.GROUPS, "what becomes of the block's cooperative group is not known", block[0])
    for edit in edits or ():
        place = source.span(edit.start, edit.end)
        if not can_capture(kernel, place):
            text = f"a lambda without a default capture uses the block's group ({kernel.line_of(place)})"
            yield Refusal(codes.LAMBDA, text, place)


def _waits(kernel: Kernel, source: SourceFile) -> Iterator[Refusal]:
    """Signs that blocks wait for blocks: volatile loads of global memory, fences, loops that an atomic may end."""
    for access in kernel.accesses:
        if access.is_volatile and access.array.space is not Space.SHARED:
            yield Refusal(codes.WAITS, f"{access.text} is volatile: blocks may wait for each other", access.span)
    for access in waited_for(kernel, source):
        yield Refusal(codes.WAITS, f"a loop may wait for {access.text}", access.span)
    for sync in kernel.syncs:
        if sync.kind is SyncKind.FENCE:
            yield Refusal(codes.WAITS, f"{sync.text} orders what blocks tell each other", sync.span)


def changed_functions(kernel: Kernel) -> tuple[Function, ...]:
    """The device functions that must mean the virtual block: they name built-in variables or meet at barriers."""
    barriers = [sync.span for sync in kernel.syncs if sync.kind is SyncKind.BLOCK and sync.via]

    def holds(function: Function) -> bool:
        inside = (one for one in barriers if one.file == function.span.file)
        return bool(function.builtins) or any(
            function.body.start <= one.start and one.end <= function.body.end for one in inside
        )

    return copied(kernel, holds)
