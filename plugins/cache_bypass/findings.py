"""What is said of a kernel: code, sentence, figures; and of each of its loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuopt_driver.api import Decision, Finding, Kernel

from .decide import At, Choice, held
from .metrics import Metrics
from .rewrite import NAME


def finding(kernel: Kernel, decision: Decision, code: str, message: str, **figures: Any) -> Finding:
    """A finding at the kernel's name."""
    return Finding.at(kernel.name_span, NAME, kernel.qualified, decision, code, message, **figures)


def figures(choice: Choice) -> dict[str, object]:
    """The numbers behind a choice, with units in their names, and what each method would have chosen."""
    return {
        "source": choice.metrics.source,
        "method": choice.solution.method,
        "note": choice.solution.note,
        "held_bytes": choice.held,
        "kept_bytes": choice.kept,
        "l1_bytes": choice.cache.l1,
        "resident_warps": choice.warps,
        "resident_blocks": choice.blocks,
        "traffic_factor": round(choice.gain, 3),
        "traffic_bytes": {name: round(value) for name, value in sorted(choice.bytes_from_l2.items())},
        "would_bypass": would_bypass(choice.metrics, choice.cached_by),
        "saved_bytes": round(choice.solution.saved),
        "bypassed": sorted(choice.bypassed),
        "loads": load_facts(choice.metrics, choice.bypassed),
        "exact": choice.exact_numbers,
    }


def would_bypass(metrics: Metrics, cached_by: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    """The numbers of the loads that every method would have let past L1."""
    every = {one.index for one in metrics.loads}
    return {name: sorted(every - cached) for name, cached in sorted(cached_by.items())}


def load_facts(metrics: Metrics, bypassed: frozenset[int]) -> list[dict[str, object]]:
    """The loads with the paper's metrics, as JSON."""
    return [
        {
            "load": one.index,
            "text": one.text,
            "line": one.line,
            "column": one.column,
            "accesses": round(one.access),
            "hits": round(one.hit),
            "efficiency_on": round(one.efficiency_on, 4),
            "efficiency_off": round(one.efficiency_off, 4),
            "traffic_on_bytes": round(metrics.traffic_on(one.index)),
            "traffic_off_bytes": round(metrics.traffic_off(one.index)),
            "bypassed": one.index in bypassed,
        }
        for one in metrics.loads
    ]


def tightest(at: At) -> dict[str, object]:
    """The numbers of the launch that holds most, where nothing overflows."""
    most = max(held(one, at.cache) for one in at.counted)
    return {
        "source": "static",
        "held_bytes": most,
        "l1_bytes": at.cache.l1,
        "resident_warps": at.blocks * at.site.shape.warps,
        "resident_blocks": at.blocks,
        "exact": at.site.known,
    }
