"""What is said of a loop: code, sentence, figures."""

from __future__ import annotations

from typing import Any

from gpuopt_driver.api import Decision, Finding, counted, expr

from . import codes
from .decide import Outcome
from .judge import Judged, Task
from .place import Refusal
from .rewrite import NAME
from .survey import LoopFacts, requests

_DECLINED = {
    Outcome.FITS: codes.FITS,
    Outcome.MARGIN: codes.MARGIN,
    Outcome.NO_LOCALITY: codes.NO_LOCALITY,
    Outcome.NEVER_FITS: codes.NEVER_FITS,
    Outcome.FEW_TRIPS: codes.FEW_TRIPS,
    Outcome.NOT_MODELLED: codes.NOT_MODELLED,
    Outcome.OUTER: codes.OUTER,
}


def finding(
    task: Task, decision: Decision, code: str, message: str, facts: LoopFacts | None = None, **figures: Any
) -> Finding:
    """A finding at the loop, or at the kernel's name where there is none."""
    span = task.kernel.stmt(facts.loop.stmt).span if facts is not None else task.kernel.name_span
    return Finding.at(span, NAME, task.kernel.qualified, decision, code, message, **figures)


def _figures(task: Task, item: Judged) -> dict[str, object]:
    """The numbers behind a verdict, with units in their names."""
    site, verdict = item.site, item.verdict
    figures: dict[str, object] = {"model": "sectored" if task.rules.sectored else "paper"}
    if site is None:
        return figures
    warps, blocks = site.shape.warps, site.occupancy.blocks
    figures.update(
        footprint_bytes=verdict.footprint,
        l1_bytes=verdict.l1_bytes,
        requests_per_warp=requests(item.facts, task.rules, site),
        resident_warps=site.occupancy.warps,
        resident_blocks=blocks,
        limiter=" ".join(site.occupancy.limiters),
        registers_assumed=site.occupancy.registers_assumed,
        shared_configuration_bytes=site.occupancy.shared_configuration,
        n=verdict.n,
        m=verdict.m,
        tlp=[warps // verdict.n, blocks - verdict.m],
        exact=item.exact,
    )
    if site.launch is not None:
        figures["launch_line"] = site.launch.span.line
    return figures


def declined(task: Task, item: Judged) -> Finding:
    """Why the model leaves a loop alone."""
    site, code = item.site, _code(item)
    if site is not None and site.occupancy.blocks == 0:
        reason = "no block of this launch fits an SM"
        return finding(task, Decision.DECLINED, codes.NOT_MODELLED, f"left alone: {reason}", item.facts)
    message = f"left alone: {_why(task, item, code)}"
    return finding(task, Decision.DECLINED, code, message, item.facts, **_figures(task, item))


def _code(item: Judged) -> str:
    """The code of the reason for which the model leaves a loop alone."""
    code = _DECLINED[item.verdict.outcome]
    return codes.NEVER_EXCEEDS if code == codes.FITS and not item.exact else code


def _why(task: Task, item: Judged, code: str) -> str:
    """The reason behind a code, with its numbers."""
    size, l1 = f"footprint {item.verdict.footprint} B", f"L1 {item.verdict.l1_bytes} B"
    by_data = any(one.irregular for one in item.facts.references)
    least = " (a line per warp where data decides)" if by_data else ""
    if code == codes.MARGIN:
        return f"{size}, {l1}: {_margin(task, item)}"
    if code == codes.OUTER and not task.rules.sectored:
        return "the loop around it fits at no TLP"
    return {
        codes.FITS: f"{size}{least} fits {l1}",
        codes.NEVER_EXCEEDS: f"{size}{least or ' at most'}, fits {l1} at any launch",
        codes.NO_LOCALITY: "no iteration finds the lines of the one before",
        codes.NEVER_FITS: f"{size} exceeds {l1} at the smallest TLP too",
        codes.FEW_TRIPS: f"fewer than {task.rules.minimum_trips} iterations",
        codes.NOT_MODELLED: "trip count or addresses depend on data, or are not affine",
        codes.OUTER: "its reuse lies a whole inner loop back",
    }[code]


def _margin(task: Task, item: Judged) -> str:
    """What a footprint between L1 and the margin means."""
    verdict = item.verdict
    rate = verdict.footprint / verdict.l1_bytes
    if verdict.margin == task.rules.margin:
        return f"{rate:.2f} times is within the margin of {verdict.margin / 1000:g}"
    batch = max(one.batch for one in item.facts.references)
    return (
        f"the loads of {batch} iterations are issued together, so {rate:.2f} times costs nothing "
        f"(margin {verdict.margin / 1000:g})"
    )


def refused(task: Task, item: Judged, refusal: Refusal) -> Finding:
    """Why a loop that should be throttled is not."""
    return finding(
        task, Decision.DECLINED, refusal.code, f"left alone: {refusal.reason}", item.facts, **_figures(task, item)
    )


def applied(task: Task, item: Judged) -> Finding:
    """What is done about a loop."""
    verdict, site = item.verdict, item.site
    assert site is not None
    figures = _figures(task, item)
    if task.options.fixed_tlp:
        warps, blocks = (*task.options.fixed_tlp, 0)[:2]
        each = counted(warps, "warp") if warps else "all warps"
        held = counted(blocks, "block") if blocks else "all blocks"
        message = f"{each} per block and {held} at a time, as the policy asks"
        figures["tlp"] = [warps or site.shape.warps, blocks or site.occupancy.blocks]
        return finding(task, Decision.APPLIED, codes.FIXED, message, item.facts, **figures)
    if not item.wanted:
        figures.update(n=None, m=None, tlp=None)
        code = _code(item)
        what = "fewer resident blocks" if item.is_unknown else "groups of warps"
        message = f"{what} to be measured; the model leaves the loop alone ({code}): {_why(task, item, code)}"
        return finding(task, Decision.APPLIED, codes.MEASURED, message, item.facts, **figures)
    if verdict.outcome is Outcome.UNKNOWN:
        figures.update(n=None, m=None, tlp=None)
        message = f"groups of warps chosen at launch: footprint up to {verdict.footprint} B, L1 {verdict.l1_bytes} B"
        return finding(task, Decision.APPLIED, codes.AT_LAUNCH, message, item.facts, **figures)
    warps, blocks = site.shape.warps, site.occupancy.blocks
    head = f"{warps // verdict.n} of {warps} warps at a time"
    if verdict.m:
        head += f", {blocks - verdict.m} of {blocks} blocks"
    message = f"{head}: footprint {verdict.footprint} B > L1 {verdict.l1_bytes} B"
    code = codes.BLOCKS if verdict.m else codes.WARPS
    return finding(task, Decision.APPLIED, code, message, item.facts, **figures)


def loop_facts(item: Judged) -> dict[str, object]:
    """A loop's references as JSON facts."""

    def text(value: object) -> str | None:
        return None if value is None else expr.to_text(value)  # type: ignore[arg-type]

    return {
        "line": item.facts.line,
        "trips": text(item.facts.trips),
        "references": [
            {
                "text": one.text,
                "array": one.array,
                "line": one.line,
                "offset_bytes": text(one.offset),
                "step_bytes": text(one.step),
                "irregular": one.irregular,
                "batch": one.batch,
            }
            for one in item.facts.references
        ],
    }
