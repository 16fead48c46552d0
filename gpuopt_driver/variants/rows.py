"""Versions of which a launch must have rows of threads that are whole warps."""

from __future__ import annotations

from dataclasses import replace

from gpuopt_driver.analysis.exits import row_condition
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.variants.model import Variant


def for_whole_warps(variant: Variant, kernel: Kernel) -> Variant:
    """The version for launches in which all of a warp comes to the kernel's operations of warps (`missed`)."""
    condition = row_condition(kernel)
    if not condition:
        return variant
    before = f"\n  if (!({condition})) return false;  // else parts of a warp may wait for others\n"
    return replace(
        variant,
        guard=variant.guard if variant.only_measured else before + variant.guard,
        candidates=before + variant.candidates if variant.candidates else "",
        occupancy=before + variant.occupancy if variant.occupancy else "",
    )
