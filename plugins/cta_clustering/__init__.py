"""CTA clustering: blocks that share data run together (Li et al., ASPLOS 2017). docs/cta.md.

Reuse between blocks is computed from the polyhedra of the accesses; blocks are redirected to tiles, or agents run the
clusters of their SMs, where a model of L2 says that less comes from memory.
"""

from __future__ import annotations

from gpuopt_driver.api import BlockSurvey, Context, Kernel, PluginInfo, Proposal, block_survey, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS, FIGURES
from .options import Options
from .rewrite import NAME


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="runs blocks that share data together, tile by tile, where that saves memory traffic",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> BlockSurvey:
    """Reuse distances between blocks, direction, class."""
    return block_survey(kernel, context.launches, context.arch.l1.line_bytes, context.arch.l2.sector_bytes)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: BlockSurvey) -> Proposal:
    """One finding per kernel, and a version in another order where that pays."""
    return _propose.propose(kernel, context, facts)
