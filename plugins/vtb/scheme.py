"""One way of sharing: where turns are taken, what that costs, and how shared memory is divided for it (CO-VTB)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuopt_driver.api import Access, Declared, Division, Kernel, Region, SharedUse, SourceFile, Split

from .staging import Staged, distant, none_first, nowhere, staged


@dataclass(frozen=True, slots=True)
class Scheme:
    """The regions and the phases they make. `division` None: everything is shared in turns (VTB, VTB_pipe).

    `own` says whether an access stays in the virtual block's own memory, `before` in how many of a loop's first
    iterations it does; `common_bytes` are static ones that turns are taken on. `plain`: nothing is done ahead of turns.
    """

    use: SharedUse
    split: Split
    division: Division | None = None
    declared: tuple[Declared, ...] = ()
    common_bytes: int = 0
    own: Callable[[Access], bool] = nowhere
    before: Callable[[Access], int | None] = none_first
    plain: bool = False

    @property
    def own_bytes(self) -> int:
        """What each virtual block has of its own."""
        return self.division.own_bytes if self.division is not None else 0

    def ahead(self, kernel: Kernel, source: SourceFile, region: Region) -> tuple[tuple[Staged, ...], Staged | None]:
        """What of a region is done before its turn: of its first statements, and of a loop further on."""
        if self.plain:
            return (), None
        first = staged(kernel, source, region, self.own, self.before)
        return first, distant(kernel, source, region, first, self.own)
