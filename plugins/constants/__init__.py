"""Constants: numbers that launches in the same file give at compile time are constants of a version. docs/constants.md.

The guard compares every one of them, so a version is launched where they have exactly these values and nowhere else.
"""

from __future__ import annotations

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from . import known as _known
from . import propose as _propose
from .codes import EXPLANATIONS, FIGURES
from .known import Known
from .options import Options
from .rewrite import NAME


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="compiles kernels for the block sizes, grid sizes and arguments that their launches give as constants",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> tuple[Known, ...]:
    """What the launches in this file are known to have."""
    return _known.known(kernel, context.launches)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: tuple[Known, ...]) -> Proposal:
    """One finding per kernel, and versions for the most promising launches."""
    return _propose.propose(kernel, context, facts)
