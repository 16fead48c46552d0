"""Signs that a kernel counts on the lanes of a warp going in step.

CUDA does not promise that they do, but programs of its first years exchange values through shared memory so, and mostly
get what they want. Nothing says that they still would where blocks follow each other.
"""

from __future__ import annotations

from gpuopt_driver.api import Access, Kernel, Space, SymKind, expr, normal


def in_step(kernel: Kernel) -> Access | None:
    """A load from shared memory that may see another thread's store with no barrier or operation of a warp between."""
    waits = sorted({sync.stmt for sync in kernel.syncs})
    shared = [one for one in kernel.accesses if one.array.space is Space.SHARED]
    for store in (one for one in shared if one.is_write):
        for load in (one for one in shared if one.is_read and one.array.name == store.array.name):
            if (load.is_atomic and store.is_atomic) or load is store or _is_same(load, store):
                continue
            if not _waits_between(kernel, waits, store, load):
                return load
    return None


def _is_same(load: Access, store: Access) -> bool:
    """Whether both are at one place, which is then the thread's own or was meant to be anybody's."""
    if load.offset is None or store.offset is None:
        return False
    known = all(symbol.kind is not SymKind.UNKNOWN for symbol in expr.symbols(load.offset))
    return known and normal(load.offset) == normal(store.offset)


def _waits_between(kernel: Kernel, waits: list[int], store: Access, load: Access) -> bool:
    """Whether a thread waits between a store and a load behind it, or behind it in another iteration."""
    if store.stmt < load.stmt and not any(store.stmt <= one <= load.stmt for one in waits):
        return False
    loops = [one for one in load.loops if one in store.loops]
    if store.stmt < load.stmt or not loops:
        return True
    last = max(one.id for one in kernel.descendants(loops[-1]))
    return any(loops[-1] <= one <= last for one in waits)
