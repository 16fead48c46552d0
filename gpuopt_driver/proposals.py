"""What plugins share that run a kernel's threads elsewhere than the program launched them: why not, and how to say so.

Such a version gives built-in variables another meaning, so threads must not do anything that ties them to the block
that they are in. A plugin has codes of its own for the kinds of reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum

from gpuopt_driver.analysis.cooperation import Together, cooperation
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.hooks import Context, Proposal
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.source.text import Span
from gpuopt_driver.variants.virtual import BUILTINS, Hidden, why_not_virtual


class Unlaunched(Enum):
    """Kinds of reasons why nobody could run a version."""

    NO_LAUNCH = "no launch can be sent to a version"


Kind = Together | Hidden | Unlaunched


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason against versions of a kernel, and its place where there is one."""

    kind: Kind
    reason: str
    place: Span | None = None


def why_not_elsewhere(
    kernel: Kernel,
    context: Context,
    names: Collection[str] = tuple(BUILTINS),
    allowed: Collection[Together] = (),
) -> Objection | None:
    """Why no version may give the built-in variables of these names another meaning, or None.

    `allowed`: what the threads of a block may do together, as the version keeps them in one block.
    """
    together = cooperation(kernel, context.unit.files[kernel.span.file], allowed)
    if together is not None:
        return Objection(together.kind, together.reason, together.place)
    hidden = why_not_virtual(kernel, names)
    if hidden is not None:
        return Objection(hidden.kind, hidden.reason, hidden.place)
    if context.undispatchable or not context.has_host_code:
        return Objection(Unlaunched.NO_LAUNCH, context.undispatchable or "no host code is built here")
    return None


def declined(kernel: Kernel, author: str, objection: Objection, codes: Mapping[Kind, str]) -> Proposal:
    """A proposal that tells of an objection, by a plugin's own code for its kind."""
    text = f"left alone: {objection.reason}"
    return said(kernel, author, Decision.DECLINED, codes[objection.kind], text, objection.place)


def said(
    kernel: Kernel, author: str, decision: Decision, code: str, message: str, place: Span | None = None
) -> Proposal:
    """A proposal that is one finding."""
    return Proposal((finding(kernel, author, decision, code, message, place),))


def finding(
    kernel: Kernel, author: str, decision: Decision, code: str, message: str, place: Span | None = None
) -> Finding:
    """A finding at its place; what stands in another file is told of at the kernel (the reason names that file)."""
    at = place if place is not None and place.file == kernel.span.file else kernel.name_span
    return Finding.at(at, author, kernel.qualified, decision, code, message)
