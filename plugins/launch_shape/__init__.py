"""Launch shape: blocks of another size for kernels whose threads do nothing together. docs/launch-shape.md.

Blocks are split or joined; every thread sees the indices and sizes of the program's launch. Which shape is fastest is
measured in the program's own run: no model knows.
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
        summary="splits or joins blocks of threads that do nothing together, where that is measured to pay",
        codes=EXPLANATIONS,
        options=Options,
    )


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context) -> Proposal:
    """One finding per kernel, and a version that may have blocks of other sizes."""
    return _propose.propose(kernel, context)
