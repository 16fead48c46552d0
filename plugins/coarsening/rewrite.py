"""The versions: kernels whose threads run their body once for each of several blocks of the program."""

from __future__ import annotations

from gpuopt_driver.api import Kernel, Variant, repeated_edits, virtual_copies

from .support import SUPPORT

NAME = "coarsening"
BUILTINS = ("blockIdx", "gridDim")  # threadIdx and blockDim are the launch's own
_SCOPE = f"gpuopt_rt::plugin_{NAME}"


def variant(kernel: Kernel, factor: int, *, is_measured: bool) -> Variant:
    """The version of one factor."""
    place = f"::{_SCOPE}::place<{factor}>"
    leave = "if (!gpuopt_at.exists) return; "
    return Variant(
        kernel=kernel.usr,
        name=f"{NAME}{factor}",
        edits=repeated_edits(kernel, place, NAME, factor, leave, BUILTINS),
        guard="  return false;" if is_measured else f"  return {_SCOPE}::coarse(gpuopt_l, gpuopt_c, {factor});",
        author=NAME,
        support=SUPPORT,
        functions=virtual_copies(kernel, place, NAME, BUILTINS),
        redefines=frozenset(BUILTINS),
        candidates=f"  {_SCOPE}::offer(gpuopt_l, gpuopt_o, {factor});" if is_measured else "",
        only_measured=is_measured,
    )
