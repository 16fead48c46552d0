"""Accumulators: what a loop adds up in memory is added up in a register, where nothing else of the loop can be there.

`y[i] += a[i * n + j] * x[j]` loads and stores y[i] in every iteration, as y might be a or x: a compiler cannot know.
Each launch can: the bytes that each pointer is used for follow from its arguments. docs/accumulators.md.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import propose as _propose
from .codes import EXPLANATIONS
from .rewrite import NAME


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name and codes."""
    return PluginInfo(
        name=NAME,
        summary="keeps sums in registers that loops add up in memory, where a launch shows that nothing else is there",
        codes=EXPLANATIONS,
    )


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding per kernel, and a version of it where sums can be kept in registers."""
    return _propose.propose(kernel, context)
