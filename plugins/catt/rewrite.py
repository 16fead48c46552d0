"""The rewrite: statements run by one group of warps after the other, the number of groups read from the plan."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Edit, Kernel

from .place import Place

NAME = "catt"


def edits(kernel: Kernel, places: Sequence[Place]) -> tuple[Edit, ...]:
    """Wrap each place in a loop over groups; the k-th place reads `gpuopt_plan.n[k]`. Places are in source order.

    Everything goes onto lines that exist. With one group there is no barrier, so a launch that needs groups for
    another loop only pays nothing here.
    """
    made: list[Edit] = []
    for slot, place in enumerate(places):
        groups, turn = f"gpuopt_plan.n[{slot}]", f"gpuopt_g{slot}"
        before = (
            f" for (unsigned {turn} = 0; {turn} < {groups}; ++{turn}) {{ "
            f"if (::gpuopt_rt::warp_group({groups}) == {turn}) {{"
        )
        after = f" }} if ({groups} > 1) __syncthreads(); }}"
        made.extend(Edit.around(kernel.span.file, (place.start, place.end), (before, after), NAME))
    return tuple(made)
