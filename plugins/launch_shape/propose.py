"""From what a kernel's threads do together to one finding and, where that is nothing, a version."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import (
    Context,
    Decision,
    Finding,
    Hidden,
    Kernel,
    Launch,
    Proposal,
    Span,
    Together,
    cooperation,
    why_not_virtual,
)

from . import codes
from .launches import factors, is_known
from .options import Options
from .rewrite import NAME, variant

_TOGETHER = {
    Together.NOT_COPYABLE: codes.NOT_REWRITABLE,
    Together.CLUSTER: codes.CLUSTER,
    Together.SHARED: codes.SHARED,
    Together.BARRIER: codes.BARRIER,
    Together.WARP: codes.WARP,
    Together.COMMUNICATES: codes.COMMUNICATES,
    Together.UNKNOWN_CALL: codes.UNKNOWN_CALL,
    Together.ASSEMBLY: codes.ASSEMBLY,
    Together.WHERE_AND_WHEN: codes.WHERE_AND_WHEN,
    Together.OUTPUT: codes.OUTPUT,
    Together.FLOAT_ATOMICS: codes.FLOAT_ATOMICS,
}
_HIDDEN = {Hidden.FUNCTION: codes.FUNCTIONS, Hidden.LAMBDA: codes.LAMBDA, Hidden.IMPLICIT: codes.IMPLICIT}
_INDICES = ("threadIdx", "blockIdx")


def propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding, and at most one version of the kernel."""
    options: Options = context.options or Options()
    if not any(use.name in _INDICES for use in kernel.builtin_uses):
        return _said(kernel, Decision.NOT_APPLICABLE, codes.NO_INDEX, "all threads of the kernel do the same")
    refused = _refused(kernel, context)
    if refused is not None:
        code, reason, place = refused
        return _said(kernel, Decision.DECLINED, code, f"left alone: {reason}", place)
    may = tuple(dict.fromkeys(one for launch in context.launches for one in factors(launch, options.form)))
    if options.form == "auto":
        if not context.learning:
            text = "left alone: no model knows which block size is faster, and programs measure nothing"
            return _said(kernel, Decision.DECLINED, codes.NOT_MEASURED, text)
        code, text = codes.MEASURED, f"block sizes to be measured: {_told(context.launches, may)}"
    else:
        wanted = f"{options.form} {options.factor}"
        may = tuple(one for one in may if one == wanted)
        code, text = codes.FORCED, f"{wanted}, as the policy asks, where a launch can have it"
    if not may:
        text = "left alone: no launch here can have blocks of another size"
        return _said(kernel, Decision.DECLINED, codes.NO_FACTOR, text)
    return Proposal((_finding(kernel, Decision.APPLIED, code, text),), variants=(variant(kernel, options),))


def _told(launches: Sequence[Launch], may: Sequence[str]) -> str:
    """What launches may have, in words."""
    return ", ".join(may) if all(map(is_known, launches)) else "all that a launch's block allows"


def _refused(kernel: Kernel, context: Context) -> tuple[str, str, Span | None] | None:
    """Code, reason and place of what stands against any version."""
    together = cooperation(kernel, context.unit.files[kernel.span.file])
    if together is not None:
        return _TOGETHER[together.kind], together.reason, together.place
    hidden = why_not_virtual(kernel)
    if hidden is not None:
        return _HIDDEN[hidden.kind], hidden.reason, hidden.place
    if context.undispatchable or not context.has_host_code:
        return codes.NO_LAUNCH, context.undispatchable or "no host code is built here", None
    return None


def _said(kernel: Kernel, decision: Decision, code: str, message: str, place: Span | None = None) -> Proposal:
    return Proposal((_finding(kernel, decision, code, message, place),))


def _finding(kernel: Kernel, decision: Decision, code: str, message: str, place: Span | None = None) -> Finding:
    """A finding at its place; what stands in another file is told of at the kernel (the reason names that file)."""
    at = place if place is not None and place.file == kernel.span.file else kernel.name_span
    return Finding.at(at, NAME, kernel.qualified, decision, code, message)
