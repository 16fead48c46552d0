"""From a kernel's regions to a finding and, where blocks that take turns may pay, a version of the kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuopt_driver.api import (
    SHARED_MEMORY,
    Context,
    Decision,
    Finding,
    Kernel,
    Latencies,
    Proposal,
    SharedObstacle,
    Variant,
    for_whole_warps,
)

from . import codes
from .collaborate import Considered, collaborate
from .guard import FORMS, Question, candidates, guard, is_writable, largest, takes_arguments
from .options import Options
from .order import longest_pipe, order_of, own_barriers
from .refuse import Refusal, refuse
from .rewrite import NAME, copies, crosses_macro, edits, place
from .scheme import Scheme
from .staging import kept_in_turn
from .support import SUPPORT
from .survey import SCALE, Facts, Verdict, fractions, known_shapes, verdicts
from .uses import finding as _finding
from .uses import is_unseen, not_applicable

_PROBLEMS = {
    SharedObstacle.UNUSED: codes.NOT_UNIFORM,
    SharedObstacle.UNKNOWN_POINTER: codes.UNKNOWN_POINTER,
    SharedObstacle.SAME_NAME: codes.NOT_REWRITABLE,
    SharedObstacle.EARLY_RETURN: codes.EARLY_RETURN,
    SharedObstacle.NOT_TOGETHER: codes.NOT_UNIFORM,
    SharedObstacle.INSTANCES: codes.INSTANCES,
}


def propose(kernel: Kernel, context: Context, facts: Facts | None) -> Proposal:
    """One finding for the kernel, and a version where it may pay at some launch."""
    options: Options = context.options or Options()
    if facts is None or "__gpuopt_" in kernel.name:
        message = "the kernel does not use shared memory" if facts is None else "a version that gpuopt made"
        return not_applicable(kernel, message)
    told: dict[str, Any] = {"regions": _regions(kernel, context, facts)}
    if is_unseen(kernel):
        text = "no instantiation of the template is seen, so what it uses is not known"
        return Proposal((_refused(kernel, Refusal(codes.NO_LAUNCH, text)),), facts=told)
    refusal = refuse(kernel, context)
    if refusal is not None:
        return Proposal((_refused(kernel, refusal),), facts=told)
    whole = _problem(facts) or _launches(kernel, context, facts, options)  # speaks of turns on everything
    if whole is not None and whole.code != codes.NOT_UNIFORM:
        return Proposal((_refused(kernel, whole),), facts=told)
    found = verdicts(kernel, context, facts.scheme, options)
    considered = collaborate(kernel, context, facts, found, options, alone=whole is not None)
    together = considered.scheme if considered.chosen else None
    told["co"] = _considered(considered)
    if whole is not None and together is None:
        return Proposal((_refused(kernel, whole),), facts=told)
    if together is None and not FORMS[options.form] & 3:
        text = "no part of shared memory is proved to be a virtual block's own"
        return Proposal((_refused(kernel, Refusal(codes.NOT_DIVIDED, text)),), facts=told)
    both = [*found, *(considered.told if together is not None else ())]
    told["launches"] = [_launch(one) for one in found]
    refusal = _useless(both, options)
    measured = refusal if context.learning and _may_err(both, options, context.arch.limits.threads_per_sm) else None
    if refusal is not None and measured is None:
        best = max(both, key=lambda one: one.choice.gain, default=None)
        return Proposal((_refused(kernel, refusal, best),), facts=told)
    variants = []
    if together is not None:
        told["division"] = _division(together)
        variants.append(_variant(kernel, context, facts, (facts.scheme, together), options, alone=whole is not None))
    turns = whole is None and bool(FORMS[options.form] & 3)
    if turns and (together is None or _useless(found, options) is None):
        variants.append(_variant(kernel, context, facts, (facts.scheme,), options))
    if measured is not None:
        variants = [replace(one, guard="  return false;", occupancy="", only_measured=True) for one in variants[-1:]]
        return Proposal((_measured(kernel, both, measured),), variants=tuple(variants), facts=told)
    return Proposal((_applied(kernel, both, options),), variants=tuple(variants), facts=told)


def _variant(
    kernel: Kernel,
    context: Context,
    facts: Facts,
    schemes: tuple[Scheme, ...],
    options: Options,
    *,
    alone: bool = False,
) -> Variant:
    """The version of one scheme; of two, of the second one, which is CO-VTB (`alone`: the first one cannot be)."""
    most = own_barriers(kernel, facts.shapes, options)
    order = order_of(kernel, schemes[-1].use.regions)
    kind = place(most, order)
    shapes = known_shapes(context) if len(schemes) > 1 else facts.shapes
    asked = bool(context.unit.occupancy_queries(kernel))
    latencies = Latencies.of(context.arch)
    question = Question(
        schemes, SCALE, latencies, shapes, options, pipes=longest_pipe(most, order), asked=asked, alone=alone
    )
    text = guard(question)
    made = Variant(
        kernel=kernel.usr,
        name=NAME if len(schemes) == 1 else f"{NAME}_co",
        edits=edits(kernel, context, schemes[-1], largest(options), kind, order),
        guard=text,
        author=NAME,
        support=SUPPORT,
        occupancy=text if asked and not any(takes_arguments(scheme.split) for scheme in schemes) else "",
        functions=copies(kernel, kind),
        redefines=frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"}),
        candidates=candidates(question),
        follows=_followed(schemes[-1]),
    )
    return for_whole_warps(made, kernel)


def _followed(scheme: Scheme) -> frozenset[str]:
    """Shared memory, if a register stands for elements of it: nvcc knows there what was stored."""
    is_kept = scheme.division is not None and scheme.division.kept
    return frozenset({SHARED_MEMORY}) if is_kept else frozenset()


def _considered(one: Considered) -> dict[str, object]:
    """What was found out about CO-VTB, for `gpuopt explain`: the best division, its candidates, and why (not)."""
    found: dict[str, object] = {"chosen": one.chosen, "reason": one.reason}
    if one.scheme is not None:
        found["division"] = _division(one.scheme)
        found["launches"] = [_candidates(verdict) for verdict in one.told]
    return found


def _candidates(one: Verdict) -> dict[str, list[float]]:
    """The predicted gain of every factor and form where loads come from DRAM, and where they meet in L2."""
    return {
        f"{tried.factor} {'pipe' if tried.pipe else 'turns'}": [round(tried.far_gain, 2), round(tried.near_gain, 2)]
        for tried in one.choice.tried
    }


def _division(scheme: Scheme) -> dict[str, object]:
    """What CO-VTB divides, for `gpuopt explain`."""
    division = scheme.division
    assert division is not None
    return {
        "own_arrays": list(division.whole),
        "cut_array": division.cut,
        "own_rows": division.rows,
        "own_bytes": division.own_bytes,
        "common_bytes": scheme.common_bytes,
        "in_registers": sorted(access.text for access in division.kept),
        "regions": [list(region.lines) for region in scheme.use.regions],
    }


def _problem(facts: Facts) -> Refusal | None:
    problem = facts.scheme.use.problem
    return None if problem is None else Refusal(_PROBLEMS[problem.obstacle], problem.reason, problem.place)


def _launches(kernel: Kernel, context: Context, facts: Facts, options: Options) -> Refusal | None:
    """What the launches, regions and phases rule out."""
    macro = crosses_macro(kernel, facts.scheme.use.regions)
    if macro is not None:
        return Refusal(codes.MACRO, "a shared-memory access region begins or ends in a macro or a switch", macro)
    if not is_writable(facts.scheme.split):
        return Refusal(codes.NOT_REWRITABLE, "the kernel's phases cannot be computed at a launch")
    pipes = longest_pipe(own_barriers(kernel, facts.shapes, options), order_of(kernel, facts.scheme.use.regions))
    if options.form == "pipe" and max(2, options.factor) > pipes:
        text = (
            f"a pipe may have {pipes} blocks" if pipes else "some threads return before others, so no order can be told"
        )
        return Refusal(codes.NO_PIPE, text)
    sizes = [shape.threads for shape in facts.shapes]
    most = context.arch.limits.threads_per_block
    if sizes and all(2 * size > most for size in sizes):
        return Refusal(codes.TOO_LARGE, f"two blocks of {sizes[0]} threads are more than {most}")
    return None


def _useless(found: list[Verdict], options: Options) -> Refusal | None:
    """Why no launch is predicted to win enough."""
    if options.factor or not found or any(one.choice.gain >= options.margin for one in found):
        return None
    best = max(found, key=lambda one: one.choice.gain)
    lost = [one.choice.lost for one in found if one.choice.lost is not None]
    worst = max(lost, key=lambda one: one.gain, default=None)
    if worst is not None and worst.gain >= options.margin:
        return Refusal(
            codes.LOSES_IN_L2,
            f"{worst.factor} blocks in one are predicted to gain {worst.far_gain:.2f} where loads come from DRAM, "
            f"but {worst.near_gain:.2f} where they meet in L2: nothing that may lose is chosen",
        )
    resident = best.plain.blocks * best.site.shape.threads
    text = f"{resident} threads are resident beside {best.plain.l1_bytes} B of L1; "
    if best.choice.far_gain >= options.margin:
        text += f"from DRAM loads would gain {best.choice.far_gain:.2f}, but walks by place alone meet in L2: "
    text += f"a gain of {best.choice.gain:.2f} is predicted at most, {options.margin:.2f} is asked for"
    return Refusal(codes.NO_GAIN, text)


def _may_err(found: list[Verdict], options: Options, most: int) -> bool:
    """Whether a measurement may find a gain that the model does not expect.

    It may where loads from DRAM would gain, and where half of the threads that an SM can hold, or fewer, are resident.
    Elsewhere the best versions of most kernels of 18 public programs took 1.2 to 5 times as long as these (H200).
    """
    return any(
        max(one.choice.far_gain, one.choice.lost.far_gain if one.choice.lost is not None else 0) >= options.margin
        or 2 * one.plain.blocks * one.site.shape.threads <= most
        for one in found
    )


def _refused(kernel: Kernel, refusal: Refusal, best: Verdict | None = None) -> Finding:
    word = "left alone" if refusal.code in (codes.NO_GAIN, codes.LOSES_IN_L2) else "not applied"
    figures = {} if best is None else _figures(best)
    return _finding(kernel, Decision.DECLINED, refusal.code, f"{word}: {refusal.reason}", refusal.place, **figures)


def _figures(one: Verdict) -> dict[str, Any]:
    threads = one.site.shape.threads
    return {
        "factor": one.choice.factor,
        "form": _form(one),
        "predicted_gain": round(one.choice.gain, 2),
        "predicted_gain_from_dram": round(one.choice.far_gain, 2),
        "predicted_gain_in_l2": round(one.choice.near_gain, 2),
        "resident_blocks": one.plain.blocks,
        "resident_threads": one.plain.blocks * threads,
        "l1_bytes": one.plain.l1_bytes,
    }


def _form(one: Verdict) -> str:
    if one.choice.factor == 1:
        return "none"
    return ("co, " if one.divided else "") + ("pipe" if one.choice.pipe else "turns")


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
        f"gain {best.choice.gain:.2f} over {figures['resident_threads']} resident threads, "
        f"{best.choice.near_gain:.2f} where loads meet in L2); the launch decides"
    )
    return _finding(kernel, Decision.APPLIED, codes.APPLIED, text, **figures)


def _measured(kernel: Kernel, found: list[Verdict], refusal: Refusal) -> Finding:
    best = max(found, key=lambda one: one.choice.gain, default=None)
    text = (
        f"blocks that take turns, to be measured; the model leaves the kernel alone ({refusal.code}): {refusal.reason}"
    )
    figures = _figures(best) if best is not None else {}
    return _finding(kernel, Decision.APPLIED, codes.MEASURED, text, **figures)


def _regions(kernel: Kernel, context: Context, facts: Facts) -> list[dict[str, object]]:
    """The regions for `gpuopt explain`: lines, arrays, their part of the kernel's time, and the
    statement at their beginning whose side effects keep it whole."""
    source, scheme = context.unit.files[kernel.span.file], facts.scheme
    told: list[dict[str, object]] = []
    for region, fraction in zip(scheme.use.regions, fractions(kernel, context, facts), strict=True):
        one: dict[str, object] = {"lines": list(region.lines), "arrays": list(region.arrays)}
        one["fraction"] = round(fraction, 3)
        kept = kept_in_turn(kernel, source, region, scheme.ahead(kernel, source, region).first, scheme.own)
        if kept is not None and not scheme.plain:
            one["kept_in_turn"] = {"code": codes.KEPT, "line": kept.line, "reason": kept.reason}
        told.append(one)
    return told


def _launch(one: Verdict) -> dict[str, object]:
    """Residency of one launch (table 1 of the paper) and what is predicted for it."""
    shared = one.site.occupancy.shared_per_block
    return {
        "line": one.site.launch.span.line if one.site.launch is not None else 0,
        "threads_per_block": one.site.shape.threads,
        "shared_per_block_bytes": shared,
        "shared_per_sm_bytes": shared * one.plain.blocks,
        "candidates": _candidates(one),
        **_figures(one),
    }
