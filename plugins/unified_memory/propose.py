"""From a kernel's loads and shared memory to a finding and, where another division is better, a version with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuopt_driver.api import (
    Arch,
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    Space,
    Variant,
    blocks_independent,
    called_loop,
    counted,
    guard_loads,
    loop_loads,
    loop_work,
    no_launch,
    why_not_copyable,
    why_not_modelled,
)

from . import codes
from .decide import LEAST_HITS, Verdict, decide, free, is_fixed
from .guard import NAME, SUPPORT, always, candidates, free_guard, guard
from .options import Options
from .predict import Survey, by_instructions

_PREFERENCES = ("cudaFuncSetCacheConfig",)


def analyze(kernel: Kernel, context: Context) -> Survey:
    """The loops that make loads, and what is executed in them."""
    source = context.unit.files[kernel.span.file]
    loops = loop_loads.loop_loads(kernel, source) if kernel.loops else ()
    return Survey(loops, loop_work.work(kernel, source, loops))


def propose(kernel: Kernel, context: Context, survey: Survey) -> Proposal:
    """One finding per kernel, and a version of it where a launch may gain."""
    options: Options = context.options or Options()
    early = _not_at_all(kernel, context, survey, asked=options.carveout >= 0)
    if early is not None:
        return Proposal(findings=(early,))
    refused = _refused(kernel, context)
    if refused is not None:
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, refused[0], f"left alone: {refused[1]}"),))
    if options.carveout >= 0:
        message = f"carve-out of {options.carveout} %, as the policy asks"
        said = _finding(kernel, Decision.APPLIED, codes.AS_ASKED, message, carveout_percent=options.carveout)
        return Proposal(findings=(said,), variants=(_variant(kernel, always(context.arch, options.carveout)),))
    if not options.other_files and (context.undispatchable or not context.launches):
        message = "left alone: only other files can launch it; other_files = true compiles a version for them"
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, codes.OTHER_FILES, message),))
    return _by_model(kernel, context, options, survey)


def reaches(arch: Arch, options: Options) -> bool:
    """Whether launches of kernels that other files define are to choose."""
    return options.other_files and divides(arch)


def divides(arch: Arch) -> bool:
    """Whether there is something to choose on a GPU."""
    return arch.l1.unified and arch.l1.caches_global_loads and len(arch.shared.configurations) > 1


def _not_at_all(kernel: Kernel, context: Context, survey: Survey, *, asked: bool) -> Finding | None:
    """The finding of a kernel for which there is nothing to decide."""
    arch = context.arch
    if not divides(arch):
        message = f"{arch.title} has no L1 for global loads that shares its memory with shared memory"
        return _finding(kernel, Decision.NOT_APPLICABLE, codes.NOT_UNIFIED, message)
    if not (context.launches or context.elsewhere):
        return _finding(kernel, Decision.NOT_APPLICABLE, codes.NO_LAUNCH, no_launch(context.unit, kernel))
    if asked:
        return None
    if kernel.static_shared_bytes == 0 and not kernel.uses_dynamic_shared and not is_fixed(arch):
        return _finding(kernel, Decision.NOT_APPLICABLE, codes.NO_SHARED, "the kernel uses no shared memory")
    if not survey.loops and not _reads(kernel, again=not is_fixed(arch)):
        message = f"no own loop reads global memory through L1{called_loop(kernel)}"
        return _finding(kernel, Decision.NOT_APPLICABLE, codes.NO_LOADS, message)
    if arch.partition is None:
        message = f"there are no regression coefficients for {arch.title}"
        return _finding(kernel, Decision.DECLINED, codes.NOT_TRAINED, message)
    return None


def _reads(kernel: Kernel, *, again: bool) -> bool:
    """Whether a kernel reads global memory; `again`: in loops of functions that it calls."""
    return any(
        access.is_read and access.array.space in (Space.GLOBAL, Space.UNKNOWN) and (access.in_callee_loop or not again)
        for access in kernel.accesses
    )


def _not_modelled(arch: Arch, survey: Survey, kernel: Kernel) -> str:
    """Why what the loops hold in L1 is not known; empty where it is."""
    if not survey.loops:
        return "its loads are not in loops of its own"
    hidden = next((item for item in survey.loops if not guard_loads.is_writable(item)), None)
    if hidden is not None:
        why = why_not_modelled(hidden, kernel) or "depends on more than the kernel's arguments"
        return f"what the loop at line {hidden.line} reads {why}"
    if arch.partition and by_instructions(arch.partition) and not loop_work.is_writable(survey.work):
        return "what the kernel executes depends on more than its arguments"
    return ""


def _refused(kernel: Kernel, context: Context) -> tuple[str, str] | None:
    """Code and reason why the kernel keeps the driver's choice."""
    reason = why_not_copyable(kernel)
    if reason is not None:
        return codes.NOT_REWRITABLE, reason
    for query in context.unit.queries:
        if query.kernel == kernel.usr and query.api in _PREFERENCES:
            return codes.PREFERENCE, f"the program calls {query.api} for it"
    if context.undispatchable and not context.elsewhere:
        return codes.NO_LAUNCH, context.undispatchable
    return None if context.has_host_code else (codes.NO_LAUNCH, "no host code is built here")


