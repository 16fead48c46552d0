"""CTA mapping: whole rows or columns of blocks on one SM, along the direction of reuse (Liu et al.). docs/cta.md.

The direction follows from the polyhedra of the accesses (algorithm 1), the balanced assignment from algorithm 3. In the
emulator it is the register that the paper proposes; on a GPU, which has none, agents do it where the policy asks.
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
        summary="puts whole rows or columns of blocks that share data on one SM",
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
    """One finding per kernel, and a version that is mapped along its direction."""
    return _propose.propose(kernel, context, facts)
