"""Whether blocks of a kernel may run with fewer beside them."""

from __future__ import annotations

from gpuopt_driver.frontend.model import Kernel, SyncKind

_WAITING = (SyncKind.FENCE, SyncKind.GRID, SyncKind.CLUSTER, SyncKind.UNKNOWN)


def blocks_independent(kernel: Kernel) -> bool:
    """Whether no block can wait for another one: with fewer resident blocks, one that is waited for may never start."""
    if any(access.is_atomic or access.is_volatile for access in kernel.accesses):
        return False
    return not any(sync.kind in _WAITING for sync in kernel.syncs) and all(call.known for call in kernel.calls)
