"""The decision for one loop: N (groups of warps) first, then M (blocks taken away). Integers only.

`guard.py` writes the same arithmetic in C++ for launches whose numbers are known only when the program runs; a test
holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from gpuopt_driver.api import dataclass

WEAK = 2  # times the margin for loops whose sectors are visited a few times only, as loads are issued in batches
STRONG_VISITS = 4  # visits per sector from which on losing it costs much


class Outcome(Enum):
    """What the model says of a loop at one launch."""

    THROTTLE = "throttle"
    FITS = "fits"
    MARGIN = "margin"
    NO_LOCALITY = "no locality"
    NEVER_FITS = "never fits"
    FEW_TRIPS = "few trips"
    NOT_MODELLED = "not modelled"
    OUTER = "outer loop"
    UNKNOWN = "unknown"  # numbers are missing; decided at launch


@dataclass(frozen=True, slots=True)
class Rules:
    """What the policy and the GPU's file say. Sizes in bytes; `margin` in thousandths of the capacity."""

    sectored: bool
    margin: int
    line_bytes: int
    sector_bytes: int
    minimum_trips: int
    minimum_warps: int
    warp_level: bool
    block_level: bool


@dataclass(frozen=True, slots=True)
class Demand:
    """The lines that a loop touches per iteration: lines(N) for one group of a block, and once per SM."""

    per_block: tuple[int, ...]  # for N = 1, 2, 4, ...
    per_sm: tuple[int, ...]
    local: int  # lines of the references that a later iteration finds again (N = 1, one block)
    strong: int  # those of them that are found again often, so that losing them costs much
    trips: int | None


@dataclass(frozen=True, slots=True)
class Room:
    """What one SM holds: blocks of `warps` warps, `l1_bytes`, and L1 beside fewer blocks (None: they cannot be had)."""

    warps: int
    blocks: int
    l1_bytes: int
    l1_of_blocks: Callable[[int], int | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`n` groups, `m` blocks taken away; footprints before and after and the L1 compared with, in bytes.

    `margin` is the one that held for the loop, in thousandths of the L1.
    """

    outcome: Outcome
    n: int = 1
    m: int = 0
    footprint: int = 0
    remaining: int = 0
    l1_bytes: int = 0
    margin: int = 1000


def group_counts(warps: int) -> tuple[int, ...]:
    """The values that N may take: powers of two that divide the warps of a block, 1 first."""
    counts = [1]
    while warps % (counts[-1] * 2) == 0:
        counts.append(counts[-1] * 2)
    return tuple(counts)


def decide(rules: Rules, demand: Demand, room: Room) -> Verdict:
    """The smallest N, then the smallest M, at which the footprint fits (CATT eq. 9)."""

    def footprint(step: int, blocks: int) -> int:
        return (demand.per_block[step] * blocks + demand.per_sm[step]) * rules.line_bytes

    whole = footprint(0, room.blocks)
    lines = demand.per_block[0] + demand.per_sm[0]
    margin = rules.margin if demand.strong * 2 >= lines or not rules.sectored else rules.margin * WEAK
    here = Verdict(Outcome.FITS, footprint=whole, remaining=whole, l1_bytes=room.l1_bytes, margin=margin)
    if demand.local == 0 or (rules.sectored and demand.local * 2 < lines):
        return as_outcome(here, Outcome.NO_LOCALITY)
    if whole <= room.l1_bytes:
        return here
    if whole * 1000 <= room.l1_bytes * margin:
        return as_outcome(here, Outcome.MARGIN)
    if demand.trips is None and rules.sectored:
        return as_outcome(here, Outcome.NOT_MODELLED)
    if demand.trips is not None and demand.trips < rules.minimum_trips:
        return as_outcome(here, Outcome.FEW_TRIPS)
    counts = group_counts(room.warps) if rules.warp_level else (1,)
    fewest = rules.minimum_warps if rules.sectored else 1
    last = 0
    for step, n in enumerate(counts):
        if room.warps // n * room.blocks < fewest:
            break
        last = step
        if footprint(step, room.blocks) <= room.l1_bytes:
            return Verdict(Outcome.THROTTLE, n, 0, whole, footprint(step, room.blocks), room.l1_bytes, margin)
    if rules.block_level:
        for blocks in range(room.blocks - 1, 0, -1):
            if room.warps // counts[last] * blocks < fewest:
                break
            left = room.l1_of_blocks(blocks)
            if left is not None and footprint(last, blocks) <= left:
                after = footprint(last, blocks)
                return Verdict(Outcome.THROTTLE, counts[last], room.blocks - blocks, whole, after, left, margin)
    return as_outcome(here, Outcome.NEVER_FITS)


def as_outcome(verdict: Verdict, outcome: Outcome) -> Verdict:
    """The same numbers with another outcome, and nothing throttled unless that is the outcome."""
    if outcome is Outcome.THROTTLE:
        return verdict
    return replace(verdict, outcome=outcome, n=1, m=0, remaining=verdict.footprint)
