"""From what a kernel's threads do together to one finding and, where a block may go on to the next one, versions."""

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
    Variant,
    declined,
    expr,
    finding,
    for_whole_warps,
    said,
    why_not_elsewhere,
)

from . import codes
from .cells import LANES, Cell, found
from .options import Options
from .rewrite import BUILTINS, NAME, in_turns, mixed
from .together import ALLOWED, leaving, shares, why_not_in_turns
from .vectors import BUILTINS as GROUP_BUILTINS
from .vectors import edits, grouped

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
    objection = why_not_elsewhere(kernel, context, BUILTINS, ALLOWED) or why_not_in_turns(kernel, context.launches)
    if objection is not None:
        return declined(kernel, NAME, objection, _KINDS)
    if not options.forced and not context.learning:
        text = "left alone: no model knows which factor is faster, and programs measure nothing"
        return said(kernel, NAME, Decision.DECLINED, codes.NOT_MEASURED, text)
    asked = options.factors[:1] if options.forced else tuple(dict.fromkeys(options.factors))
    least = 1 if options.forced else context.arch.sms
    may = tuple(factor for factor in asked if any(_has(launch, factor, least) for launch in context.launches))
    if not may:
        text = "left alone: no launch here has as many blocks along x"
        if any(_has(launch, min(asked), 1) for launch in context.launches):
            text = f"left alone: no launch here would leave each of {least} multiprocessors a block"
        return said(kernel, NAME, Decision.DECLINED, codes.NO_FACTOR, text)
    return _applied(kernel, context, options, may)


def _applied(kernel: Kernel, context: Context, options: Options, factors: tuple[int, ...]) -> Proposal:
    is_measured = not options.forced
    code, why = (codes.MEASURED, "to be measured") if is_measured else (codes.FORCED, "as the policy asks")
    cells = _cells(kernel, context) if _may_group(kernel, context, options) else ()
    made: list[Variant] = [grouped(kernel, cells, is_measured=is_measured)] if cells else []
    texts = [f"of {LANES} neighbours, with {_told(cells)} at once"] if cells else []
    if options.form == "neighbours" and not cells:
        text = "left alone: neighbours load and store nothing at once"
        return said(kernel, NAME, Decision.DECLINED, codes.NO_VECTORS, text)
    if cells:  # the likeliest; one factor beside it is enough to see whether that or fewer threads pay
        factors = factors[:1] if options.form == "auto" else ()
    count = " or ".join(map(str, factors))
    leaves = leaving(kernel)
    if cells or not (leaves or shares(kernel)):
        texts += [f"of {count} blocks"] if factors else []
        made += [mixed(kernel, factor, is_measured=is_measured) for factor in factors]
    else:
        texts = [f"of {count} blocks in turns"]
        made = [in_turns(kernel, factors, leaves, is_measured=is_measured)]
    text = f"a thread does the work {', or '.join(texts)}, {why}"
    return Proposal(
        (finding(kernel, NAME, Decision.APPLIED, code, text),),
        variants=tuple(for_whole_warps(one, kernel) for one in made),
    )


def _may_group(kernel: Kernel, context: Context, options: Options) -> bool:
    """Whether threads may do the work of neighbours: they do nothing together, and the policy lets them."""
    if options.form == "blocks" or (options.form == "auto" and options.forced):
        return False
    return why_not_elsewhere(kernel, context, GROUP_BUILTINS) is None


def _cells(kernel: Kernel, context: Context) -> tuple[Cell, ...]:
    """What neighbours may have together, where the text is changed as for the first instance that has anything."""
    mine = found(kernel, context.unit)
    if not mine or kernel.facts_of is None:
        return mine
    instances = (found(one, context.unit) for one in context.unit.kernels if one.usr == kernel.usr)
    first = next(cells for cells in instances if cells)
    return mine if edits(kernel, mine) == edits(kernel, first) else ()


def _told(cells: Sequence[Cell]) -> str:
    """Loads and stores in words."""
    loads = ", ".join(dict.fromkeys(cell.array.name for cell in cells if cell.loads))
    stores = ", ".join(dict.fromkeys(cell.array.name for cell in cells if cell.stores))
    return " and ".join(text for text in (loads and f"loads of {loads}", stores and f"stores of {stores}") if text)


def _has(launch: Launch, factor: int, least: int) -> bool:
    """Whether a launch may have so many blocks along x, and so many at least once each does the work of `factor`."""
    x, y, z = (
        None if part is None else expr.evaluate(part, {}) for part in (launch.grid.x, launch.grid.y, launch.grid.z)
    )
    if x is None or y is None or z is None:
        return x is None or x >= factor
    return x >= factor and x * y * z // factor >= least
