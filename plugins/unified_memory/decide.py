"""Which division of L1 and shared memory a launch should have: occupancy and hit rate beside each, and a regression.

Perf = b0 + b1 Occ + b2 HitRate + b3 Occ HitRate (Liang et al., TCAD 2015, equation 1), to compare divisions with each
other, or the time that waves of blocks take, or instructions over Occ and what misses (`Partition`), where the GPU's
file has coefficients for that. `guard.py` writes the same in C++; a test holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gpuopt_driver.api import (
    Arch,
    BlockUse,
    Context,
    Kernel,
    LoopLoads,
    Partition,
    Site,
    Work,
    expr,
    l1_reuse,
    loop_loads,
    loop_work,
    occupancy,
    sites,
)

LEAST_HITS = 0.05  # by how much the hit rate must be able to rise: more L1 is what is being bought
GUESSED_SHARED = (8192, 24576, 40960)  # bytes
ROOMIER = 1.5  # times as much L1 is worth a version where it costs nothing, whatever is predicted of its hits
LEAST_PERFORMANCE = 0.01  # of the best division's: equation 1, a line, may say less than nothing
TIED = 0.95  # divisions whose predicted performance is that close to the best one's are tied: the fewest waves win


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
class Verdict:
    """The driver's division of a launch and the one chosen; equal where nothing is better by enough.

    `promised` is the best predicted performance of any division over that of the driver's.
    """

    site: Site
    default: Division
    best: Division
    promised: float

    @property
    def gain(self) -> float:
        """Predicted performance over that of the driver's division."""
        return _over(self.best, self.default)


def _over(one: Division, other: Division) -> float:
    return one.performance / other.performance if other.performance > 0 else 1.0


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


def choose(found: Sequence[Division], default: Division, minimum_gain: float, *, fixed: bool = False) -> Division:
    """The division that a launch should have, of `found`; the driver's where nothing is better by enough.

    The largest L1 that costs no wave of blocks takes nothing from anyone, so it is taken wherever hits can be lost
    (`fixed`: wherever there is one, see `is_fixed`), if it is larger by half. More waves (where they are not known:
    fewer resident blocks) must promise `minimum_gain` over that, and hits.
    """

    def costs(one: Division) -> bool:
        return one.waves > default.waves or (not default.waves and one.blocks < default.blocks)

    base = default
    if fixed or default.hit_rate < max(one.hit_rate for one in found) - LEAST_HITS:
        base = roomiest([one for one in found if not costs(one)], default)
    more = [one for one in found if costs(one) and one.hit_rate >= base.hit_rate + LEAST_HITS]
    more = [one for one in more if one.performance >= minimum_gain * base.performance]
    least = TIED * max((one.performance for one in more), default=0.0)
    tied = [one for one in more if one.performance >= least]
    return max(tied, key=lambda one: (-one.waves, one.performance, one.blocks, -one.shared_bytes), default=base)


def roomiest(found: Sequence[Division], default: Division) -> Division:
    """The largest L1 of several divisions, if it is larger than the driver's by half."""
    most = min(found, key=lambda one: one.shared_bytes)
    return most if most.l1_bytes >= ROOMIER * default.l1_bytes else default


def is_fixed(arch: Arch) -> bool:
    """Whether the driver gives every kernel all the shared memory that there is, used or not (before Volta)."""
    return arch.shared.default_configuration >= max(arch.shared.configurations)


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
    for shared, resident in residents(arch, site, blocks):
        if resident < (1 if fewer else blocks):
            continue
        l1 = int(arch.l1_bytes(shared) * arch.l1.usable_fraction)
        share = resident * site.shape.warps / arch.limits.warps_per_sm
        demand = demand_of(arch, loops, known, resident, l1)
        worth = performance(arch, demand, share, resident, of_sm)
        waves = waves_of(of_sm, resident) if arch.partition and arch.partition.asked else 0
        yield Division(shared, l1, resident, share, demand.hit_rate, worth, waves)


def residents(arch: Arch, site: Site, blocks: int) -> Iterator[tuple[int, int]]:
    """Every configuration of shared memory, ascending, with how many of `blocks` blocks fit beside it."""
    each = site.occupancy.shared_per_block
    for shared in arch.shared.configurations:
        yield shared, min(blocks, shared // each) if each else blocks


def free(kernel: Kernel, context: Context) -> tuple[Division, Division] | None:
    """The driver's division of a launch and a larger L1 beside which as many blocks are resident; None without one.

    Of kernels whose hits are not known. Hit rate and performance of the divisions are 0.
    """
    arch = context.arch
    for site in _sites(kernel, context):
        most = site.occupancy.blocks
        share = most * site.shape.warps / arch.limits.warps_per_sm
        found = [
            Division(shared, int(arch.l1_bytes(shared) * arch.l1.usable_fraction), resident, share, 0.0, 0.0, 0)
            for shared, resident in residents(arch, site, most)
            if resident == most
        ]
        default = next((one for one in found if one.shared_bytes == site.occupancy.shared_configuration), None)
        if default is not None and roomiest(found, default) != default:
            return default, roomiest(found, default)
    return None


def decide(kernel: Kernel, context: Context, survey: Survey, minimum_gain: float, *, fewer: bool) -> Verdict | None:
    """The launch (and residency, where the grid is not known) where most is to be gained; None without one.

    `minimum_gain`: what more waves must promise.
    """
    best: Verdict | None = None
    found_counts: dict[tuple[object, ...], Counts | None] = {}  # those of a launch do not depend on shared memory
    for site in _sites(kernel, context):
        most = site.occupancy.blocks
        launch = (site.shape, *sorted(site.values.items()))
        if launch not in found_counts:
            found_counts[launch] = counts(context.arch, survey, site)
        known = found_counts[launch]
        if known is None:
            continue
        for blocks in (most,) if site.known else range(most, 0, -1):
            found = list(divisions(context.arch, survey.loops, known, site, blocks, fewer=fewer))
            default = next((one for one in found if one.shared_bytes == site.occupancy.shared_configuration), None)
            if default is None:
                continue
            promised = max(_over(one, default) for one in found)
            chosen = choose(found, default, minimum_gain, fixed=is_fixed(context.arch))
            verdict = Verdict(site, default, chosen, promised)
            if best is None or _rank(verdict) > _rank(best):
                best = verdict
    return best


def _sites(kernel: Kernel, context: Context) -> Iterator[Site]:
    """The launches; one whose shared memory is not known with several amounts, since one of them may gain."""
    given = context.resources
    for site in sites(
        kernel,
        context.launches,
        context.arch,
        registers=given.registers,
        static_shared_bytes=given.static_shared_bytes,
    ):
        yield site
        wanted = site.launch.shared if site.launch else None
        if wanted is None or expr.evaluate(wanted, {}) is not None:
            continue
        for bytes_ in GUESSED_SHARED:
            use = BlockUse(site.shape.threads, given.registers, site.shared_bytes, bytes_)
            yield replace(site, occupancy=occupancy(context.arch, use), shared_bytes=site.shared_bytes + bytes_)


def _rank(verdict: Verdict) -> tuple[bool, float, float]:
    return verdict.best != verdict.default, verdict.gain, verdict.promised
