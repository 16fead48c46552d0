"""Coarsening: a thread computes what several of the program's threads compute. docs/coarsening.md.

Blocks that are neighbours along x of the grid become one of the same size, whose threads run the kernel's body once for
each of them; or threads do the work of their neighbours, whose elements they load and store as vectors. Whether that
pays is measured in the program's own run: no model knows.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS
from .options import Options
from .rewrite import NAME


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="has a thread do the work of two or four, of blocks or of neighbours, where that is measured to pay",
        codes=EXPLANATIONS,
        options=Options,
    )


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding per kernel, and a version for each factor."""
    return _propose.propose(kernel, context)
