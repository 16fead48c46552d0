"""From what a kernel's threads do together to one finding and, where that is nothing, a version for each factor."""

from __future__ import annotations

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
    expr,
    why_not_virtual,
)

from . import codes
from .options import Options
from .rewrite import BUILTINS, NAME, variant

_KINDS = {
    Together.NOT_COPYABLE: codes.NOT_REWRITABLE,
    Together.UNKNOWN_CALL: codes.UNKNOWN_CALL,
    Together.ASSEMBLY: codes.ASSEMBLY,
    Together.OUTPUT: codes.OUTPUT,
    Together.FLOAT_ATOMICS: codes.FLOAT_ATOMICS,
}
_HIDDEN = {Hidden.FUNCTION: codes.FUNCTIONS, Hidden.LAMBDA: codes.LAMBDA, Hidden.IMPLICIT: codes.IMPLICIT}


def propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding, and a version of the kernel for each factor that a launch may have."""
    options: Options = context.options or Options()
    if not any(use.name == "blockIdx" for use in kernel.builtin_uses):
        return _said(kernel, Decision.NOT_APPLICABLE, codes.NO_INDEX, "all blocks of the kernel do the same")
    refused = _refused(kernel, context)
    if refused is not None:
        code, reason, place = refused
        return _said(kernel, Decision.DECLINED, code, f"left alone: {reason}", place)
    if not options.forced and not context.learning:
        text = "left alone: no model knows which factor is faster, and programs measure nothing"
        return _said(kernel, Decision.DECLINED, codes.NOT_MEASURED, text)
    asked = options.factors[:1] if options.forced else tuple(dict.fromkeys(options.factors))
    may = [factor for factor in asked if any(_has(launch, factor) for launch in context.launches)]
    if not may:
        text = "left alone: no launch here has as many blocks along x"
        return _said(kernel, Decision.DECLINED, codes.NO_FACTOR, text)
    threads = " or ".join(map(str, may))
    code, why = (codes.FORCED, "as the policy asks") if options.forced else (codes.MEASURED, "to be measured")
    finding = _finding(kernel, Decision.APPLIED, code, f"a thread does the work of {threads}, {why}")
    made = tuple(variant(kernel, factor, is_measured=not options.forced) for factor in may)
    return Proposal((finding,), variants=made)


def _has(launch: Launch, factor: int) -> bool:
    """Whether a launch may have so many blocks along x."""
    width = None if launch.grid.x is None else expr.evaluate(launch.grid.x, {})
    return width is None or width >= factor


def _refused(kernel: Kernel, context: Context) -> tuple[str, str, Span | None] | None:
    """Code, reason and place of what stands against any version."""
    together = cooperation(kernel, context.unit.files[kernel.span.file])
    if together is not None:
        return _KINDS.get(together.kind, codes.TOGETHER), together.reason, together.place
    hidden = why_not_virtual(kernel, BUILTINS)
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
