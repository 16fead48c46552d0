"""The version: a kernel in which threads and blocks are those of the program's launch, and the guards of it."""

from __future__ import annotations

from gpuopt_driver.api import Kernel, Variant, virtual_copies, virtual_edits

from .options import Options
from .support import SUPPORT

NAME = "launch_shape"
_SCOPE = f"gpuopt_rt::plugin_{NAME}"
_PLACE = f"::{_SCOPE}::place"


def variant(kernel: Kernel, options: Options) -> Variant:
    """The version that launches of other block sizes run."""
    is_measured = options.form == "auto"
    picks = f"{_SCOPE}::{options.form}(gpuopt_l, gpuopt_c, {options.factor.bit_length() - 1}) > 0"
    return Variant(
        kernel=kernel.usr,
        name=NAME,
        edits=virtual_edits(kernel, _PLACE, NAME, leave="if (!gpuopt_at.exists) return; "),
        guard="  return false;" if is_measured else f"  return {picks};",
        author=NAME,
        support=SUPPORT,
        functions=virtual_copies(kernel, _PLACE, NAME),
        redefines=frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"}),
        candidates=f"  {_SCOPE}::offer(gpuopt_l, gpuopt_o);" if is_measured else "",
        only_measured=is_measured,
    )
