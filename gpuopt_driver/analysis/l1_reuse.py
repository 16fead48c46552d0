"""What a loop costs at a launch when some of its loads go past L1: lines held, reuse that survives, bytes from L2.

The footprint is that of CATT (lines that all resident warps touch between two iterations); what one beyond L1 costs
depends on how the GPU replaces lines. Guards compute the same in C++ (`guard_loads`); a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gpuopt_driver.dataclass import dataclass

# The reuse that is left, by the lines held relative to L1. For a policy that protects lines used twice: read off row
# walks beside streams on an H200 (benchmarks/bypass/walks.cu: losses begin before L1 is full, as sets fill unevenly).
# An LRU cache loses a cycle of lines all at once, so others fall to 0 within CATT's margin.
SURVIVAL = {
    "segmented": ((0.9, 1.0), (1.0, 0.9), (1.13, 0.6), (1.3, 0.2), (1.5, 0.0)),
    "": ((1.0, 1.0), (1.25, 0.0)),
}
INVARIANT = 1 << 20  # visits of an address that does not change in the loop


@dataclass(frozen=True, slots=True)
class Cache:
    """The L1 of one launch. Sizes in bytes: `fetch` is what a miss brings, `past` the unit of loads that go past it."""

    l1: int
    line: int
    fetch: int
    past: int
    survival: tuple[tuple[float, float], ...]

    def survives(self, footprint: float) -> float:
        """The part of the reuse that is left at a footprint (bytes)."""
        ratio = footprint / self.l1
        low = self.survival[0]
        if ratio <= low[0]:
            return low[1]
        for high in self.survival[1:]:
            if ratio <= high[0]:
                return low[1] + (high[1] - low[1]) * (ratio - low[0]) / (high[0] - low[0])
            low = high
        return low[1]


@dataclass(frozen=True, slots=True)
class Term:
    """One load of a loop per iteration, over all resident warps.

    `lines` and `fetched` are the distinct lines and units of `fetch` bytes that no load before it touches; `asked` and
    `past` the units of `fetch` and of `past` bytes that the warps ask for one by one, `useful` the bytes they want.
    `visits` says how many iterations ask for the same unit.
    """

    lines: int
    fetched: int
    asked: int
    past: int
    useful: int
    visits: int

    def misses(self, survives: float, batch: int = 1, within: float = 1.0) -> float:
        """Units fetched per iteration: once each, and again for the visits whose line was lost.

        The visits of `batch` iterations are made together; of the reuse among them `within` survives.
        """
        batches = -(-self.visits // batch)
        again = (batches - 1) * (1 - survives) + (self.visits - batches) * (1 - within)
        return self.fetched * (1 + again) / self.visits


def visits_of(unit: int, step: int) -> int:
    """How many iterations ask for the same unit of `unit` bytes, `step` bytes apart.

    Loads that are issued together count one by one: walks with sums in registers gained as much from bypassing.
    """
    return max(1, -(-unit // abs(step))) if step else INVARIANT


def footprint(terms: Sequence[Term], cached: Collection[int], cache: Cache) -> int:
    """Bytes of L1 that the cached loads hold between two iterations."""
    return sum(terms[index].lines for index in cached) * cache.line


def traffic(terms: Sequence[Term], cached: Collection[int], cache: Cache) -> float:
    """Bytes from L2 per iteration when these loads are cached and the others go past L1."""
    survives = cache.survives(footprint(terms, cached, cache))
    found = 0.0
    for index, term in enumerate(terms):
        if index in cached:
            found += term.misses(survives) * cache.fetch
        else:
            found += term.past * cache.past * (1 if term.visits < INVARIANT else 1 / INVARIANT)
    return found
