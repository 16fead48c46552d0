"""Whether a kernel uses shared memory at all: most do not, and then nothing else of the plugin is loaded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuopt_driver.api import Decision, Finding, Kernel, Proposal, Space, Span, declares_shared

from . import codes


def may_use_shared(kernel: Kernel) -> bool:
    """Whether a kernel uses shared memory, or may use what it has."""
    return uses_shared(kernel) or _may_use(kernel)


def uses_shared(kernel: Kernel) -> bool:
    """Whether an access is known to go to shared memory."""
    return any(access.array.space is Space.SHARED for access in kernel.accesses)


def _may_use(kernel: Kernel) -> bool:
    """Whether a kernel none of whose accesses is known to go to shared memory may use it all the same."""
    has_some = declares_shared(kernel) or is_unseen(kernel)
    unclear = any(access.array.space is Space.UNKNOWN for access in kernel.accesses)
    return has_some and (unclear or bool(kernel.problems) or any(not call.known for call in kernel.calls))


def is_unseen(kernel: Kernel) -> bool:
    """Whether nothing instantiates this template, and what does not depend on its parameters uses no shared memory."""
    return bool(kernel.template_head) and kernel.facts_of is None and not uses_shared(kernel)


def not_applicable(kernel: Kernel, message: str) -> Proposal:
    """What is said of a kernel without shared memory, or of a version of ours."""
    return Proposal((finding(kernel, Decision.NOT_APPLICABLE, codes.NO_SHARED, message),))


def finding(
    kernel: Kernel, decision: Decision, code: str, message: str, where: Span | None = None, **figures: Any
) -> Finding:
    """A finding at its line; what stands in another file is told of at the kernel, with that file's name."""
    at = kernel.name_span if where is None else replace(where, column=1)
    if at.file != kernel.span.file:
        at, message = kernel.name_span, f"{message} ({kernel.line_of(at)})"
    return Finding.at(at, codes.NAME, kernel.qualified, decision, code, message, **figures)
