"""From what a kernel's threads do together to one finding and, where that is nothing, a version."""

from __future__ import annotations

from collections.abc import Sequence

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
    declined,
    finding,
    said,
    why_not_elsewhere,
)

from . import codes
from .launches import factors, is_known
from .options import Options
from .rewrite import NAME, variant

_KINDS: dict[ObjectionKind, str] = {
    Together.NOT_COPYABLE: codes.NOT_REWRITABLE,
    Together.CLUSTER: codes.CLUSTER,
    Together.SHARED: codes.SHARED,
    Together.BARRIER: codes.BARRIER,
    Together.WARP: codes.WARP,
    Together.COMMUNICATES: codes.COMMUNICATES,
    Together.UNKNOWN_CALL: codes.UNKNOWN_CALL,
    Together.ASSEMBLY: codes.ASSEMBLY,
    Together.WHERE_AND_WHEN: codes.WHERE_AND_WHEN,
    Together.GROUP: codes.WHERE_AND_WHEN,
    Together.OUTPUT: codes.OUTPUT,
    Together.FLOAT_ATOMICS: codes.FLOAT_ATOMICS,
    Hidden.FUNCTION: codes.FUNCTIONS,
    Hidden.LAMBDA: codes.LAMBDA,
    Hidden.IMPLICIT: codes.IMPLICIT,
    Unlaunched.NO_LAUNCH: codes.NO_LAUNCH,
}
_INDICES = ("threadIdx", "blockIdx")


def propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding, and at most one version of the kernel."""
    options: Options = context.options or Options()
    if not any(use.name in _INDICES for use in kernel.builtin_uses):
        return said(kernel, NAME, Decision.NOT_APPLICABLE, codes.NO_INDEX, "all threads of the kernel do the same")
    objection = why_not_elsewhere(kernel, context)
    if objection is not None:
        return declined(kernel, NAME, objection, _KINDS)
    may = tuple(
        dict.fromkeys(one for launch in context.launches for one in factors(launch, options.form, context.arch.sms))
    )
    if options.form == "auto":
        if not context.learning:
            text = "left alone: no model knows which block size is faster, and programs measure nothing"
            return said(kernel, NAME, Decision.DECLINED, codes.NOT_MEASURED, text)
        code, text = codes.MEASURED, f"block sizes to be measured: {_told(context.launches, may)}"
    else:
        wanted = f"{options.form} {options.factor}"
        may = tuple(one for one in may if one == wanted)
        code, text = codes.FORCED, f"{wanted}, as the policy asks, where a launch can have it"
    if not may:
        text = "left alone: no launch here can have blocks of another size"
        return said(kernel, NAME, Decision.DECLINED, codes.NO_FACTOR, text)
    return Proposal((finding(kernel, NAME, Decision.APPLIED, code, text),), variants=(variant(kernel, options),))


def _told(launches: Sequence[Launch], may: Sequence[str]) -> str:
    """What launches may have, in words."""
    return ", ".join(may) if all(map(is_known, launches)) else "all that a launch's block allows"
