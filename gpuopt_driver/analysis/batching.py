"""How many iterations' loads a compiler issues together: what decides whether L1 has to keep a line between them.

nvcc unrolls counted loops by four and moves the loads of the copies to the front, unless something in the body could
change what they read. Loads that are issued together find their line under way (hit under miss) and need no capacity;
only the reuse from one such batch to the next can be lost. Measured on an H200, a row-per-thread walk over two matrices
at twice the L1 capacity loses nothing with sums in registers and a factor of 4.5 with sums in memory.
"""

from __future__ import annotations

import re

from gpuopt_driver.frontend.model import Access, Kernel, Loop, Space, SyncKind

DEFAULT_UNROLL = 4  # nvcc's factor for a counted loop without a pragma
_UNROLL = re.compile(r"#\s*pragma\s+(?:GCC\s+|clang\s+loop\s+)?(nounroll|unroll(?:\s*\(?\s*(\d+)\s*\)?)?)")
_BOUNDARIES = (SyncKind.BLOCK, SyncKind.NAMED, SyncKind.GRID, SyncKind.CLUSTER, SyncKind.FENCE, SyncKind.UNKNOWN)


def unroll_factor(pragmas: str) -> int:
    """The unroll factor that the pragmas in front of a loop ask for, nvcc's own without any."""
    factor = DEFAULT_UNROLL
    for match in _UNROLL.finditer(pragmas):
        if match.group(1) == "nounroll":
            factor = 1
        else:
            factor = max(1, int(match.group(2))) if match.group(2) else max(factor, 8)
    return factor


def keeps_order(kernel: Kernel, loop: Loop) -> bool:
    """Whether something in the loop keeps the loads of different iterations apart, whatever they read."""
    inside = {stmt.id for stmt in kernel.descendants(loop.stmt)}
    if loop.trips is None:
        return True
    if any(sync.stmt in inside and sync.kind in _BOUNDARIES for sync in kernel.syncs):
        return True
    if any(call.stmt in inside and not call.known for call in kernel.calls):
        return True
    return any(
        loop.stmt in access.loops and (access.is_volatile or access.in_callee_loop) for access in kernel.accesses
    )


def _may_change(store: Access, load: Access) -> bool:
    """Whether a store may change what a load reads, as far as the compiler can tell."""
    if not store.is_write or store.array.space not in (Space.GLOBAL, Space.UNKNOWN):
        return False
    return not (load.array.restrict or (store.array.restrict and store.array.name != load.array.name))


def batch(kernel: Kernel, loop: Loop, load: Access, pragmas: str = "") -> int:
    """Iterations of `loop` whose loads at this access are issued together; 1 where none are."""
    if any(other.parent == loop.stmt for other in kernel.loops) or keeps_order(kernel, loop):
        return 1
    stores = (access for access in kernel.accesses if loop.stmt in access.loops and access.is_write)
    if any(_may_change(store, load) for store in stores):
        return 1
    return unroll_factor(pragmas)
