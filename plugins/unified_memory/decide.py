"""Which division of L1 and shared memory a launch should have: occupancy and hit rate beside each, and a regression.

Perf = b0 + b1 Occ + b2 HitRate + b3 Occ HitRate (Liang et al., TCAD 2015, equation 1), to compare divisions with each
other, or the time that waves of blocks take (`Partition`), where the GPU's file has coefficients for that. `guard.py`
writes the same in C++; a test holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuopt_driver.api import Arch, Context, Kernel, LoopLoads, Partition, Site, l1_reuse, loop_loads, sites

LEAST_HITS = 0.1  # the hit rate must rise by this much: more L1 is what is being bought


@dataclass(frozen=True, slots=True)
class Division:
    """One shared-memory configuration: blocks resident beside it, predicted hit rate and (relative) performance."""

    shared_bytes: int
    l1_bytes: int
    blocks: int
    occupancy: float  # 0 to 1
    hit_rate: float  # 0 to 1, of all loads of the modelled loops
    performance: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The driver's division of a launch and the best one; equal where nothing is better."""

    site: Site
    default: Division
    best: Division

    @property
    def gain(self) -> float:
        """Predicted performance over that of the driver's division."""
        return self.best.performance / self.default.performance if self.default.performance > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Demand:
    """What the resident blocks of an SM ask L1 for and miss in all loops, in sectors; iterations of all loops."""

    asked: float
    missed: float
    iterations: float

    @property
    def hit_rate(self) -> float:
        """0 to 1."""
        return 1 - self.missed / self.asked if self.asked else 0.0


def performance(partition: Partition, occupancy: float, demand: Demand, resident: int, blocks: float | None) -> float:
    """Equation 1 where `blocks` of an SM is not known, else one over their time in waves of `resident`."""
    hits = demand.hit_rate
    if not partition.asked or blocks is None:
        shares = partition.occupancy * occupancy + partition.hit_rate * hits + partition.both * occupancy * hits
        return partition.constant + shares
    waves = math.ceil(blocks / resident - 1e-9)
    parts = (
        partition.wave * demand.iterations * waves,
        partition.missed * demand.missed * blocks / resident,
        partition.asked * demand.asked * waves,
    )
    squares = [part * part for part in parts]
    total = sum(square * square for square in squares)
    return 1 / math.sqrt(math.sqrt(total)) if total else 0.0


def demand_of(
    arch: Arch, loops: Sequence[LoopLoads], counted: Sequence[loop_loads.Counted], blocks: int, l1_bytes: int
) -> Demand:
    """What all loads ask and miss when `blocks` blocks share an L1 of `l1_bytes`."""
    cache = loop_loads.cache_of(arch, max(l1_bytes, 1))
    asked = missed = 0.0
    for item, found in zip(loops, counted, strict=True):
        terms = found.resident(item, blocks).terms
        survives = cache.survives(l1_reuse.footprint(terms, range(len(terms)), cache))
        asked += sum(term.asked for term in terms) * found.trips
        missed += sum(term.misses(survives) for term in terms) * found.trips
    return Demand(asked, missed, sum(found.trips for found in counted))


def counts(arch: Arch, loops: Sequence[LoopLoads], site: Site) -> list[loop_loads.Counted] | None:
    """What the loops touch at a launch, by block; None where that is not known."""
    values = loop_loads.guessed(loops, site.values)
    cache = loop_loads.cache_of(arch, 1)
    counted = [loop_loads.count(item, site.shape, values, cache) for item in loops]
    known = [found for found in counted if found is not None]
    return known if len(known) == len(counted) else None


def divisions(
    arch: Arch,
    partition: Partition,
    loops: Sequence[LoopLoads],
    known: Sequence[loop_loads.Counted],
    site: Site,
    blocks: int,
    *,
    fewer: bool,
) -> Iterator[Division]:
    """Every configuration that holds a block (all that are wanted, unless `fewer` may be resident), ascending."""
    each = site.occupancy.shared_per_block
    if not each:
        return
    grid = [site.values[f"gridDim.{axis}"] for axis in "xyz"]
    of_sm = math.prod(grid) / arch.sms if site.known else None
    for shared in arch.shared.configurations:
        resident = min(blocks, shared // each)
        if resident < (1 if fewer else blocks):
            continue
        l1 = int(arch.l1_bytes(shared) * arch.l1.usable_fraction)
        share = resident * site.shape.warps / arch.limits.warps_per_sm
        demand = demand_of(arch, loops, known, resident, l1)
        worth = performance(partition, share, demand, resident, of_sm)
        yield Division(shared, l1, resident, share, demand.hit_rate, worth)


def decide(
    kernel: Kernel, context: Context, partition: Partition, loops: Sequence[LoopLoads], *, fewer: bool
) -> Verdict | None:
    """The launch (and residency, where the grid is not known) where most is to be gained; None without one."""
    best: Verdict | None = None
    given = context.resources
    for site in sites(
        kernel,
        context.launches,
        context.arch,
        registers=given.registers,
        static_shared_bytes=given.static_shared_bytes,
    ):
        most = site.occupancy.blocks
        known = counts(context.arch, loops, site)
        if known is None:
            continue
        for blocks in (most,) if site.known else range(most, 0, -1):
            found = list(divisions(context.arch, partition, loops, known, site, blocks, fewer=fewer))
            default = next((one for one in found if one.shared_bytes == site.occupancy.shared_configuration), None)
            if default is None:
                continue
            chosen = max(found, key=lambda one: (one.performance, one.blocks, -one.shared_bytes))
            if chosen.hit_rate < default.hit_rate + LEAST_HITS:
                chosen = default
            verdict = Verdict(site, default, chosen)
            if best is None or verdict.gain > best.gain:
                best = verdict
    return best
