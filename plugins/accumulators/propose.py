"""From a kernel's loops to a finding and, where elements can be kept in registers, a version of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import (
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    SourceFile,
    SyncKind,
    Variant,
    why_not_copyable,
)

from . import codes
from .cells import Cell, cells
from .judge import Promotion, Refusal, judge
from .overlap import condition, crowded, iterations, support
from .rewrite import NAME, SUPPORT, edits

_NOT_APPLICABLE = frozenset({codes.NO_LOOP, codes.NO_ELEMENT, codes.KNOWN})
# What says most about why nothing was done, first.
_TOLD = (
    *(codes.NOT_MODELLED, codes.OTHER_MEMORY, codes.SAME_ARRAY, codes.NOT_CERTAIN, codes.HEADER, codes.TEXT),
    *(codes.TYPE, codes.LEAVES, codes.SYNCHRONISES, codes.KNOWN),
)
_WAITING = frozenset({SyncKind.GRID, SyncKind.CLUSTER, SyncKind.FENCE, SyncKind.UNKNOWN, SyncKind.NAMED})


def propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding per kernel, and a version where some element can be kept in a register."""
    if not kernel.loops:
        return _none(kernel, Refusal(codes.NO_LOOP, "it has no loop of its own"))
    reason = why_not_copyable(kernel) or next(
        (f"it has {word}" for word in ("goto", "asm") if word in kernel.special), None
    )
    source = context.unit.files[kernel.span.file]
    found, refusals = _promotions(kernel, source)
    if not found:
        ordered = sorted(refusals, key=lambda one: _TOLD.index(one.code))
        nothing = Refusal(codes.NO_ELEMENT, "no loop updates one element of a global array again and again")
        return _none(kernel, ordered[0] if ordered else nothing)
    if reason is not None or context.undispatchable:
        return _none(kernel, Refusal(codes.NOT_REWRITABLE, reason or context.undispatchable))
    return Proposal(findings=(_applied(kernel, found),), variants=(_version(kernel, context, source, found),))


def _promotions(kernel: Kernel, source: SourceFile) -> tuple[list[Promotion], list[Refusal]]:
    """Each element in the outermost loop in which it may be in a register, and the reasons against others."""
    found: list[Promotion] = []
    refusals: list[Refusal] = []
    for loop in sorted(kernel.loops, key=lambda one: one.stmt):
        for cell in cells(kernel, loop):
            if any(_covers(one.cell, cell) for one in found):
                continue
            judged = judge(kernel, source, cell)
            if isinstance(judged, Promotion):
                found.append(judged)
            else:
                refusals.append(judged)
    return found, refusals


def _covers(one: Cell, other: Cell) -> bool:
    """Whether an element is in a register already where another loop uses it."""
    return one.array == other.array and all(access in one.accesses for access in other.accesses)


def _none(kernel: Kernel, refusal: Refusal) -> Proposal:
    decision = Decision.NOT_APPLICABLE if refusal.code in _NOT_APPLICABLE else Decision.DECLINED
    said = refusal.reason if decision is Decision.NOT_APPLICABLE else f"left alone: {refusal.reason}"
    return Proposal(findings=(Finding.at(kernel.name_span, NAME, kernel.qualified, decision, refusal.code, said),))


def _applied(kernel: Kernel, found: Sequence[Promotion]) -> Finding:
    texts = list(dict.fromkeys(one.cell.text for one in found))
    arrays = list(dict.fromkeys(name for one in found for name in one.others))
    lines = sorted({kernel.stmt(one.cell.loop.stmt).span.line for one in found})
    message = f"{', '.join(texts)} kept in registers at launches where {', '.join(arrays)} do not overlap them"
    if len(arrays) == 1:
        message = message.replace(" do not overlap", " does not overlap")
    return Finding.at(
        kernel.name_span,
        NAME,
        kernel.qualified,
        Decision.APPLIED,
        codes.APPLIED,
        message,
        elements=texts,
        disjoint_from=arrays,
        loops_at_lines=lines,
    )


def _version(kernel: Kernel, context: Context, source: SourceFile, found: Sequence[Promotion]) -> Variant:
    fewer = "true" if _may_be_fewer(kernel, context) else "false"
    facts = {frozenset((fact.one, fact.other)): fact for one in found for fact in one.requires}
    made = iterations(kernel, found)
    pays = condition(made) if crowded(made, context.arch) else ""
    expected = f"{pays} ? 1.5 : 1.0" if pays else "1.5"
    return Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=edits(kernel, source, found),
        guard=f"\n  gpuopt_c.fewer_blocks = {fewer};\n  return {pays or 'true'};",
        candidates=(
            f"\n  gpuopt_rt::choice gpuopt_x = gpuopt_o.blank();\n  gpuopt_x.fewer_blocks = {fewer};\n"
            f'  gpuopt_o.add(gpuopt_x, 1, {expected}, 1.5, "registers");'
        ),
        author=NAME,
        support=SUPPORT + support(context.all_archs or (context.arch,)),
        joins=("unified_memory",),
        requires=tuple(facts.values()),
        follows=frozenset(one.cell.array for one in found),
    )


def _may_be_fewer(kernel: Kernel, context: Context) -> bool:
    """Whether nobody relies on how many blocks are resident: no block can wait for another, and nobody asks."""
    waits = any(access.is_atomic or access.is_volatile for access in kernel.accesses)
    waits = waits or any(sync.kind in _WAITING for sync in kernel.syncs) or any(not call.known for call in kernel.calls)
    return not waits and not context.unit.occupancy_queries(kernel)
