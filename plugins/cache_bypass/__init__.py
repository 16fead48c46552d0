"""Cache bypassing: loads that would only throw others out of L1 go past it (Liang et al., TCAD 2015).

Per kernel, a graph holds what caching each load saves in L2 traffic and what pairs of loads save or cost each other;
its best subset is cached, the rest gets the GPU's cache operator, where L1 overflows. docs/cache-bypass.md.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS, FIGURES
from .options import Options
from .rewrite import NAME
from .static import Loads


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="lets loads go past L1 that would throw out what other loads find again",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> tuple[Loads, ...]:
    """The loops that make loads, and which of these may go past L1."""
    return _propose.analyze(kernel, context)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: tuple[Loads, ...]) -> Proposal:
    """A finding for the kernel, and a version of it where bypassing pays."""
    return _propose.propose(kernel, context, facts)
