"""What must hold for threads to go on to the next block, also where they share memory, meet or exchange data.

A block of such a version runs whole blocks of the program one after the other, with the threads, the warps and the
shared memory that each of them had. Only one thing is new: a thread that has returned is still there, and goes on to
the next of the blocks. Where others meet at a barrier or exchange data behind that, it would be missed.
"""

from __future__ import annotations

import re

from gpuopt_driver.api import Kernel, Objection, Space, SyncKind, Together, declares_shared, returns_before_barrier

ALLOWED = frozenset({Together.SHARED, Together.BARRIER, Together.WARP})
_MEETING = (SyncKind.BLOCK, SyncKind.WARP)
_BLOCK = re.compile(r"__syncthreads(_count|_and|_or)?\b")
_WARP = re.compile(
    r"__(syncwarp|((all|any|uni|ballot|match_any|match_all|shfl(_up|_down|_xor)?|reduce_[a-z]+)_sync))\b"
)


def shares(kernel: Kernel) -> bool:
    """Whether the threads of a block share memory or meet, so that the next block must wait for all of them."""
    return (
        declares_shared(kernel)
        or any(one.array.space is Space.SHARED for one in kernel.accesses)
        or any(sync.kind is SyncKind.BLOCK for sync in kernel.syncs)
    )


def why_not_in_turns(kernel: Kernel) -> Objection | None:
    """Why a thread cannot go on to the next block, or would be missed by others if it did; None where it can."""
    if "exit" in kernel.special:
        return Objection(Together.ASSEMBLY, "inline assembly may end the thread")
    for sync in kernel.syncs:
        known = {SyncKind.BLOCK: _BLOCK, SyncKind.WARP: _WARP}.get(sync.kind)
        if known is None or not known.match(sync.text):
            kind = Together.WARP if sync.kind is SyncKind.WARP else Together.BARRIER
            text = f"{sync.text} waits for other threads than those of the block or a named part of a warp"
            return Objection(kind, f"{text} ({kernel.line_of(sync.span)})", sync.span)
    reason = returns_before_barrier(kernel, _MEETING)
    return None if reason is None else Objection(Together.LEAVES, reason)
