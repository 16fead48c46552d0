"""Which division of L1 and shared memory a launch should have, of those that `predict.py` knows. Twin: `guard.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpuopt_driver.api import Arch, BlockUse, Context, Kernel, Site, dataclass, expr, occupancy, sites

from .predict import Counts, Division, Survey, counts, divisions

LEAST_HITS = 0.05  # by how much the hit rate must be able to rise: more L1 is what is being bought
GUESSED_SHARED = (8192, 24576, 40960)  # bytes
ROOMIER = 1.5  # times as much L1 is worth a version where it costs nothing, whatever is predicted of its hits
TIED = 0.95  # divisions whose predicted performance is that close to the best one's are tied: the fewest waves win


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


def choose(found: Sequence[Division], default: Division, minimum_gain: float, *, fixed: bool = False) -> Division:
    """The division that a launch should have, of `found`; the driver's where nothing is better by enough.

    The largest L1 that costs no wave of blocks takes nothing from anyone, so it is taken wherever hits can be lost
    (`fixed`: wherever there is one, see `is_fixed`), if it is larger by half. More waves (where they are not known:
    fewer resident blocks) must promise `minimum_gain` over that, and hits.
    """
    base = default
    if fixed or default.hit_rate < max(one.hit_rate for one in found) - LEAST_HITS:
        base = roomiest([one for one in found if not costs(one, default)], default)
    more = [one for one in found if costs(one, default) and one.hit_rate >= base.hit_rate + LEAST_HITS]
    more = [one for one in more if one.performance >= minimum_gain * base.performance]
    least = TIED * max((one.performance for one in more), default=0.0)
    tied = [one for one in more if one.performance >= least]
    return max(tied, key=lambda one: (-one.waves, one.performance, one.blocks, -one.shared_bytes), default=base)


def costs(one: Division, default: Division) -> bool:
    """Whether a division takes more waves of blocks (where they are not known: leaves fewer resident) than another."""
    return one.waves > default.waves or (not default.waves and one.blocks < default.blocks)


def roomiest(found: Sequence[Division], default: Division) -> Division:
    """The largest L1 of several divisions, if it is larger than the driver's by half."""
    most = min(found, key=lambda one: one.shared_bytes)
    return most if most.l1_bytes >= ROOMIER * default.l1_bytes else default


def is_fixed(arch: Arch) -> bool:
    """Whether the driver gives every kernel all the shared memory that there is, used or not (before Volta)."""
    return arch.shared.default_configuration >= max(arch.shared.configurations)


@dataclass(frozen=True, slots=True)
class Freed:
    """A larger L1 that costs no resident block. `most`: the blocks that an SM has room for; fewer with small grids."""

    default: Division
    best: Division
    most: int


def free(kernel: Kernel, context: Context) -> Freed | None:
    """The driver's division of a launch and a larger L1 beside as many resident blocks; None without one.

    Of kernels whose hits are not known: hit rates are 0. A grid that is not known may leave any number of blocks on an
    SM: the most are taken beside which there is a larger L1.
    """
    nothing = Counts((), 0.0)
    for site in _sites(kernel, context):
        most = site.occupancy.blocks
        for blocks in (most,) if site.known else range(most, 0, -1):
            found = list(divisions(context.arch, (), nothing, site, blocks, fewer=False))
            default = next((one for one in found if one.shared_bytes == site.occupancy.shared_configuration), None)
            if default is None:
                continue
            best = roomiest([one for one in found if not costs(one, default)], default)
            if best != default:
                return Freed(default, best, most)
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
