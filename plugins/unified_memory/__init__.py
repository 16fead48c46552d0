"""Unified memory: the division of an SM's memory into L1 and shared memory, per kernel and launch (TCAD 2015).

Occupancy and predicted hit rate beside every division go into the GPU's regression; where the best one promises enough,
a version of the kernel runs with that carve-out. docs/unified-memory.md.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS, FIGURES
from .guard import NAME
from .options import Options
from .predict import Survey


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="gives kernels that use shared memory the carve-out that suits what they keep in L1",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
        anywhere=_propose.reaches,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> Survey:
    """The loops that make loads."""
    return _propose.analyze(kernel, context)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: Survey) -> Proposal:
    """A finding for the kernel, and a version of it where another carve-out pays."""
    return _propose.propose(kernel, context, facts)
