"""What a division of L1 and shared memory promises a launch: blocks, hit rate, and performance by a regression.

Perf = b0 + b1 Occ + b2 HitRate + b3 Occ HitRate (Liang et al., TCAD 2015, equation 1), to compare divisions with each
other, or the time that waves of blocks take, or instructions over Occ and what misses (`Partition`), where the GPU's
file has coefficients for that. `guard.py` writes the same in C++; a test holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field

from gpuopt_driver.api import Arch, LoopLoads, Partition, Site, Work, dataclass, l1_reuse, loop_loads, loop_work

LEAST_PERFORMANCE = 0.01  # of the best division's: equation 1, a line, may say less than nothing


@dataclass(frozen=True, slots=True)
class Division:
    """One shared-memory configuration: blocks resident beside it, predicted hit rate and (relative) performance."""

    shared_bytes: int
    l1_bytes: int
    blocks: int
    occupancy: float  # 0 to 1
    hit_rate: float  # 0 to 1, of all loads of the modelled loops
    performance: float
    waves: int  # of blocks, one after another on an SM; 0: there are no coefficients for their time


@dataclass(frozen=True, slots=True)
class Survey:
    """The loops of a kernel that make loads, and what it executes in and around them."""

    loops: tuple[LoopLoads, ...]
    work: Work


@dataclass(frozen=True, slots=True)
class Demand:
    """What the resident blocks of an SM ask L1 for and miss in all loops, in sectors; iterations of all loops.

    `instructions`: of one warp.
    """

    asked: float
    missed: float
    iterations: float
    instructions: float

    @property
    def hit_rate(self) -> float:
        """0 to 1."""
        return 1 - self.missed / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """What the loops of a kernel touch at a launch, by block, and the instructions of one of its warps.

    `resident` (by blocks) and `demands` (by blocks and bytes of L1) hold what was found for it before.
    """

    loops: tuple[loop_loads.Counted, ...]
    instructions: float
    resident: dict[int, tuple[loop_loads.Counted, ...]] = field(default_factory=dict, compare=False)
    demands: dict[tuple[int, int], Demand] = field(default_factory=dict, compare=False)


def by_instructions(partition: Partition) -> bool:
    """Whether a GPU's divisions are compared by the instructions and the misses of a launch."""
    return partition.instruction > 0 and not partition.asked


def waves_of(blocks: float, resident: int) -> int:
    """How often `resident` blocks take turns on an SM that runs `blocks`."""
    return math.ceil(blocks / resident - 1e-9)


def performance(arch: Arch, demand: Demand, share: float, resident: int, blocks: float) -> float:
    """One over the time of an SM's `blocks` in waves of `resident`; equation 1 without coefficients for that.

    `share`: occupancy, 0 to 1.
    """
    hits = demand.hit_rate
    partition = arch.partition
    assert partition is not None, "asked before"
    if by_instructions(partition):  # `hidden`: for blocks that fill the SM
        hidden = partition.instruction * demand.instructions * arch.limits.warps_per_sm
        time = (hidden + partition.sector * demand.missed) * blocks / resident
        return 1 / time if time else 0.0
    if not partition.asked:
        shares = partition.occupancy * share + partition.hit_rate * hits + partition.both * share * hits
        return max(partition.constant + shares, LEAST_PERFORMANCE)
    waves = waves_of(blocks, resident)
    parts = (
        partition.wave * demand.iterations * waves,
        partition.missed * demand.missed * blocks / resident,
        partition.asked * demand.asked * waves,
    )
    squares = [part * part for part in parts]
    total = sum(square * square for square in squares)
    return 1 / math.sqrt(math.sqrt(total)) if total else 0.0


def demand_of(arch: Arch, loops: Sequence[LoopLoads], counted: Counts, blocks: int, l1_bytes: int) -> Demand:
    """What all loads ask and miss when `blocks` blocks share an L1 of `l1_bytes`.

    Loads that are issued together need room for what is on its way alone (sectors); from one such batch to the next,
    lines must stay.
    """
    known = counted.demands.get((blocks, l1_bytes))
    if known is not None:
        return known
    if blocks not in counted.resident:
        several = (found.resident(item, blocks) for item, found in zip(loops, counted.loops, strict=True))
        counted.resident[blocks] = tuple(several)
    cache = loop_loads.cache_of(arch, max(l1_bytes, 1))
    asked = missed = 0.0
    for item, found in zip(loops, counted.resident[blocks], strict=True):
        terms = found.terms
        survives = cache.survives(l1_reuse.footprint(terms, range(len(terms)), cache))
        within = max(survives, cache.survives(sum(term.fetched for term in terms) * cache.fetch))
        asked += sum(term.asked for term in terms) * found.trips
        for term, one in zip(terms, item.loads, strict=True):
            missed += term.misses(survives, one.reference.batch, within) * found.trips
    demand = Demand(asked, missed, sum(found.trips for found in counted.loops), counted.instructions)
    counted.demands[blocks, l1_bytes] = demand
    return demand


def counts(arch: Arch, survey: Survey, site: Site) -> Counts | None:
    """What a launch asks for; None where that is not known."""
    values = loop_loads.guessed(survey.loops, site.values)
    cache = loop_loads.cache_of(arch, 1)
    counted = [loop_loads.count(item, site.shape, values, cache) for item in survey.loops]
    known = tuple(found for found in counted if found is not None)
    if len(known) < len(counted):
        return None
    return Counts(known, loop_work.instructions(survey.work, [found.trips for found in known], values))


def divisions(
    arch: Arch, loops: Sequence[LoopLoads], known: Counts, site: Site, blocks: int, *, fewer: bool
) -> Iterator[Division]:
    """Every configuration that holds a block (all that are wanted, unless `fewer` may be resident), ascending.

    A grid that is not known is taken for one of `blocks` blocks on every SM.
    """
    grid = [site.values[f"gridDim.{axis}"] for axis in "xyz"]
    of_sm = math.prod(grid) / arch.sms if site.known else float(blocks)
    each = site.occupancy.shared_per_block
    for shared in arch.shared.configurations:
        resident = min(blocks, shared // each) if each else blocks
        if resident < (1 if fewer else blocks):
            continue
        l1 = int(arch.l1_bytes(shared) * arch.l1.usable_fraction)
        share = resident * site.shape.warps / arch.limits.warps_per_sm
        demand = demand_of(arch, loops, known, resident, l1)
        worth = performance(arch, demand, share, resident, of_sm)
        waves = waves_of(of_sm, resident) if arch.partition and arch.partition.asked else 0
        yield Division(shared, l1, resident, share, demand.hit_rate, worth, waves)