def _by_model(kernel: Kernel, context: Context, options: Options, survey: Survey) -> Proposal:
    counted = bool(context.unit.occupancy_queries(kernel)) or not blocks_independent(kernel)
    fewer = options.fewer_blocks and not counted
    offers = candidates(options, context.arch, fewer=fewer)
    reason = _not_modelled(context.arch, survey, kernel)
    if reason:
        return _for_nothing(kernel, context, options, reason)
    if not context.launches:
        text = guard(survey, options, context.arch, fewer=fewer)
        said = _finding(kernel, Decision.APPLIED, codes.ELSEWHERE, "carve-out chosen at launches of other files")
        return Proposal(findings=(said,), variants=(_variant(kernel, text, offers),))
    verdict = decide(kernel, context, survey, options.minimum_gain, fewer=fewer)
    if verdict is None:
        message = "left alone: no launch that can run here is computable"
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, codes.NOT_MODELLED, message),))
    numbers = _figures(verdict)
    if verdict.best == verdict.default:
        message = (
            f"left alone: the driver's {verdict.default.shared_bytes} B of shared memory are predicted to be within a "
            f"factor of {max(verdict.promised, 1.0):.2f} of the best division"
        )
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, codes.NO_GAIN, message, **numbers),))
    message = (
        f"carve-out chosen at launch: {verdict.best.shared_bytes} B of shared memory instead of "
        f"{verdict.default.shared_bytes} B {_what_for(verdict)}"
    )
    text = guard(survey, options, context.arch, fewer=fewer)
    said = _finding(kernel, Decision.APPLIED, codes.CHOSEN, message, **numbers)
    return Proposal(findings=(said,), variants=(_variant(kernel, text, offers),))


def _for_nothing(kernel: Kernel, context: Context, options: Options, reason: str) -> Proposal:
    """More L1 where it costs no resident block, for a kernel whose hits are not known."""
    text, offers = free_guard(options, context.arch), candidates(options, context.arch, fewer=False)
    if not context.launches:
        said = _finding(kernel, Decision.APPLIED, codes.ELSEWHERE, "carve-out chosen at launches of other files")
        return Proposal(findings=(said,), variants=(_variant(kernel, text, offers),))
    found = free(kernel, context)
    if found is None:
        message = f"left alone: {reason}, and more L1 would cost resident blocks"
        return Proposal(findings=(_finding(kernel, Decision.DECLINED, codes.NOT_MODELLED, message),))
    default, best = found.default, found.best
    message = (
        f"carve-out chosen at launch: as much L1 as leaves room for the same blocks, {best.l1_bytes} B instead of "
        f"{default.l1_bytes} B {_beside(best.blocks, found.most)}; {reason}"
    )
    figures = {
        "default_shared_bytes": default.shared_bytes,
        "default_l1_bytes": default.l1_bytes,
        "shared_bytes": best.shared_bytes,
        "l1_bytes": best.l1_bytes,
        "resident_blocks": best.blocks,
        "most_resident_blocks": found.most,
        "occupancy": round(best.occupancy, 3),
    }
    said = _finding(kernel, Decision.APPLIED, codes.FREE, message, **figures)
    return Proposal(findings=(said,), variants=(_variant(kernel, text, offers),))


def _beside(blocks: int, most: int) -> str:
    """Beside how many blocks; a grid that is not known may be too small for as many as there is room for."""
    if blocks == most:
        return f"beside {counted(blocks, 'block')} on an SM"
    return f"where the grid leaves {counted(blocks, 'block')} on an SM, which has room for {most}"


def _what_for(verdict: Verdict) -> str:
    default, best = verdict.default, verdict.best
    if best.hit_rate >= default.hit_rate + LEAST_HITS:
        return f"raise the hit rate from {default.hit_rate:.2f} to {best.hit_rate:.2f}"
    return f"leave {best.l1_bytes} B of L1 instead of {default.l1_bytes} B at no cost in waves of blocks"


def _variant(kernel: Kernel, text: str, offers: str = "") -> Variant:
    """The kernel itself, launched with a carve-out of its own; other launches keep the driver's."""
    made = Variant(kernel=kernel.usr, name=NAME, edits=(), guard=text, author=NAME, support=SUPPORT, anywhere=True)
    return replace(made, candidates=offers)


def _figures(verdict: Verdict) -> dict[str, object]:
    default, best = verdict.default, verdict.best
    return {
        "default_shared_bytes": default.shared_bytes,
        "default_l1_bytes": default.l1_bytes,
        "default_hit_rate": round(default.hit_rate, 3),
        "default_occupancy": round(default.occupancy, 3),
        "shared_bytes": best.shared_bytes,
        "l1_bytes": best.l1_bytes,
        "hit_rate": round(best.hit_rate, 3),
        "occupancy": round(best.occupancy, 3),
        "resident_blocks": best.blocks,
        "performance_factor": round(verdict.gain, 3),
        "exact": verdict.site.known,
    }


def _finding(kernel: Kernel, decision: Decision, code: str, message: str, **figures: Any) -> Finding:
    """A finding at the kernel's name."""
    return Finding.at(kernel.name_span, NAME, kernel.qualified, decision, code, message, **figures)
