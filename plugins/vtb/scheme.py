"""One way of sharing: where turns are taken, what that costs, and how shared memory is divided for it (CO-VTB)."""

from __future__ import annotations

from collections.abc import Callable

from gpuopt_driver.api import Access, Declared, Division, Kernel, Region, SharedUse, SourceFile, Split, dataclass

from .leading import Leading, leading
from .opening import Opening, opening
from .staging import Before, Staged, distant, no_iterations, none_first, nowhere, staged, stores
from .statements import Own


@dataclass(frozen=True, slots=True)
class Ahead:
    """Before a turn: what its first statements store, a peeled loop's loads, a loop's iterations that need no turn."""

    first: tuple[Staged, ...] = ()
    later: Staged | None = None
    leads: Leading | None = None
    opens: Opening | None = None

    def stores(self) -> frozenset[int]:
        """The statements whose loads and arithmetic come before the turn."""
        return stores((*self.first, self.later) if self.later is not None else self.first)

    def iterations(self) -> dict[int, int]:
        """The loops (statements) of which so many first iterations need no turn."""
        found = {one.stmt: one.halves.first for one in self.first if one.halves is not None and one.halves.first}
        return found | {one.stmt: one.iterations for one in (self.leads, self.opens) if one is not None}


def ahead_of(
    kernel: Kernel,
    source: SourceFile,
    region: Region,
    own: Own = nowhere,
    before: Before = none_first,
    spare: int = 0,
    opens: Callable[[int], int] = no_iterations,
) -> Ahead:
    """What of a region can be done before its turn, where the accesses `own` and iterations `before` need none.

    `opens`: how many first iterations of a loop (statement) are about own rows alone.

    `spare`: registers of a thread that nothing else needs.
    """
    first = staged(kernel, source, region, own, before)
    begins = opening(kernel, source, region, opens) if not first else None
    if begins is not None:
        return Ahead(opens=begins)
    leads = leading(kernel, source, region, first, own, before)
    left = max(0, spare - sum(one.values for one in first))
    later = distant(kernel, source, region, first, own, left) if leads is None else None
    return Ahead(first, later, leads)


@dataclass(frozen=True, slots=True)
class Scheme:
    """The regions and the phases they make. `division` None: everything is shared in turns (VTB, VTB_pipe).

    `own` says whether an access stays in the virtual block's own memory, `before` in how many of a loop's first
    iterations it does, `opens` in how many of a loop's all is; `common_bytes` are static ones that turns are taken on;
    `spare` registers of a thread are left to hold values for turns. `plain`: nothing is done ahead of turns. `reused`:
    no turn is left, as own rows take between this loop's iterations what registers hold.
    """

    use: SharedUse
    split: Split
    division: Division | None = None
    declared: tuple[Declared, ...] = ()
    common_bytes: int = 0
    own: Callable[[Access], bool] = nowhere
    before: Callable[[Access], int | None] = none_first
    spare: int = 0
    opens: Callable[[int], int] = no_iterations
    plain: bool = False
    reused: Opening | None = None

    @property
    def own_bytes(self) -> int:
        """What each virtual block has of its own."""
        return self.division.own_bytes if self.division is not None else 0

    def ahead(self, kernel: Kernel, source: SourceFile, region: Region) -> Ahead:
        """What of a region is done before its turn."""
        return (
            Ahead() if self.plain else ahead_of(kernel, source, region, self.own, self.before, self.spare, self.opens)
        )
