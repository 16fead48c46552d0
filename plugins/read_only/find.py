"""Which pointers of a kernel are only read, and what must hold of them at a launch."""

from __future__ import annotations

from itertools import combinations

from gpuopt_driver.api import (
    Access,
    Decision,
    Disjoint,
    Kernel,
    Space,
    SyncKind,
    Unwritable,
    dataclass,
    expr,
    extent,
    normal,
)

from . import codes

_ORDERING = frozenset({SyncKind.GRID, SyncKind.CLUSTER, SyncKind.FENCE, SyncKind.UNKNOWN, SyncKind.NAMED})
_ELSEWHERE = frozenset({Space.SHARED, Space.LOCAL})  # stores there reach no argument


@dataclass(frozen=True, slots=True)
class Pointer:
    """A parameter that is only read through, and the facts by which no store reaches what it reads."""

    name: str
    requires: tuple[Disjoint, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is nothing to do, or nothing that may be done."""

    decision: Decision
    code: str
    reason: str


def is_read_again(kernel: Kernel, name: str) -> bool:
    """Whether one element behind a pointer is read twice, in two places or iterations, of which nvcc may make one."""
    read = [one for one in kernel.accesses if one.array.is_param and one.array.name == name]
    if len({None if one.offset is None else normal(one.offset) for one in read}) < len(read):
        return True
    together = any(set(one.loops) & set(other.loops) for one, other in combinations(read, 2))  # x[j + 1] and x[j]
    return together or any(one.in_callee_loop or _is_repeated(kernel, one) for one in read)


def _is_repeated(kernel: Kernel, access: Access) -> bool:
    """Whether some loop around an access may come to the same element again."""
    named = {one.name for one in expr.symbols(access.offset)} if access.offset is not None else set()
    loops = (kernel.loop_of(stmt) for stmt in access.loops)
    return any(loop is None or named.isdisjoint({loop.symbol, loop.changing}) for loop in loops)


def found(kernel: Kernel) -> tuple[Pointer, ...] | Refusal:
    """The pointers that are worth it, with their facts."""
    stores = [one for one in kernel.accesses if one.is_write and one.array.space not in _ELSEWHERE]
    written = {one.array.name for one in stores}
    reads = [one for one in kernel.accesses if one.array.is_param and one.array.space is Space.GLOBAL]
    only_read = {one.array.name: one.array for one in reads if one.array.name not in written}
    late = {one.array.name for one in reads if one.array.name in only_read and _comes_behind(one, stores)}
    late &= {param.name for param in kernel.params}  # not pointers in structures, which cannot be __restrict__ here
    if not late:
        reason = "no load through a pointer that is only read comes behind a store"
        return Refusal(Decision.NOT_APPLICABLE, codes.NOTHING_IN_THE_WAY, reason)
    wanted = [name for name in sorted(late) if not only_read[name].restrict]
    if not wanted:
        reason = "the pointers that are only read are __restrict__ already"
        return Refusal(Decision.NOT_APPLICABLE, codes.KNOWN, reason)
    return _ordered(kernel) or _with_facts(kernel, wanted, stores)


def _comes_behind(load: Access, stores: list[Access]) -> bool:
    """Whether a store may run before a load: it stands in front of it, or in a loop around both."""
    return any(store.stmt < load.stmt or set(store.loops) & set(load.loops) or store.in_callee_loop for store in stores)


def _ordered(kernel: Kernel) -> Refusal | None:
    """Whatever lets somebody else write what is read, in an order that the kernel can count on."""
    reason = next((f"{one.text} ({kernel.line_of(one.span)})" for one in kernel.syncs if one.kind in _ORDERING), "")
    reason = reason or next((f"{one.name}() is not known" for one in kernel.calls if not one.known), "")
    reason = reason or next((f"{one.text} is volatile" for one in kernel.accesses if one.is_volatile), "")
    reason = reason or ("inline assembly" if "asm" in kernel.special else "")
    return Refusal(Decision.DECLINED, codes.ORDERED, f"left alone: {reason}") if reason else None


def _with_facts(kernel: Kernel, wanted: list[str], stores: list[Access]) -> tuple[Pointer, ...] | Refusal:
    for one in stores:
        if one.array.space is not Space.GLOBAL or not one.array.is_param:
            reason = f"left alone: {one.text} is no memory that an argument points to ({kernel.line_of(one.span)})"
            return Refusal(Decision.DECLINED, codes.ANY_MEMORY, reason)
    pointers: list[Pointer] = []
    reason = ""
    for name in wanted:
        reads = [one for one in kernel.accesses if one.array.name == name]
        try:
            mine = extent(kernel, reads)
            others = dict.fromkeys(one.array.name for one in stores)
            theirs = [extent(kernel, [one for one in stores if one.array.name == other]) for other in others]
        except Unwritable as error:
            reason = f"left alone: where {error} goes is not known when the kernel is launched"
            continue
        pointers.append(Pointer(name, tuple(Disjoint(mine, other) for other in theirs)))
    return tuple(pointers) or Refusal(Decision.DECLINED, codes.NOT_MODELLED, reason)
