"""VTB: several blocks become one and take turns on one allocation of shared memory (Yang et al., PACT 2012).

Where shared memory keeps blocks from being resident, or takes L1 away, and only a part of a kernel uses it, one
launched block does the work of several: private phases overlap, shared phases follow each other. docs/vtb.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuopt_driver.api import Context, Kernel, PluginInfo, Proposal, hookimpl

from .codes import EXPLANATIONS, FIGURES, NAME
from .options import Options
from .uses import may_use_shared, not_applicable

if TYPE_CHECKING:
    from .survey import Facts


@hookimpl
def gpuopt_describe() -> PluginInfo:
    """Name, codes and options."""
    return PluginInfo(
        name=NAME,
        summary="lets several blocks take turns on one allocation of shared memory",
        codes=EXPLANATIONS,
        figures=FIGURES,
        options=Options,
    )


@hookimpl
def gpuopt_analyze(kernel: Kernel, context: Context) -> Facts | None:
    """The shared-memory access regions of the kernel and the phases between them."""
    if not may_use_shared(kernel):
        return None
    from .survey import survey  # noqa: PLC0415 - twenty modules for kernels that use shared memory

    return survey(kernel, context)


@hookimpl
def gpuopt_propose(kernel: Kernel, context: Context, facts: Facts | None) -> Proposal:
    """A finding for the kernel, and a version of it where blocks that take turns may pay."""
    if facts is None:
        return not_applicable(kernel, "the kernel does not use shared memory")
    from .propose import propose  # noqa: PLC0415

    return propose(kernel, context, facts)
