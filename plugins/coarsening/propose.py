"""From what a kernel's threads do together to one finding and, where a block may go on to the next one, versions."""

from __future__ import annotations

from gpuopt_driver.api import (
    Context,
    Decision,
    Hidden,
    Kernel,
    Launch,
    ObjectionKind,
    Proposal,
    Together,
    Unlaunched,
    Variant,
    declined,
    expr,
    finding,
    said,
    why_not_elsewhere,
)

from . import codes
from .options import Options
from .rewrite import BUILTINS, NAME, in_turns, mixed
from .together import ALLOWED, shares, why_not_in_turns

_KINDS: dict[ObjectionKind, str] = {
    **dict.fromkeys(Together, codes.TOGETHER),
    Together.NOT_COPYABLE: codes.NOT_REWRITABLE,
    Together.UNKNOWN_CALL: codes.UNKNOWN_CALL,
    Together.ASSEMBLY: codes.ASSEMBLY,
    Together.OUTPUT: codes.OUTPUT,
    Together.FLOAT_ATOMICS: codes.FLOAT_ATOMICS,
    Together.LEAVES: codes.LEAVES,
    Hidden.FUNCTION: codes.FUNCTIONS,
    Hidden.LAMBDA: codes.LAMBDA,
    Hidden.IMPLICIT: codes.IMPLICIT,
    Unlaunched.NO_LAUNCH: codes.NO_LAUNCH,
}


def propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding, and versions of the kernel for the factors that a launch may have."""
    options: Options = context.options or Options()
    if not any(use.name == "blockIdx" for use in kernel.builtin_uses):
        text = "all blocks of the kernel do the same"
        return said(kernel, NAME, Decision.NOT_APPLICABLE, codes.NO_INDEX, text)
    objection = why_not_elsewhere(kernel, context, BUILTINS, ALLOWED) or why_not_in_turns(kernel)
    if objection is not None:
        return declined(kernel, NAME, objection, _KINDS)
    if not options.forced and not context.learning:
        text = "left alone: no model knows which factor is faster, and programs measure nothing"
        return said(kernel, NAME, Decision.DECLINED, codes.NOT_MEASURED, text)
    asked = options.factors[:1] if options.forced else tuple(dict.fromkeys(options.factors))
    may = tuple(factor for factor in asked if any(_has(launch, factor) for launch in context.launches))
    if not may:
        text = "left alone: no launch here has as many blocks along x"
        return said(kernel, NAME, Decision.DECLINED, codes.NO_FACTOR, text)
    return _applied(kernel, options, may)


def _applied(kernel: Kernel, options: Options, factors: tuple[int, ...]) -> Proposal:
    is_measured = not options.forced
    code, why = (codes.MEASURED, "to be measured") if is_measured else (codes.FORCED, "as the policy asks")
    count = " or ".join(map(str, factors))
    made: tuple[Variant, ...]
    if shares(kernel):
        text = f"a block runs {count} blocks in turns, {why}"
        made = (in_turns(kernel, factors, is_measured=is_measured),)
    else:
        text = f"a thread does the work of {count}, {why}"
        made = tuple(mixed(kernel, factor, is_measured=is_measured) for factor in factors)
    return Proposal((finding(kernel, NAME, Decision.APPLIED, code, text),), variants=made)


def _has(launch: Launch, factor: int) -> bool:
    """Whether a launch may have so many blocks along x."""
    width = None if launch.grid.x is None else expr.evaluate(launch.grid.x, {})
    return width is None or width >= factor
