"""One way of sharing: where turns are taken, what that costs, and how shared memory is divided for it (CO-VTB)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuopt_driver.api import Access, Declared, Division, SharedUse, Split

from .staging import none_first, nowhere


@dataclass(frozen=True, slots=True)
class Scheme:
    """The regions and the phases they make. `division` None: everything is shared in turns (VTB, VTB_pipe).

    `own` says whether an access stays in the virtual block's own memory, `before` in how many of a loop's first
    iterations it does; `common_bytes` are static ones that turns are taken on.
    """

    use: SharedUse
    split: Split
    division: Division | None = None
    declared: tuple[Declared, ...] = ()
    common_bytes: int = 0
    own: Callable[[Access], bool] = nowhere
    before: Callable[[Access], int | None] = none_first

    @property
    def own_bytes(self) -> int:
        """What each virtual block has of its own."""
        return self.division.own_bytes if self.division is not None else 0
