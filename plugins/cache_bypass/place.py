"""Which loads may be given another cache operator, and whether they must keep their place among the kernel's stores."""

from __future__ import annotations

import re

from gpuopt_driver.api import Access, Array, Context, Kernel, Space, SyncKind, why_not_copyable

from . import codes

_CALL = re.compile(r"\s*(?:::)?\s*\w+(?:\s*::\s*\w+)*\s*(?:<[^;{}]*>)?\s*\(")
_WAITING = (SyncKind.FENCE, SyncKind.GRID, SyncKind.CLUSTER, SyncKind.NAMED, SyncKind.UNKNOWN)


def refuse_kernel(kernel: Kernel, context: Context) -> tuple[str, str] | None:
    """Code and reason why no version of this kernel can be made, or None."""
    reason = why_not_copyable(kernel)
    if reason is not None:
        return codes.NOT_REWRITABLE, reason
    if context.undispatchable:
        return codes.NO_LAUNCH, context.undispatchable
    if not context.has_host_code:
        return codes.NO_LAUNCH, "no host code is built here"
    return None


def refuse_load(kernel: Kernel, access: Access) -> str | None:
    """Why a load must stay as it is, or None."""
    if access.is_atomic or access.is_volatile:
        return "it is atomic or volatile"
    if access.is_write or any(other.is_write and other.span == access.span for other in kernel.accesses):
        return "it is updated in place"
    if access.array.space is not Space.GLOBAL:
        return "its address is generic"
    if access.via or access.in_callee_loop:
        return "it is made by a function that the kernel calls"
    inside = access.span.file == kernel.span.file and kernel.body.start <= access.span.start
    if not access.span.editable or not inside or access.span.end > kernel.body.end:
        return "it comes out of a macro"
    if access.is_copied:
        return "it is a copy's"
    if _CALL.match(access.text):
        return "it has a cache operator already, or is a call"
    return None


def is_ordered(kernel: Kernel, array: Array) -> bool:
    """Whether a load from the array must not be moved across the kernel's stores, fences and unknown calls.

    A load that may be moved is one of data that nobody changes while the kernel runs, as far as the source tells.
    """
    if any(access.is_atomic or access.is_volatile for access in kernel.accesses):
        return True
    if any(sync.kind in _WAITING for sync in kernel.syncs) or not all(call.known for call in kernel.calls):
        return True
    if "asm" in kernel.special or "cdp" in kernel.special:
        return True
    outside = (Space.GLOBAL, Space.UNKNOWN)
    stores = [access.array for access in kernel.accesses if access.is_write and access.array.space in outside]
    return any(_may_alias(array, stored) for stored in stores)


def _may_alias(array: Array, stored: Array) -> bool:
    """Whether a store may change what a load from the array sees; types are not asked, `__restrict__` is."""
    return array.name == stored.name or not (array.restrict or (stored.restrict and stored.is_param))
