"""CATT: throttle warps and blocks around loops whose footprint exceeds L1 (Kim et al., ICPP 2019).

Per loop, the cache lines that the resident warps touch between two iterations are counted; where they exceed L1, the
warps of a block run the loop in groups, and where that does not suffice fewer blocks are resident. docs/catt.md.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS, FIGURES
from .options import Options
from .rewrite import NAME
from .survey import LoopFacts


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="runs the warps of a block in groups where a loop's footprint exceeds L1",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> tuple[LoopFacts, ...]:
    """The loops of the kernel, their references and trip counts."""
    return _propose.analyze(kernel, context)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: tuple[LoopFacts, ...]) -> Proposal:
    """Findings for every loop, and a version of the kernel where throttling pays."""
    return _propose.propose(kernel, context, facts)
