"""From a kernel's regions to a finding and, where blocks that take turns may pay, a version of the kernel."""

from __future__ import annotations

from typing import Any

from gpuopt_driver.api import Context, Decision, Finding, Kernel, Latencies, Proposal, Variant

from . import codes
from .guard import guard, is_writable, largest
from .options import Options
from .refuse import Refusal, refuse
from .rewrite import NAME, copies, crosses_macro, edits, place
from .support import SUPPORT
from .survey import SCALE, Facts, Verdict, fractions, verdicts

_THREADS = 1024  # of a block
_PROBLEMS = (
    ("may go to shared memory", codes.UNKNOWN_POINTER),
    ("return before", codes.EARLY_RETURN),
    ("are named", codes.NOT_REWRITABLE),
)


def propose(kernel: Kernel, context: Context, facts: Facts | None) -> Proposal:
    """One finding for the kernel, and a version where it may pay at some launch."""
    options: Options = context.options or Options()
    if facts is None or "__gpuopt_" in kernel.name:
        message = "the kernel does not use shared memory" if facts is None else "a version that gpuopt made"
        return Proposal((_finding(kernel, Decision.NOT_APPLICABLE, codes.NO_SHARED, message),))
    told = {"regions": _regions(kernel, context, facts)}
    refusal = _problem(facts) or refuse(kernel, context) or _launches(kernel, context, facts)
    if refusal is not None:
        return Proposal((_refused(kernel, refusal),), facts=told)
    found = verdicts(kernel, context, facts, options)
    told["launches"] = [_launch(one) for one in found]
    refusal = _useless(found, options)
    if refusal is not None:
        best = max(found, key=lambda one: one.choice.gain, default=None)
        return Proposal((_refused(kernel, refusal, best),), facts=told)
    kind = place(_ids(kernel, facts, options))
    variant = Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=edits(kernel, context, facts.use.regions, largest(options), kind),
        guard=guard(facts.split, SCALE, Latencies.of(context.arch).memory, facts.shapes, options, options.margin),
        author=NAME,
        support=SUPPORT,
        functions=copies(kernel, kind),
    )
    return Proposal((_applied(kernel, found, options),), variants=(variant,), facts=told)


def _ids(kernel: Kernel, facts: Facts, options: Options) -> int:
    """How many virtual blocks there may be that need barriers of their own; 0 where each is one warp."""
    sizes = [] if kernel.template_head else [shape.threads for shape in facts.shapes]  # instantiations share a text
    if sizes and all(size == 32 for size in sizes):
        return 0
    return min([largest(options)] + [_THREADS // min(sizes) for _ in sizes[:1]])


def _problem(facts: Facts) -> Refusal | None:
    if not facts.use.problem:
        return None
    code = next((code for text, code in _PROBLEMS if text in facts.use.problem), codes.NOT_UNIFORM)
    return Refusal(code, facts.use.problem, facts.use.line)


def _launches(kernel: Kernel, context: Context, facts: Facts) -> Refusal | None:
    """What the launches, regions and phases rule out."""
    line = crosses_macro(kernel, facts.use.regions)
    if line:
        return Refusal(codes.MACRO, "a shared-memory access region begins or ends in a macro or a switch", line)
    if context.unit.occupancy_queries(kernel):
        return Refusal(codes.COUNTED, "the program asks for this kernel's occupancy")
    if not is_writable(facts.split):
        return Refusal(codes.NOT_REWRITABLE, "the kernel's phases cannot be computed at a launch")
    sizes = [shape.threads for shape in facts.shapes]
    if sizes and all(size % 32 for size in sizes):
        return Refusal(codes.PARTIAL_WARP, f"blocks of {sizes[0]} threads are no multiple of a warp")
    most = context.arch.limits.threads_per_block
    if sizes and all(2 * size > most for size in sizes):
        return Refusal(codes.TOO_LARGE, f"two blocks of {sizes[0]} threads are more than {most}")
    return None


def _useless(found: list[Verdict], options: Options) -> Refusal | None:
    """Why no launch is predicted to win enough."""
    if options.factor or not found or any(one.choice.gain >= options.margin for one in found):
        return None
    best = max(found, key=lambda one: one.choice.gain)
    resident = best.plain.blocks * best.site.shape.threads
    return Refusal(
        codes.NO_GAIN,
        f"{resident} threads are resident beside {best.plain.l1_bytes} B of L1; "
        f"a gain of {best.choice.gain:.2f} is predicted at most, {options.margin:.2f} is asked for",
    )


def _finding(kernel: Kernel, decision: Decision, code: str, message: str, line: int = 0, **figures: Any) -> Finding:
    span = kernel.name_span
    at = {"line": line or span.line, "column": 1 if line else span.column}
    return Finding(
        plugin=NAME,
        kernel=kernel.qualified,
        decision=decision,
        code=code,
        message=message,
        file=span.file,
        figures=figures,
        **at,
    )


def _refused(kernel: Kernel, refusal: Refusal, best: Verdict | None = None) -> Finding:
    word = "left alone" if refusal.code == codes.NO_GAIN else "not applied"
    figures = {} if best is None else _figures(best)
    return _finding(kernel, Decision.DECLINED, refusal.code, f"{word}: {refusal.reason}", refusal.line, **figures)


def _figures(one: Verdict) -> dict[str, Any]:
    threads = one.site.shape.threads
    return {
        "factor": one.choice.factor,
        "form": "none" if one.choice.factor == 1 else "pipe" if one.choice.pipe else "turns",
        "predicted_gain": round(one.choice.gain, 2),
        "resident_blocks": one.plain.blocks,
        "resident_threads": one.plain.blocks * threads,
        "l1_bytes": one.plain.l1_bytes,
    }


def _applied(kernel: Kernel, found: list[Verdict], options: Options) -> Finding:
    if options.factor:
        text = f"{options.factor} blocks take turns on one allocation of shared memory, as the policy asks for"
        return _finding(kernel, Decision.APPLIED, codes.FORCED, text, factor=options.factor, form=options.form)
    best = max(found, key=lambda one: one.choice.gain, default=None)
    if best is None:
        return _finding(kernel, Decision.APPLIED, codes.APPLIED, "factor and form are chosen at the launch")
    figures = _figures(best)
    text = (
        f"up to {best.choice.factor} blocks take turns on one allocation of shared memory ({figures['form']}; "
        f"gain {best.choice.gain:.2f} over {figures['resident_threads']} resident threads); the launch decides"
    )
    return _finding(kernel, Decision.APPLIED, codes.APPLIED, text, **figures)


def _regions(kernel: Kernel, context: Context, facts: Facts) -> list[dict[str, object]]:
    """The regions for `gpuopt explain`: lines, arrays, and the part of the kernel's time that each takes."""
    return [
        {"lines": list(region.lines), "arrays": list(region.arrays), "fraction": round(fraction, 3)}
        for region, fraction in zip(facts.use.regions, fractions(kernel, context, facts), strict=True)
    ]


def _launch(one: Verdict) -> dict[str, object]:
    """Residency of one launch (table 1 of the paper) and what is predicted for it."""
    shared = one.site.occupancy.shared_per_block
    return {
        "line": one.site.launch.span.line if one.site.launch is not None else 0,
        "threads_per_block": one.site.shape.threads,
        "shared_per_block_bytes": shared,
        "shared_per_sm_bytes": shared * one.plain.blocks,
        **_figures(one),
    }
